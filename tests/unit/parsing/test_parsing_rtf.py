"""Rich text."""

from pathlib import Path

import pytest

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import BlockKind, ParsedDocument
from workbench.parsing.rtf_parser import RtfParser


def parse(tmp_path: Path, body: str | bytes) -> ParsedDocument:
    path = tmp_path / "a.rtf"
    path.write_bytes(body.encode("ascii") if isinstance(body, str) else body)
    return RtfParser().parse(path)


def test_paragraphs_special_characters_and_unicode(tmp_path: Path) -> None:
    body = (
        r"{\rtf1\ansi\ansicpg1252\uc1 Caf\'e9 \u20013?\u25991? \ldblquote x\rdblquote\par a\line b\emdash\~c\{\}\par}"
    )
    assert parse(tmp_path, body).text == "Café 中文 “x”\n\na\nb—\u00a0c{}".replace("\u00a0", " ")


def test_characters_of_two_bytes_follow_the_font(tmp_path: Path) -> None:
    fonts = rb"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset134 SimSun;}{\f2\fcharset128 MS Mincho;}}"
    chinese = "".join(f"\\'{byte:02x}" for byte in "文档".encode("gbk")).encode()
    japanese = "".join(f"\\'{byte:02x}" for byte in "表".encode("cp932")).encode()
    body = rb"{\rtf1\ansi\ansicpg1252" + fonts + rb"\f1 " + chinese + rb" \f2 " + japanese + rb" {\f0 \'e9}\par}"
    assert parse(tmp_path, body).text == "文档 表 é"


def test_character_outside_of_the_basic_plane_has_two_parts(tmp_path: Path) -> None:
    assert parse(tmp_path, r"{\rtf1\uc1 \u-10179?\u-8704?}").text == "\U0001f600"


def test_e9_headings_lists_tables_notes_and_metadata(tmp_path: Path) -> None:
    body = r"""{\rtf1\ansi{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 Kapitel;}}
{\info{\title Ducks}{\author Ada}{\creatim\yr2024\mo5\dy1}}
\pard\s1 Rivers\par\pard\s2 Deep\par\pard {\listtext 1.\tab}one\par{\listtext\'b7\tab}dot\par
\pard Proven{\footnote By Euler.}\par
\trowd\intbl A\cell B\cell\row\trowd\intbl 1\par 2\cell 3\cell\row\pard after\par}"""
    document = parse(tmp_path, body)
    assert [(b.kind, b.level, document.text[b.start : b.end]) for b in document.blocks] == [
        (BlockKind.HEADING, 1, "Rivers"),
        (BlockKind.HEADING, 2, "Deep"),
        (BlockKind.LIST, 0, "1. one\n- dot"),
        (BlockKind.PARAGRAPH, 0, "Proven[1]"),
        (BlockKind.TABLE, 0, "| A | B |\n| --- | --- |\n| 1 2 | 3 |"),
        (BlockKind.PARAGRAPH, 0, "after"),
        (BlockKind.HEADING, 1, "Notes"),
        (BlockKind.LIST, 0, "[1] By Euler."),
    ]
    assert (document.metadata.title, document.metadata.author, document.metadata.created) == (
        "Ducks",
        "Ada",
        "2024-05-01",
    )


def test_content_that_is_not_text_is_left_out(tmp_path: Path) -> None:
    body = rb"{\rtf1 seen{\v hidden}{\*\unknown words}{\pict\wmetafile8 0102ff}{\header top}{\field{\*\fldinst PAGE}"
    body += rb"{\fldrslt 3}} {\deleted gone}{\object{\*\objdata 0105}{\result shown}}\bin4 {}}}\par}"
    assert parse(tmp_path, body).text == "seen3 shown"


@pytest.mark.parametrize(
    "body", [r"{\rtf1 " + "{" * 100_000 + "deep", r"{\rtf1 open {\b never closed", "{\\rtf1 a}}}}b"]
)
def test_broken_groups_end(tmp_path: Path, body: str) -> None:
    assert parse(tmp_path, body).text


def test_file_without_text_is_empty_and_other_files_are_damaged(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument):
        parse(tmp_path, r"{\rtf1\par}")
    with pytest.raises(DamagedDocument):
        parse(tmp_path, "plain")
