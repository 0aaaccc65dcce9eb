"""Web pages: their main content, without the site around it."""

from pathlib import Path

import pytest
from parser_contract import assert_contract

from workbench.errors import EmptyDocument
from workbench.model.document import BlockKind, ParsedDocument
from workbench.parsing.parse import parse_file
from workbench.parsing.web_page_parser import WebPageParser

TEXT = (
    "The harbour of Lindhamn froze in 1987, for the first time in forty years. The ferry Aurora stayed in port "
    "for nine days, and the mail came over the ice by sledge. Nobody was harmed, but the price of herring doubled."
)
MORE = (
    "The lighthouse keeper, Ottilia Brandt, kept a diary of the ice. It is read aloud every January in the town hall."
)
MENU = "<ul>" + "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(12)) + "</ul>"


def _parsed(tmp_path: Path, source: str) -> ParsedDocument:
    file = tmp_path / "ports.web.html"
    file.write_text(source, "utf-8")
    document = parse_file(file)
    assert document.format == "webpage"
    assert_contract(document)
    return document


ARTICLE = f"<article><h1>Ports</h1><p>{TEXT}</p><p>{MORE}</p></article>"
SEMANTIC = f"<nav>{MENU}</nav><main>{ARTICLE}</main><footer>Legal</footer>"
BLOG = (
    f"<div id=header><div class=logo>The Gull</div>{MENU}</div><div id=wrap><div class='post hentry'><h1>Ports</h1>"
    f"<div class=share-buttons>Tweet this Pin this</div><p>{TEXT}</p><p>{MORE}</p></div>"
    f"<div id=sidebar><h3>About me</h3><p>I like boats, and I write about them at night.</p>{MENU}</div></div>"
    "<div id=comments><h3>Comments</h3><p>First! What a wonderful article, I thought so too, years ago.</p></div>"
)
OLD = (
    f"<table width=100%><tr><td bgcolor=#ccc>{MENU}</td><td><font size=+2>Ports</font><br>{TEXT}<p>{MORE}</td></tr>"
    "<tr><td colspan=2><a href=/>Home</a> | <a href=/map>Map</a> | <a href=/c>Contact</a></td></tr></table>"
)
NEWS = (
    f"<div class=cookie-banner><p>We and our 842 partners value your privacy. {'Accept all. ' * 9}</p></div>"
    f"<header class=site-header>{MENU}</header><div role=main><header><h1>Ports</h1></header>"
    f"<section><p>{TEXT}</p><aside>Subscribe now</aside><p>{MORE}</p></section>"
    f"<section class='related-articles'><h2>More like this</h2>{MENU}</section></div>"
)
UNNAMED = f"<div><div>{MENU}</div><div><div><h1>Ports</h1><p>{TEXT}</p><p>{MORE}</p></div></div><div>{MENU}</div></div>"


@pytest.mark.parametrize(
    "body", [SEMANTIC, BLOG, OLD, NEWS, UNNAMED], ids=["semantic", "blog", "tables", "news", "unnamed"]
)
def test_e7_the_text_stays_and_the_site_goes(tmp_path: Path, body: str) -> None:
    text = _parsed(tmp_path, f"<html><body>{body}</body></html>").text
    assert TEXT in text
    assert MORE in text
    assert "Ports" in text
    furniture = ("Section 3", "Legal", "Tweet", "I like boats", "First!", "842 partners", "Subscribe", "Contact")
    assert [words for words in furniture if words in text] == []


def test_e7_the_headline_above_the_text_is_kept(tmp_path: Path) -> None:
    source = f"<div class=hero><h1>Ports of the north</h1></div><div class=body><p>{TEXT}</p><p>{MORE}</p></div>"
    document = _parsed(tmp_path, source)
    assert document.text.startswith("Ports of the north\n\nThe harbour")
    assert [block.kind for block in document.blocks][:2] == [BlockKind.HEADING, BlockKind.PARAGRAPH]


def test_e7_tables_code_and_lists_of_the_text_are_kept(tmp_path: Path) -> None:
    table = "<table><tr><th>Port<th>Depth</tr><tr><td>Lindhamn<td>12 m</tr></table>"
    body = f"<main><p>{TEXT}</p>{table}<pre>ls -l\n  x</pre><ul><li>ice<li>wind</ul></main>"
    document = _parsed(tmp_path, body)
    kinds = [block.kind for block in document.blocks]
    assert {BlockKind.TABLE, BlockKind.CODE, BlockKind.LIST} <= set(kinds)
    assert "| Lindhamn | 12 m |" in document.text


def test_e7_links_are_kept_as_text(tmp_path: Path) -> None:
    head = "<head><link rel=canonical href='https://gull.example/2026/ports.html'></head>"
    links = "<a href='https://ice.example/log'>ice log</a> <a href='/diary'>diary</a> <a href='#top'>top</a>"
    main = f"<main><p>{TEXT} {links} <a href='javascript:x()'>x</a></p></main>"
    text = _parsed(tmp_path, f"<html>{head}<body><nav>{MENU}</nav>{main}</body></html>").text
    assert text.endswith("Links\n\n- ice log: https://ice.example/log\n- diary: https://gull.example/diary")


