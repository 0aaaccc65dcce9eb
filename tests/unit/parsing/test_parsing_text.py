"""Plain text and its encodings."""

from pathlib import Path

import pytest

from workbench.errors import DamagedDocument
from workbench.model.document import BlockKind
from workbench.parsing.encoding import decode
from workbench.parsing.text_parser import TextParser

NOTE = Path(__file__).resolve().parents[2] / "data" / "parsing" / "note.txt"
CHINESE = "知识库里的文件有很多种编码，程序应当自己认出来。这是第二句话，说的是中国的事情。"
TRADITIONAL = "知識庫裡的文件有很多種編碼，程式應當自己認出來。這是第二句話，說的是國家的事情。"
JAPANESE = "これは日本語の文章です。文字コードを正しく判定できますか。カタカナもあります。"
KOREAN = "이것은 한국어 문장입니다. 문자 인코딩을 올바르게 인식할 수 있어야 합니다."
RUSSIAN = "Это обычный русский текст, в котором достаточно слов, чтобы узнать его кодировку без подсказки."
GERMAN = "Die Prüfung der Größe ergab für die Straße ein schönes Maß; das Übrige müsste später nachgeholt werden."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gb18030"),
        (CHINESE, "utf-8-sig"),
        (CHINESE, "utf-16"),
        (CHINESE + "\n12", "utf-16-le"),
        (CHINESE + "\n12", "utf-16-be"),
        (CHINESE, "hz"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (KOREAN, "euc_kr"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (GERMAN, "cp1252"),
        (GERMAN, "utf-32"),
        ("中文短文", "gbk"),
    ],
)
def test_e6_encoding_is_recognised(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding))[0] == text


def test_e6_generated_encodings_are_all_recognised(peer_data: Path) -> None:
    folder = peer_data / "generated" / "encodings"
    wrong = [
        truth.name
        for truth in sorted((folder / "truth").iterdir())
        if decode((folder / truth.name.replace(".utf8.txt", ".txt")).read_bytes())[0].lstrip("\ufeff")
        != truth.read_bytes().decode("utf-8-sig")
    ]
    assert wrong == []


def test_stray_bytes_do_not_hide_utf8() -> None:
    data = CHINESE.encode() + b"\xff" + CHINESE.encode()
    assert decode(data)[0] == CHINESE + "�" + CHINESE


def test_binary_is_not_text() -> None:
    with pytest.raises(DamagedDocument, match="does not hold text"):
        decode(bytes(range(32)) * 100)


def test_paragraphs_end_at_blank_lines_and_no_heading_is_guessed() -> None:
    document = TextParser().parse(NOTE)
    assert [document.text[block.start : block.end] for block in document.blocks] == [
        "First paragraph\nwith two lines.",
        "  Second, indented.",
        "1. Not a heading",
    ]
    assert {block.kind for block in document.blocks} == {BlockKind.PARAGRAPH}
    assert document.metadata.title == "note"
    assert document.format == "text"
