"""Choice of the parser for a file, and the error if there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.errors import DamagedDocument, EmptyDocument, MissingFile, UnreadableFile, UnsupportedFormat
from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.parsing import parse
from workbench.parsing.formats import ADVICE, CATALOGUE, FormatEntry, suffixes_of
from workbench.parsing.parse import parse_file
from workbench.parsing.parser_registry import (
    PARSERS,
    current_version,
    endings_by_family,
    parser_for,
    suffix_of,
    supported_families,
    supported_suffixes,
)


def made(tmp_path: Path, name: str, content: bytes = b"some text") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.MD", b"# A", "markdown"),
        ("a.Txt", b"a", "text"),
        ("A.HTM", b"<p>a", "html"),
        ("a.PDF", b"%PDF-1.7", "pdf"),
        ("README", b"a", "text"),
        ("page", b"<!DOCTYPE html><p>a", "html"),
        ("report", b"%PDF-1.7", "pdf"),
        ("named.pdf", b"<html><p>a", "html"),
        ("named.md", b"%PDF-1.7", "pdf"),
        ("about-pdf.txt", b"Each file starts with %PDF-", "text"),
        ("about-pdf.md", b"Each file starts with %PDF-", "markdown"),
        ("Letter to Dr. Smith", b"Dear Sir", "text"),
        ("Plan 2.0", b"First", "text"),
        ("named.doc", b"<html><p>a", "html"),
        ("export.doc", b"plain words", "text"),
    ],
)
def test_e1_parser_is_chosen_by_name_and_content(tmp_path: Path, name: str, content: bytes, format: str) -> None:
    assert parser_for(made(tmp_path, name, content)).format == format


@pytest.mark.parametrize("name", ["a.exe", "a.xyz", "a.v2.dll"])
def test_e1_unsupported_suffix_is_refused_with_what_is_taken(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        parse_file(made(tmp_path, name))
    assert all(family in caught.value.hint for family in supported_families())
    assert len(caught.value.hint) < 400


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.xlw", "save it as .xlsx."),
        ("a.Pages", "choose File > Export To > Word."),
        ("a.numbers", "choose File > Export To > Excel."),
        ("a.key", "choose File > Export To > PowerPoint."),
        ("a.djvu", "save it as PDF."),
        ("a.mobi", "Convert it to EPUB"),
        ("a.odg", "save it as PDF."),
        ("a.wps", "save it as .docx."),
        ("a.dwg", "print it to a PDF."),
        ("a.tar.gz", "Unpack it and add the folder."),
        ("a.rar", "Unpack it and add the folder."),
        ("a.mp3", "Only written text"),
        ("a.heic", "save it as PNG."),
    ],
)
def test_e1_an_unsupported_format_is_rejected_with_advice_on_what_to_do(tmp_path: Path, name: str, advice: str) -> None:
    with pytest.raises(UnsupportedFormat, match=r"^Files ending in “\.[a-z0-9.]+” \(.+\) cannot be read\. ") as caught:
        parse_file(made(tmp_path, name))
    assert advice in caught.value.hint
    assert len(str(caught.value)) < 160


def test_no_ending_is_both_read_and_refused() -> None:
    assert not supported_suffixes() & ADVICE.keys()


def test_the_families_hold_every_ending_once() -> None:
    suffixes = [suffix for family in endings_by_family().values() for suffix in family]
    assert sorted(suffixes) == sorted({*supported_suffixes(), ".zip"})
    assert set(endings_by_family()) == set(supported_families())


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.web.html", ".web.html"), ("a.v2.MD", ".md"), ("Plan 2.0", ""), ("Letter to Dr. Smith", ""), ("a.exe", ".exe")],
)
def test_the_ending_of_a_name_is_decided_in_one_place(name: str, suffix: str) -> None:
    assert suffix_of(Path(name)) == suffix


def test_every_format_has_a_family_and_a_version() -> None:
    assert not [family for family in supported_families() if family.startswith(".")]
    assert all(current_version(format) >= 1 for format in PARSERS.names())
    assert current_version("unheard of") == 0


@pytest.mark.parametrize("declared", CATALOGUE, ids=lambda declared: declared.format)
def test_an_entry_of_the_catalogue_leads_to_the_parser_of_its_format(declared: FormatEntry) -> None:
    parser = PARSERS.get(declared.format)
    assert parser.format == declared.format
    assert parser.suffixes == frozenset(declared.suffixes.split()) == suffixes_of(declared.format)
    assert declared.unit in ("", "lines", "rows", "messages")


def test_knowing_the_endings_imports_no_parser() -> None:
    code = (
        "import sys; from workbench.parsing.parser_registry import supported_families, supported_suffixes;"
        "supported_families(); supported_suffixes();"
        "print([name for name in sys.modules if name.startswith('workbench') and name.endswith('_parser')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_two_parsers_claim_one_suffix() -> None:
    claimed = [suffix for parser in PARSERS for suffix in parser.suffixes]
    assert sorted(claimed) == sorted(supported_suffixes())


def test_misnamed_page_is_read_with_a_warning(tmp_path: Path) -> None:
    document = parse_file(made(tmp_path, "a.pdf", b"<html><body><p>I am HTML</p></body></html>"))
    assert document.text == "I am HTML"
    assert "HTML" in document.warnings[0]


def test_archive_named_as_a_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument, match="ZIP"):
        parse_file(made(tmp_path, "a.pdf", b"PK\x03\x04 and so on"))


def test_a_missing_file_an_empty_file_and_a_folder_raise_different_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        parse_file(tmp_path / "none.txt")
    with pytest.raises(EmptyDocument, match="0 bytes"):
        parse_file(made(tmp_path, "zero.pdf", b""))
    with pytest.raises(UnreadableFile):
        parse_file(tmp_path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_forbidden_file_is_unreadable(tmp_path: Path) -> None:
    path = made(tmp_path, "a.txt")
    path.chmod(0)
    with pytest.raises(UnreadableFile):
        parse_file(path)


def test_parser_s_own_bug_becomes_a_damaged_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stumbling:
        format = "text"

        def parse(self, path: Path, *, password: str | None = None) -> None:
            raise KeyError("inner")

    monkeypatch.setattr(parse, "parser_for", lambda _: Stumbling())
    with pytest.raises(DamagedDocument, match="damaged"):
        parse_file(made(tmp_path, "a.txt"))


@pytest.mark.parametrize("name", ["it's “quoted”.txt", "a\nb.txt", "x\u202etxt.exe.txt", "ä" * 120 + ".txt"])
def test_awkward_names_are_read(tmp_path: Path, name: str) -> None:
    document = parse_file(made(tmp_path, name))
    assert document.text == "some text"
    assert document.metadata.title


class MorseParser:
    """Unknown format, as provided by a package."""

    format = "morse"
    suffixes = frozenset({".morse"})
    version = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        text = {"...": "S", "---": "O"}
        read = "".join(text[sign] for sign in path.read_text().split())
        return ParsedDocument(read, (Block(BlockKind.PARAGRAPH, 0, len(read)),), (), Metadata(title=path.stem), "morse")


def test_e48_a_new_format_is_added_by_registering_one_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = made(tmp_path, "call.MORSE", b"... --- ...")
    with pytest.raises(UnsupportedFormat):
        parse_file(file)
    monkeypatch.setattr(PARSERS, "_makers", dict(PARSERS._makers))
    PARSERS.register("morse", MorseParser)
    assert parse_file(file).text == "SOS"
    assert ".morse" in supported_suffixes()
    assert current_version("morse") == 1