def test_e7_a_page_of_links_is_read_whole(tmp_path: Path) -> None:
    text = _parsed(tmp_path, f"<body><h1>Index</h1>{MENU}</body>").text
    assert "Section 11" in text


def test_e7_too_little_means_the_whole_page(tmp_path: Path) -> None:
    items = "".join(f"<li><a href=/{n}>Chapter {n}: the history of port number {n}</a></li>" for n in range(40))
    text = _parsed(tmp_path, f"<body><p>Contents:</p><ul>{items}</ul></body>").text
    assert "port number 39" in text


def test_omitted_parts_of_a_page_are_reported(tmp_path: Path) -> None:
    document = _parsed(
        tmp_path, f"<body><div class=comments><p>{MORE} {MORE}</p></div><main><p>{TEXT}</p></main>" + MENU * 3
    )
    words = len(f"{MORE} {MORE}".split()) + 3 * 12 * 2
    assert document.findings[0].detail == f"the page's menus, footers and other parts of the site, {words} words"


@pytest.mark.parametrize(
    ("around", "told"),
    [
        ("", []),
        ("<footer>Legal</footer>", ["the page's menus, footers and other parts of the site, 1 word"]),
        (f"<nav>{MENU}</nav>", ["the page's menus, footers and other parts of the site, 24 words"]),
    ],
)
@pytest.mark.parametrize("main", [ARTICLE, f"<header><h1>Ports</h1></header><main><p>{TEXT}</p><p>{MORE}</p></main>"])
def test_words_around_the_text_are_counted_without_a_headline_placed_before_the_text(
    tmp_path: Path, main: str, around: str, told: list[str]
) -> None:
    document = _parsed(tmp_path, f"<body>{around}{main}</body>")
    assert "Ports" in document.text
    assert [finding.detail for finding in document.findings] == told


def test_a_page_without_text_raises_an_error_that_suggests_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument, match="Run scripts on the page"):
        _parsed(
            tmp_path, "<html><head><title>App</title></head><body><div id=root></div><script>x()</script></body></html>"
        )


LD = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
  {"@type": "WebSite", "datePublished": "1999-01-01"},
  {"@type": "NewsArticle", "datePublished": "2026-02-03T08:00:00+01:00", "dateModified": "2026-02-04",
   "author": [{"@type": "Person", "name": "Ottilia Brandt"}, {"name": "Ada Lund"}]}]}</script>"""


def test_e7_title_author_and_dates_are_found(tmp_path: Path) -> None:
    head = f"<head><title>Ports of the north | The Gull</title>{LD}</head>"
    body = f"<body><h1>The Gull</h1><main><h1>Ports of the north</h1><p>{TEXT}</p></main></body>"
    metadata = _parsed(tmp_path, f"<html lang=en>{head}{body}</html>").metadata
    assert metadata.title == "Ports of the north"
    assert metadata.author == "Ottilia Brandt, Ada Lund"
    assert metadata.created == "2026-02-03T08:00:00+01:00"
    assert (metadata.modified, metadata.language) == ("2026-02-04", "en")


@pytest.mark.parametrize(
    ("head", "created"),
    [
        ("<meta property=article:published_time content=2026-05-06T07:08:09Z>", "2026-05-06T07:08:09+00:00"),
        ("<meta itemprop=datePublished content=2026-05-06>", "2026-05-06"),
        ("<script type='application/ld+json'>{broken</script>", "2026-07-08"),
        ('<script type=\'application/ld+json\'>[1, null, {"@graph": 7, "author": 3}]</script>', "2026-07-08"),
    ],
)
def test_e7_the_date_is_read_from_meta_tags_or_the_time_element(tmp_path: Path, head: str, created: str) -> None:
    source = f"<head>{head}</head><body><article><time datetime=2026-07-08>8 July</time><p>{TEXT}</p></article></body>"
    assert _parsed(tmp_path, source).metadata.created == created


def test_a_page_without_a_title_is_named_after_its_file(tmp_path: Path) -> None:
    assert _parsed(tmp_path, f"<p>{TEXT}</p>").metadata.title == "ports"


def test_a_file_of_the_users_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "saved.html"
    file.write_text(f"<body><aside>{MORE}</aside><main><p>{TEXT}</p></main></body>", "utf-8")
    assert MORE in parse_file(file).text


def test_a_page_nested_without_end_is_read(tmp_path: Path) -> None:
    source = "<div>" * 20_000 + TEXT
    assert TEXT in _parsed(tmp_path, source).text


@pytest.mark.peer_data
def test_real_pages_lose_nothing_but_the_site(peer_data: Path) -> None:
    from workbench.parsing.html_parser import HtmlParser

    pages = sorted((peer_data / "parse_truth/docling/html/sources").glob("*.html"))
    kept = 0
    for page in pages:
        whole, found = HtmlParser().parse(page).text, WebPageParser().parse(page).text
        kept += len(found) >= 0.9 * len(whole)
    assert kept == len(pages)
