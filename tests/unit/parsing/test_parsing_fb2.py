"""FictionBook: chapters, headings, verses, notes and metadata."""

from pathlib import Path

import pytest
from parser_contract import assert_contract, parts

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import BlockKind, FindingKind, PageKind, ParsedDocument
from workbench.parsing.parse import parse_file

H, P, T = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE
DESCRIPTION = """<description><title-info>
<author><first-name>Ada</first-name><last-name>Lee</last-name></author><author><nickname>Bo</nickname></author>
<book-title>Tides</book-title><keywords>sea, moon</keywords><date value="1999-05-01">May</date><lang>en</lang>
</title-info></description>"""


def book(path: Path, body: str, description: str = DESCRIPTION, encoding: str = "utf-8") -> ParsedDocument:
    source = (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        f'<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">{description}{body}</FictionBook>'
    )
    path.write_bytes(source.encode(encoding))
    document = parse_file(path)
    assert_contract(document)
    return document


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tides.fb2"


def test_each_part_of_the_book_is_a_chapter_with_its_heading(path: Path) -> None:
    first = "<section><title><p>One</p><p>Ebb</p></title><p>It <strong>fell</strong>.</p></section>"
    second = "<section><title><p>Two</p></title><section><title><p>Flood</p></title><p>It rose.</p></section></section>"
    document = book(path, f"<body><title><p>Tides</p></title>{first}{second}</body>")
    assert [page.label for page in document.pages] == ["Tides", "One Ebb", "Two"]
    assert parts(document) == [(H, "Tides"), (H, "One Ebb"), (P, "It fell."), (H, "Two"), (H, "Flood"), (P, "It rose.")]
    assert [block.level for block in document.blocks] == [1, 1, 0, 1, 2, 0]
    assert document.page_kind is PageKind.CHAPTER


def test_author_title_date_keywords_and_language_are_read(path: Path) -> None:
    said = book(path, "<body><section><p>Words.</p></section></body>").metadata
    assert (said.title, said.author, said.created) == ("Tides", "Ada Lee, Bo", "1999-05-01")
    assert (said.keywords, said.language) == (("sea", "moon"), "en")


def test_a_book_without_a_title_is_named_after_its_file(path: Path) -> None:
    assert book(path, "<body><section><p>Words.</p></section></body>", "").metadata.title == "tides"


def test_verses_keep_their_lines_and_notes_are_a_chapter(path: Path) -> None:
    poem = "<poem><stanza><v>The sea is calm,</v><v>the tide is full.</v></stanza></poem>"
    document = book(
        path,
        f"<body><section>{poem}<p>See<a>[1]</a> it &lt;here&gt;.</p></section></body>"
        "<body name='notes'><section id='n1'><title><p>1</p></title><p>A note.</p></section></body>"
        "<binary id='x'>aGVsbG8=</binary>",
    )
    assert parts(document)[:2] == [(P, "The sea is calm,\nthe tide is full."), (P, "See[1] it <here>.")]
    assert [page.label for page in document.pages] == ["", "1"]
    assert "aGVsbG8" not in document.text


def test_the_annotation_is_the_first_chapter_and_other_text_about_the_book_is_counted(path: Path) -> None:
    edition = "<publish-info><publisher>Quay Press</publisher></publish-info></description>"
    said = DESCRIPTION.replace("<keywords>", "<annotation><p>A tale of tides.</p></annotation><keywords>")
    document = book(path, "<body><section><p>Words.</p></section></body>", said.replace("</description>", edition))
    assert [(page.number, document.text[page.start : page.end]) for page in document.pages] == [
        (1, "A tale of tides."),
        (2, "Words."),
    ]
    assert [(one.kind, one.count, one.detail) for one in document.findings] == [
        (FindingKind.LEFT_OUT, 2, "the book's notes on its edition, 2 words")
    ]


def test_a_truncated_book_is_reported_with_a_warning(path: Path) -> None:
    whole = "<FictionBook><body><section><p>One.</p></section><section><p>Two.</p></section></body></FictionBook>\n"
    path.write_text(whole)
    assert parse_file(path).warnings == ()
    path.write_text(whole[:60])
    assert parse_file(path).warnings == ("Not all of it was read: the file ends before the book does.",)


def test_a_table_is_kept_whole(path: Path) -> None:
    table = "<table><tr><th>Port</th><th>Hour</th></tr><tr><td>Lindhamn</td><td>9</td></tr></table>"
    document = book(path, f"<body><section>{table}</section></body>")
    assert parts(document) == [(T, "| Port | Hour |\n| --- | --- |\n| Lindhamn | 9 |")]


@pytest.mark.parametrize("encoding", ["windows-1251", "utf-16", "koi8-r"])
def test_e6_the_encoding_is_the_one_that_is_declared(path: Path, encoding: str) -> None:
    document = book(path, "<body><section><p>Прилив и отлив моря.</p></section></body>", "", encoding)
    assert document.text.strip() == "Прилив и отлив моря."


def test_a_book_named_as_text_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("<?xml version='1.0'?><FictionBook><body><p>Words.</p></body></FictionBook>")
    assert parse_file(tmp_path / "book").format == "fb2"


@pytest.mark.parametrize(
    ("source", "error"), [("<FictionBook/>", EmptyDocument), ("<other>x</other>", DamagedDocument)]
)
def test_a_file_that_is_not_a_book_is_rejected(path: Path, source: str, error: type[Exception]) -> None:
    path.write_text(source)
    with pytest.raises(error):
        parse_file(path)


def test_a_book_of_20000_levels_is_read(path: Path) -> None:
    path.write_text("<FictionBook><body>" + "<section>" * 20_000 + "<p>Deep.</p></body></FictionBook>")
    assert parse_file(path).text == "Deep."
