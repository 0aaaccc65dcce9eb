"""Files with ten thousand nested levels: their text is read, or a correct reason is reported."""

import json
import zipfile
from pathlib import Path

import pytest

from workbench.errors import DamagedDocument
from workbench.parsing.parse import parse_file
from workbench.parsing.zip_package import DEEPEST, shallow_tree, xml_tree

LEVELS = 10_000
HERON = "The heron nests on the pier."
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
RUN = f"<w:r><w:t>{HERON}</w:t></w:r>"
P = f"<text:p>{HERON}</text:p>"


def _nested(begin: str, inner: str) -> str:
    ends = [f"</{name.split()[0]}>" for name in begin.removeprefix("<").removesuffix(">").split("><")]
    return begin * LEVELS + inner + "".join(reversed(ends)) * LEVELS


def _package(path: Path, part: str, xml: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        if path.suffix == ".odt":
            package.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        else:
            package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr(part, xml)
    return path


@pytest.mark.parametrize(
    ("begin", "inner", "within"),
    [
        ("<w:sdt><w:sdtContent>", f"<w:p>{RUN}</w:p>", "w:body"),
        ("<w:sdt><w:sdtContent>", RUN, "w:p"),
        ("<w:ins>", f"<w:p>{RUN}</w:p>", "w:body"),
        ("<w:tbl><w:tr><w:tc>", f"<w:p>{RUN}</w:p>", "w:body"),
        ("<w:p><w:r><w:pict><w:txbxContent>", f"<w:p>{RUN}</w:p>", "w:body"),
    ],
    ids=["content controls", "controls in a paragraph", "insertions", "tables", "text boxes"],
)
def test_text_deep_in_a_word_document_is_read_and_so_is_what_follows(
    tmp_path: Path, begin: str, inner: str, within: str
) -> None:
    body = _nested(begin, inner)
    body = body if within == "w:body" else f"<{within}>{body}</{within}>"
    end = "<w:p><w:r><w:t>The end.</w:t></w:r></w:p>"
    xml = f'<w:document xmlns:w="{W}"><w:body>{body}{end}</w:body></w:document>'
    text = parse_file(_package(tmp_path / "a.docx", "word/document.xml", xml)).text
    assert HERON in text
    assert text.endswith("The end.")


@pytest.mark.parametrize(
    ("begin", "inner"),
    [
        ("<text:section>", P),
        ("<text:list><text:list-item>", P),
        ("<table:table><table:table-row><table:table-cell>", P),
        ("<text:p><draw:frame><draw:text-box>", P),
    ],
    ids=["sections", "lists", "tables", "frames"],
)
def test_text_deep_in_an_opendocument_text_is_read(tmp_path: Path, begin: str, inner: str) -> None:
    names = "".join(f' xmlns:{name}="{ODF}:{full}:1.0"' for name, full in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing",
    }.items())  # fmt: skip
    body = f"<office:body><office:text>{_nested(begin, inner)}</office:text></office:body>"
    xml = f"<office:document-content{names}>{body}</office:document-content>"
    assert HERON in parse_file(_package(tmp_path / "a.odt", "content.xml", xml)).text


@pytest.mark.parametrize("begin", ["<section>", "<section><cite>", "<section><p><emphasis>"])
def test_text_deep_in_a_book_is_read(tmp_path: Path, begin: str) -> None:
    book = tmp_path / "a.fb2"
    inner = HERON if "<p>" in begin else f"<p>{HERON}</p>"
    name = "http://www.gribuser.ru/xml/fictionbook/2.0"
    book.write_text(f'<FictionBook xmlns="{name}"><body>{_nested(begin, inner)}</body></FictionBook>', "utf-8")
    assert HERON in parse_file(book).text


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.yaml", "a.rtf"])
def test_text_deep_in_marks_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.html").write_text(_nested("<div>", f"<p>{HERON}</p>"), "utf-8")
    (tmp_path / "a.md").write_text("- " * LEVELS + HERON, "utf-8")
    (tmp_path / "a.yaml").write_text("[" * LEVELS + f'"{HERON}"' + "]" * LEVELS, "utf-8")
    (tmp_path / "a.rtf").write_text(r"{\rtf1 " + "{" * LEVELS + HERON + "}" * (LEVELS + 1), "utf-8")
    assert HERON in parse_file(tmp_path / name).text


@pytest.mark.parametrize("name", ["a.json", "a.ipynb", "a.eml"])
def test_a_file_nested_too_deep_for_python_is_reported_as_too_deep(tmp_path: Path, name: str) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    (tmp_path / "a.json").write_text(deep, "utf-8")
    (tmp_path / "a.ipynb").write_text(f'{{"cells": [], "metadata": {deep}}}', "utf-8")
    (tmp_path / "a.eml").write_text("From: a@b.c\n" + "Content-Type: message/rfc822\n\n" * 2000 + HERON, "utf-8")
    with pytest.raises(DamagedDocument, match="too deep"):
        parse_file(tmp_path / name)


def test_an_element_continues_after_a_nested_element_of_the_same_kind() -> None:
    outer, closing = "<o>" * DEEPEST, "</o>" * DEEPEST
    root = shallow_tree(f"{outer}<p>a<b/><i>b<p k='1'>c</p>d</i>e</p>{closing}".encode())
    inner = next(one for one in root.iter("o") if one.find("p") is not None)
    shown = [json.dumps([one.tag, dict(one.attrib), "".join(one.itertext())]) for one in inner]
    assert shown == ['["p", {}, "ab"]', '["p", {"k": "1"}, "c"]', '["p", {}, "de"]']


def test_a_truncated_deep_file_returns_the_text_before_the_break() -> None:
    root = xml_tree(("<o>" * LEVELS + HERON).encode())
    assert "".join(root.itertext()) == HERON
    assert max(sum(1 for _ in one.iterancestors()) for one in root.iter()) <= DEEPEST
