"""HTML: the visible content of a page, in order."""

from pathlib import Path

import pytest

from workbench.errors import EmptyDocument
from workbench.model.document import FindingKind, ParsedDocument
from workbench.parsing.html_parser import HtmlParser
from workbench.parsing.parse import parse_file

PAGE = Path(__file__).resolve().parents[2] / "data" / "parsing" / "page.html"


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def parsed(tmp_path: Path, source: str | bytes) -> ParsedDocument:
    path = tmp_path / "page.html"
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    return HtmlParser().parse(path)


def test_page_is_read_in_order_without_furniture() -> None:
    assert blocks(HtmlParser().parse(PAGE)) == [
        ("heading", "Lamps at home"),
        ("paragraph", "The first paragraph has two lines\nand a break."),
        ("list", "- one\n- two\n  1. inner"),
        ("code", "if lamp:\n    on()"),
        ("paragraph", "Prices"),
        ("table", "| Part | Price |\n| --- | --- |\n| Bulb | 3\\|5 |\n| Bulb | 4 |"),
        ("heading", "End"),
        ("paragraph", "Loose text."),
    ]


def test_e5_a_whole_paragraph_marked_as_a_heading_is_prose_and_a_title_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<title>{'lamp ' * 90}</title><h1>{'word ' * 60}</h1><h2>{'word ' * 40}</h2><p>Text.")
    document = parse_file(path)
    assert [kind for kind, _ in blocks(document)] == ["paragraph", "heading", "paragraph"]
    assert len(document.metadata.title) <= 300
    assert document.metadata.title.endswith("lamp…")


def test_e9_metadata_comes_from_the_head() -> None:
    said = HtmlParser().parse(PAGE).metadata
    assert (said.title, said.author, said.created) == ("Lamps at Home", "Ada Wright", "2024-03-01")
    assert (said.keywords, said.language) == (("lamps", "light"), "en")


def test_declared_encoding_is_honoured(tmp_path: Path) -> None:
    source = '<meta charset="gb2312"><p>中文网页</p>'.encode("gb18030")
    assert parsed(tmp_path, source).text == "中文网页"


def test_wrongly_declared_encoding_is_seen_through(tmp_path: Path) -> None:
    source = '<meta charset="utf-8"><p>这是一个没有说实话的中文网页，编码是别的。</p>'.encode("gb18030")
    assert "没有说实话" in parsed(tmp_path, source).text


def test_page_of_a_footer_only_is_still_read(tmp_path: Path) -> None:
    assert parsed(tmp_path, "<footer>Only this.</footer>").text == "Only this."


def test_layout_table_is_read_through(tmp_path: Path) -> None:
    source = "<table><tr><td><h1>Title</h1><p>Text.</p></td></tr></table>"
    assert [kind for kind, _ in blocks(parsed(tmp_path, source))] == ["heading", "paragraph"]


@pytest.mark.timeout(20)
def test_deep_nesting_does_not_crash(tmp_path: Path) -> None:
    assert parsed(tmp_path, "<div>" * 20_000 + "deep" + "</div>" * 20_000).text == "deep"


def test_absurd_span_is_bounded(tmp_path: Path) -> None:
    document = parsed(tmp_path, "<table><tr><td colspan=99999999>a</td><td>b</td></tr></table>")
    assert len(document.text) < 2_000


def test_page_made_by_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument, match="script"):
        parsed(tmp_path, "<div id=app></div><script>draw()</script>")


def test_elements_closed_at_once_in_xhtml_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.xhtml"
    head = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head>'
    path.write_text(f'{head}<body><p><a id="top"/>Seen <br/>text.</p></body></html>', encoding="utf-8")
    assert parse_file(path).text == "Seen\ntext."


def test_findings_and_dates_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    head = (
        '<meta property="article:published_time" content="4 March 2021">'
        '<meta property="article:modified_time" content="2022-01-02T03:04:05Z">'
    )
    body = "<p>Größe und Länge der Straße<img src=x><table><tr><td>1<td>2</table>"
    path.write_bytes(f"<html><head>{head}</head><body>{body}".encode("cp1252"))
    document = parse_file(path)
    assert (document.metadata.created, document.metadata.modified) == ("2021-03-04", "2022-01-02T03:04:05+00:00")
    kinds = {finding.kind for finding in document.findings}
    assert kinds == {FindingKind.ENCODING, FindingKind.TABLES, FindingKind.IMAGES}


def test_long_table_is_in_parts_with_its_head(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    rows = "".join(f"<tr><td>{number}</td><td>some words</td></tr>" for number in range(200))
    path.write_text(f"<table><tr><th>Number</th><th>Words</th></tr>{rows}</table>", encoding="utf-8")
    document = parse_file(path)
    tables = [document.text[block.start : block.end] for block in document.blocks]
    assert len(tables) > 3
    assert all(table.startswith("| Number | Words |\n| --- |") for table in tables)


@pytest.mark.parametrize(
    ("around", "said"),
    [
        ("<nav><a href=a>Home</a> <a href=b>About us</a></nav><footer>© 2024</footer>", "4 words"),
        ("<div role=navigation>首页 关于</div>", "4 words"),
        ("<footer>Imprint</footer>", "1 word"),
    ],
)
def test_omitted_menus_and_footers_are_reported_with_their_word_count(tmp_path: Path, around: str, said: str) -> None:
    document = parsed(tmp_path, f"{around}<p>The ferry leaves at nine.</p>")
    assert document.text == "The ferry leaves at nine."
    (finding,) = document.findings
    assert finding.kind is FindingKind.LEFT_OUT
    assert finding.detail == f"the page's menus, footers and other parts of the site, {said}"


@pytest.mark.parametrize("page", ["<p>The ferry leaves.</p><p hidden>Draft</p>", "<nav>Nothing but a menu</nav>"])
def test_a_page_with_nothing_omitted_reports_nothing(tmp_path: Path, page: str) -> None:
    assert not parsed(tmp_path, page).findings
