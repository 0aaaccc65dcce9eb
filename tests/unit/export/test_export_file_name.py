"""File names from titles, valid on every system."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.export.escaping import number_file_names, safe_file_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("How deep is the channel?", "How deep is the channel.pdf"),
        ("港口水深：北码头", "港口水深：北码头.pdf"),
        ("../../etc/passwd", "etc passwd.pdf"),
        ("a/b\\c:d*e", "a b c d e.pdf"),
        ("CON", "_CON.pdf"),
        ("nul.txt", "_nul.txt.pdf"),
        ("", "session.pdf"),
        (" . ", "session.pdf"),
        ("line\nend\ttab", "line end tab.pdf"),
        ("gpj\u202eexe", "gpj exe.pdf"),
        ("\ud800", "session.pdf"),
        ("an\u0378nex\ue000 X", "annex X.pdf"),
        ("- ~Annex X~ -", "Annex X.pdf"),
        ("é" * 100, "é" * 60 + ".pdf"),
    ],
)
def test_a_title_becomes_a_name(title, name):
    assert safe_file_name(title, ".pdf") == name


@given(st.text(st.characters(blacklist_categories=()), max_size=300))
def test_any_title_becomes_one_name_in_one_folder(title):
    name = safe_file_name(title, ".kwbundle")
    stem = name.removesuffix(".kwbundle")
    assert 0 < len(name.encode("utf-8")) <= 140
    assert not set(name) & set('\\/:*?"<>|\x00\r\n\t')
    assert stem == stem.strip(" .")
    assert name.isprintable()


def test_names_that_are_one_file_to_windows_are_numbered():
    assert number_file_names(["a.md", "A.md", "b.md", "a (2).md", "a.md"]) == [
        "a.md",
        "A (2).md",
        "b.md",
        "a (2) (2).md",
        "a (3).md",
    ]
