"""Valid documents of the text formats, each with most features of its format."""

import json

PROSE = "# Harbour\n\nIt froze in 1987. 港口的水深是十二米。\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"

MARKDOWN = (
    "---\ntitle: Harbour\nauthor: [Ann, Bob]\ndate: 2024-01-31\ntags: {a: 1}\n---\n\n# Harbour of *Lindhamn*\n\n"
    'It froze[^1] in **1987**, see [the page](https://example.org/a "t") and ![a](b.png).\n\nHead\n====\n\n'
    "1. one\n   - nested\n\n     ```python\n     x = 1\n     ```\n2. two\n\n> quote\n> > deeper\n\n"
    "| a | b |\n|:--|--:|\n| 1 | `x\\|y` |\n\n$$\na = b\n$$\n\n    indented code\n\n<div>html</div>\n\n***\n\n"
    "[^1]: A note.\n[ref]: https://example.org/r\n\n- [ ] to do\n\nTerm\n: meaning\n\n\\[ x^2 \\]\n"
)
RST = (
    "=======\nHarbour\n=======\n\n:Author: Ann\n:Date: 2024-01-31\n\nIt *froze* in **1987** [1]_ and ``code``,"
    " |sub|.\n\n.. [1] A note.\n.. |sub| replace:: text\n.. note:: careful\n\nPart\n----\n\n.. code-block:: python\n\n"
    "   print(1)\n\n"
    "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n=== ===\n a   b\n=== ===\n 1   2\n=== ===\n\n"
    ".. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n\n.. csv-table::\n\n   1, 2\n\n"
    ".. math:: a = b\n\n.. figure:: x.png\n\n   caption\n\n1. one\n2. two\n\n:term: x\n\n`link <https://example.org>`_\n\n"
    ".. include:: /etc/passwd\n.. raw:: html\n\n   <b>x</b>\n"
)
ASCIIDOC = (
    "= Harbour\nAnn Lee <ann@example.com>\nv1.0, 2024-01-31\n:toc:\n:name: value\n\nIt *froze* in _1987_, {name}.\n\n"
    "== Part\n\n[source,python]\n----\nprint(1)\n----\n\n|===\n|a |b\n\n|1 |2\n2+|wide\n.2+|tall |x\n|===\n\n"
    '[cols="1,2",options="header"]\n,===\na,b\n1,2\n,===\n\n* one\n** two\n. first\n\nNOTE: careful\n\n'
    "[quote]\n____\nsaid\n____\n\ninclude::/etc/passwd[]\nimage::x.png[]\n\n////\ncomment\n////\n\nstem:[x^2]\n<<ref>>\n"
)
PAGE = (
    '<!DOCTYPE html><html lang="en"><head><title>Harbour</title><meta name="author" content="Ann">'
    '<meta property="article:published_time" content="2024-01-31"><meta name="keywords" content="a, b">'
    '<script type="application/ld+json">{"@type": "Article", "author": [{"name": "Ann"}], "datePublished": "2024"}'
    "</script><style>p{}</style></head><body><nav><a href=/>Home</a></nav><main><article><h1>Harbour</h1>"
    "<p>It froze in <b>1987</b>.<br>Twice. &amp; &#x6e2f; <a href='https://example.org'>more</a></p><h2>Part</h2>"
    "<ul><li>one<ul><li>two</ul></ul><ol start=3><li>three</ol><pre><code>x = 1</code></pre><blockquote>q</blockquote>"
    "<table><caption>T</caption><thead><tr><th rowspan=2>a<th colspan=2>b</tr><tr><td>1<td>2</tr></thead>"
    "<tr><td colspan=0>1</td><td rowspan=99>2</td></tr></table><dl><dt>t<dd>d</dl><math><mi>x</mi></math>"
    "<svg><text>s</text></svg><img alt='pic' src=x><details><summary>s</summary>d</details>"
    "<p>A long enough paragraph, with commas, so that it is taken for the text of the page and not its furniture.</p>"
    "</article></main><footer>foot</footer></body></html>"
)
FICTION = (
    '<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" '
    'xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><author><first-name>Ann</first-name></author>'
    "<book-title>Harbour</book-title><date value='2024-01-31'>2024</date><lang>en</lang></title-info></description>"
    "<body><title><p>Harbour</p></title><section><title><p>Part</p></title><p>It <emphasis>froze</emphasis> in 1987"
    '<a l:href="#n1" type="note">1</a>.</p><poem><stanza><v>line</v></stanza></poem><table><tr><th>a</th></tr></table>'
    '</section></body><body name="notes"><section id="n1"><p>A note.</p></section></body>'
    '<binary id="a.png" content-type="image/png">AAAA</binary></FictionBook>'
)
RTF = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset134 SimSun;}}{\stylesheet{\s1 heading 1;}}"
    r"{\info{\title Harbour}{\author Ann}{\creatim\yr2024\mo1\dy31}}{\*\unknown x}\pard\s1\outlinelevel0 Harbour\par"
    r"\pard It {\b froze} in 1987\'e9 \u28207?\u-10179? \uc2\u233 ab.\par {\pntext\'B7\tab}\ls1 one\par"
    r"\trowd\cellx1000\cellx2000 a\cell b\cell\row \trowd\cellx1000 1\cell\row\pard {\footnote A note.}\par"
    r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\pict\pngblip 89504e47}\bin3 abc\par \f1\'b8\'db\par}"
)
SUBTITLES = (
    "WEBVTT\n\nNOTE x\n\n1\n00:00:01.000 --> 00:00:02.500 align:start\n<v Ann>It froze.\n\n"
    "00:01.000 --> 00:02.000\n- Yes\n"
)
SUBRIP = "1\n00:00:01,000 --> 00:00:02,500\nIt <i>froze</i>.\n\n2\n01:00:00,000 --> 01:00:01,000\n{\\an8}Again.\n"
SUBVIEWER = "0:00:01.000,0:00:02.000\nIt froze.\n\n0:01:00.000,0:01:02.000\nAgain.\n"
CSV = 'year,ice,"no\nte"\n1987,yes,"a ""b"""\n1988,no,\n,,\n1989;x;y\n'
RECORDS = {"harbour": [{"year": 1987, "ice": True, "at": {"x": 1.5, "y": None}}, {"year": 1988, "tags": ["a", "b"]}]}
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Harbour\n", "It froze.\n"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "source": "print(1)",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
                {"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<table><tr><td>1</table>"}},
                {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mt"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA", "text/latex": ["$x$"]}},
            ],
        },
        {"cell_type": "raw", "source": "raw"},
    ],
    "metadata": {"kernelspec": {"language": "python"}, "language_info": {"name": "python"}, "title": "Harbour"},
    "nbformat": 4,
    "nbformat_minor": 5,
}
QUERY = {"title": "Ice", "columns": ["year", "ice"], "rows": [[1987, "yes"], [1988, None]], "truncated": ""}
MAIL = (
    "From: Ann <ann@example.com>\r\nTo: Bob <bob@example.com>, =?gb2312?B?w/s=?= <c@example.com>\r\n"
    "Subject: =?utf-8?q?Harbour_=E6=B8=AF?=\r\nMIME-Version: 1.0\r\nDate: Mon, 1 Jan 2024 10:00:00 +0100\r\n"
    "Received: from a by b; Mon, 1 Jan 2024 10:00:00 +0100\r\nMessage-ID: <1@example.com>\r\n"
    "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n"
    "--y\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    "It froze=E9 in 1987.=\r\n\r\n> earlier\r\n-- \r\nAnn\r\n--y\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    '<p>It froze.</p>\r\n--y--\r\n--x\r\nContent-Type: text/markdown; name="a.md"\r\n'
    "Content-Disposition: attachment; filename*=utf-8''a%E6%B8%AF.md\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    "IyBBCgpUZXh0Cg==\r\n--x\r\nContent-Type: message/rfc822\r\n\r\nFrom: C <c@example.com>\r\nSubject: inner\r\n\r\n"
    'Text.\r\n--x\r\nContent-Type: application/zip; name="a.zip"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
    "UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAAFAAAAYS50eHRQSwUGAAAAAAEAAQAzAAAAIwAAAAAA\r\n--x--\r\n"
)
MAILBOX = f"From ann Mon Jan  1 10:00:00 2024\r\n{MAIL}\r\nFrom bob Tue Jan  2 10:00:00 2024\r\n{MAIL}"
CODE = (
    '"""Harbour."""\n\nimport os\n\n\nclass Ice:\n    """It froze."""\n\n'
    "    def thaw(self, year):\n        return year == 1987\n"
)
XML = (
    '<?xml version="1.0"?>\n<harbour xmlns="urn:x"><ice year="1987">It froze.</ice>'
    "<!-- c --><![CDATA[<x>]]></harbour>\n"
)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg"><title>Harbour</title><text x="1">It froze.</text><script>1</script></svg>'
)
STYLE = "a, b > c { color: red; }\n@media print {\n  a { x: y }\n}\n"
SCRIPT = "-- Ice\nCREATE TABLE ice (year INT);\nSELECT * FROM ice WHERE year = '1987';\n"
ENCODED = tuple(
    text.encode(name)
    for text, name in (
        ("港口在一九八七年结冰了，人们走过冰面去了对岸。", "gb18030"),
        ("港口在一九八七年结冰了，人们走过冰面去了对岸。", "utf-16"),
        ("港口在一九八七年结冰了，人们走过冰面去了对岸。", "utf-16-be"),
        ("港は一九八七年に凍りました。", "shift_jis"),
        ("港は一九八七年に凍りました。", "iso2022_jp"),
        ("항구가 얼었습니다. 사람들이 걸었습니다.", "cp949"),
        ("Гавань замёрзла в 1987 году, и люди шли по льду.", "koi8-r"),
        ("Der Hafen fror zu – „Eis“.", "cp1252"),
        ("It froze in 1987.", "utf-32"),
    )
)


def as_json(value: object) -> bytes:
    """Return JSON."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def as_lines(values: list[object]) -> bytes:
    """Return one JSON value per line."""
    return b"\n".join(map(as_json, values))
