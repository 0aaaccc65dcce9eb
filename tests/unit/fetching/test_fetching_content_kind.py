"""Names, suffixes, encodings and titles of responses of servers."""

import codecs

import pytest

from workbench.fetching.content_type import LOOKED_AT, ending, file_name, in_utf8, page_title, safe_name, untitled

SUPPORTED = frozenset((".md", ".txt", ".json", ".csv", ".py", ".docx"))


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("text/plain", "raw.py", ".py"),
        ("text/plain", "raw.exe", ".txt"),
        ("application/zip", "letter.docx", ".docx"),
        ("text/html", "page.md", ".web.html"),
        ("text/html", "", ".web.html"),
        ("application/octet-stream", "data.csv", ".csv"),
        ("application/octet-stream", "data", None),
        ("application/ld+json", "data", ".json"),
        ("application/rss+xml", "feed", ".txt"),
    ],
)
def test_b12_content_type_and_name_determine_the_file_suffix(kind: str, name: str, expected: str | None) -> None:
    assert ending(kind, name, SUPPORTED) == expected


@pytest.mark.parametrize(
    ("address", "disposition", "name"),
    [
        ("https://a.org/b/Report%202026.pdf?x=1", "", "Report 2026.pdf"),
        ("https://a.org/", "", "a.org"),
        ("https://a.org/x", 'attachment; filename="C:\\\\Users\\\\me\\\\plan.docx"', "plan.docx"),
        ("https://a.org/x", "attachment; filename*=UTF-8''%E6%B8%AF.pdf", "港.pdf"),
        ("https://a.org/..%2f..%2fetc%2fpasswd", "", "etc passwd"),
    ],
)
def test_a_name_is_found(address: str, disposition: str, name: str) -> None:
    assert file_name(address, disposition) == name


@pytest.mark.parametrize("name", ["a/b", "..", "con\x00", "\u202efdp.exe", "x" * 400, "港" * 200, "  . ", "a\nb"])
def test_a_name_is_made_safe(name: str) -> None:
    safe = safe_name(name)
    assert 0 < len(safe.encode()) <= 120
    assert not set(safe) & set("/\\\x00\n\u202e")
    assert safe not in (".", "..")


def test_an_encoding_that_only_the_server_names_is_not_lost() -> None:
    assert in_utf8("é".encode("cp1252"), "iso-8859-1") == codecs.BOM_UTF8 + "é".encode()
    assert in_utf8("港".encode("big5"), "big5").decode("utf-8-sig") == "港"


@pytest.mark.parametrize("charset", ["utf-8", "", "no-such-thing", "ascii", "utf-16"])
def test_other_bytes_stay_as_they_are(charset: str) -> None:
    assert in_utf8(b"caf\xc3\xa9 x", charset if charset != "utf-16" else "base64") == b"caf\xc3\xa9 x"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        (b"<title>\n Ports &amp; ice </title>", "Ports & ice"),
        ("<title>港口</title>".encode(), "港口"),
        ("<meta charset=gb18030><title>港口</title>".encode("gb18030"), "港口"),
        ("<title>Zürich</title>".encode("cp1252"), "Zürich"),
        (b"<p>none", ""),
        (b"<title>" + b"x" * 300 + b"</title>", "x" * 199 + "…"),
        ("<title>Report \u202efdp.exe&#0;\u200b</title>".encode(), "Report fdp.exe\ufffd"),
        (b"<title> \n </title>", ""),
        (b"<title>a</title>" + "é".encode() * LOOKED_AT, "a"),
    ],
)
def test_a_page_title_is_read_in_any_encoding(head: bytes, title: str) -> None:
    assert page_title(head[:LOOKED_AT]) == title


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.org/", "example.org"),
        ("https://example.org/2024/harbour%20ice/?utm=1#top", "example.org/2024/harbour ice"),
        ("https://example.org/" + "x" * 500, "example.org/" + "x" * 188),
    ],
)
def test_a_page_without_a_title_is_named_after_its_address(address: str, name: str) -> None:
    assert untitled(address) == name
