"""Names of formats."""

import pytest

from workbench.errors import ExportError
from workbench.export.format_registry import exporter_for, formats


def test_every_named_format_has_its_exporter():
    assert formats() == ("md", "html", "pdf", "docx", "json", "kwbundle")
    assert [exporter_for(name).format for name in formats()] == list(formats())


@pytest.mark.parametrize("name", ["HTML", " .html "])
def test_a_format_is_found_in_any_spelling(name):
    assert exporter_for(name).suffix == ".html"


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(ExportError, match="md, html, pdf, docx, json, kwbundle"):
        exporter_for("odt")
