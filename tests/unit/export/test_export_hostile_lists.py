"""External lists of hostile texts, and those of this repository, in every place of every format: each stays text."""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from export_session import made_run, made_session
from hostile import NAMES, Trap, lists
from lxml import etree
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from workbench.export.base import ExportContext, no_page
from workbench.export.format_registry import DocxExporter
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.pdf import PdfExporter
from workbench.model.session import Session
from workbench.model.visible import replace_invisible

PLAIN = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", no_page)
WEB = ("http:", "https:", "mailto:")
_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "article", "section", "h1", "h2"),
    *(
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "div",
        "span",
        "br",
        "hr",
        "a",
        "sup",
        "sub",
        "s",
        "i",
        "em",
        "strong",
        "code",
        "pre",
    ),
    *("blockquote", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary"),
}
_FIELDS = ("NOTEREF", "PAGE", "NUMPAGES")


class _Everything(MarkdownIt):
    """Reader that accepts every link."""

    def validateLink(self, _url: str) -> bool:
        return True


@pytest.fixture(params=["own", "lists"])
def texts(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    trap = Trap(tmp_path / "trap")
    with trap:
        if request.param == "own":
            return [*trap.own(), *NAMES]
        return [trap.aimed(text) for text in lists(request.getfixturevalue("peer_data"), share=25)]


def sessions(texts: list[str]) -> Iterator[Session]:
    """Yield sessions of forty questions, with each text as question, answer, quote and document name."""
    for start in range(0, len(texts), 40):
        some = texts[start : start + 40]
        runs = [
            made_run(f"A [1].\n\n{text}\n\nB.", question=text, name=text, quote=text, number=number)
            for number, text in enumerate(some, start=1)
        ]
        yield made_session(*runs, title=some[0])


def test_a_web_page_has_no_element_handler_or_address_but_its_own(texts: list[str]) -> None:
    for session in sessions(texts):
        page = HtmlExporter().render(session, PLAIN).decode("utf-8")
        tree = LexborHTMLParser(page)
        elements = [one for one in tree.root.traverse() if one.tag and one.tag[0] not in "-_!"]  # type: ignore[union-attr]
        assert {one.tag for one in elements} <= _TAGS
        names = {name for one in elements for name in one.attributes}
        assert not {name for name in names if name.startswith("on")} | (names & {"src", "srcdoc", "action", "ping"})
        assert all(one.attributes["href"].startswith((*WEB, "#q")) for one in elements if "href" in one.attributes)
        assert len([one for one in elements if one.tag == "article"]) == len(session.runs)
        assert replace_invisible(page) == page


def test_markdown_has_no_html_image_or_link_but_its_own(texts: list[str]) -> None:
    reader = _Everything("commonmark", {"html": True}).enable("table")
    for session in sessions(texts):
        text = MarkdownExporter().render(session, PLAIN).decode("utf-8")
        tokens = reader.parse(text)
        children = [child for token in tokens for child in token.children or ()]
        html = [token.content for token in tokens if token.type == "html_block"]
        assert all(one.startswith(("<details>", "</details>")) for one in html)
        assert not [child for child in children if child.type in ("image", "html_inline")]
        assert all(str(child.attrGet("href")).startswith(WEB) for child in children if child.type == "link_open")
        assert len([t for t in tokens if t.type == "heading_open" and t.tag == "h2"]) == len(session.runs)
        assert replace_invisible(text) == text


def test_a_word_document_has_no_relation_or_field_but_its_own(texts: list[str]) -> None:
    for session in sessions(texts):
        with zipfile.ZipFile(io.BytesIO(DocxExporter().render(session, PLAIN))) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        assert not [name for name in parts if "embed" in name or "media" in name or name.endswith(".bin")]
        for relation in _relations(parts):
            if relation.get("TargetMode") == "External":
                assert relation.get("Type").endswith("/hyperlink")
                assert relation.get("Target").startswith(WEB)
        body = etree.fromstring(parts["word/document.xml"])
        space = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
        fields = [one.text or "" for one in body.iter(f"{space}instrText")]
        fields += [one.get(f"{space}instr") for one in body.iter(f"{space}fldSimple")]
        assert all(one.strip().startswith(_FIELDS) for one in fields)


def _relations(parts: dict[str, bytes]) -> Iterator[Any]:
    for name, data in parts.items():
        if name.endswith(".rels"):
            yield from etree.fromstring(data)


def test_a_pdf_has_no_script_file_or_link_but_its_own(texts: list[str]) -> None:
    for session in sessions(texts):
        with pymupdf.open("pdf", PdfExporter().render(session, PLAIN)) as document:
            assert document.embfile_count() == 0
            links = [link for page in document for link in page.get_links()]
            assert {link["kind"] for link in links} <= {pymupdf.LINK_GOTO, pymupdf.LINK_URI}
            assert all(link.get("uri", "https:").startswith(WEB) for link in links)
            objects = [document.xref_object(number) for number in range(1, document.xref_length())]
            assert not [one for one in objects if re.search(r"/(JavaScript|JS|Launch|AA)\b", one)]
