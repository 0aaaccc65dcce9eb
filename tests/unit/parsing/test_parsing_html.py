"""HTML: what a reader of the page sees, in order."""

from pathlib import Path

import pytest

from workbench.errors import EmptyDocument
from workbench.model.document import ParsedDocument
from workbench.parsing.html_parser import HtmlParser

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
