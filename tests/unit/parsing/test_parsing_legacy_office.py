"""Legacy office files: converted by LibreOffice if it is installed, otherwise a clear reason; and passwords."""

import os
import sys
from pathlib import Path

import psutil
import pytest
from office_files import docx, paragraph
from parser_contract import assert_contract, parts
from xlsb_file import xlsb

from workbench.errors import DamagedDocument, EncryptedDocument, ParserTimedOut, UnsupportedFormat
from workbench.parsing import libreoffice
from workbench.parsing.legacy_office import DocParser, PptParser, XlsbParser
from workbench.parsing.parse import parse_file
from workbench.parsing.xls_parser import XlsParser
from workbench.system import current

posix = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for LibreOffice is a shell script")


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Install a program named soffice before all others in the path; in it $out is the folder and $in the file."""
    program = folder / "bin" / "soffice"
    program.parent.mkdir()
    head = '#!/bin/sh\nwhile [ "$1" != --outdir ]; do shift; done\nout=$2\nin=$3\n'
    program.write_text(head + script, "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def old_file(folder: Path, name: str = "letter.doc") -> Path:
    path = folder / name
    path.write_bytes(b"\xd0\xcf\x11\xe0 of old")
    return path


def test_the_error_for_legacy_office_files_without_libreoffice_shows_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(current(), "libreoffice", ())
    with pytest.raises(UnsupportedFormat) as caught:
        DocParser().parse(old_file(tmp_path))
    assert caught.value.message == "Reading old Word files (.doc) needs LibreOffice, which is not installed."
    assert "save as .docx" in caught.value.hint
    with pytest.raises(UnsupportedFormat, match="PowerPoint"):
        PptParser().parse(old_file(tmp_path, "talk.ppt"))


def test_the_error_for_binary_excel_files_without_libreoffice_shows_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(current(), "libreoffice", ())
    with pytest.raises(UnsupportedFormat) as caught:
        XlsbParser().parse(xlsb(tmp_path / "sales.xlsb", "Sales", [["Region"]]))
    assert caught.value.message == "Reading binary Excel files (.xlsb) needs LibreOffice, which is not installed."
    assert caught.value.hint == "Open it in Excel and save as .xlsx, or install LibreOffice."


@pytest.mark.skipif(libreoffice.find_libreoffice() is None, reason="LibreOffice is not installed")
def test_binary_excel_is_read_sheet_by_sheet(tmp_path: Path) -> None:
    document = parse_file(
        xlsb(tmp_path / "sales.xlsb", "Sales", [["Region", "Sales"], ["North", 12.0], ["South", 8.5]])
    )
    assert_contract(document)
    assert (document.format, document.metadata.title) == ("xlsb", "sales")
    assert [page.label for page in document.pages] == ["Sales"]
    assert parts(document)[-1][1] == "| Region | Sales |\n| --- | --- |\n| North | 12 |\n| South | 8.5 |"


@posix
def test_converted_file_is_read_and_keeps_its_own_name_and_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = docx(tmp_path / "new.docx", paragraph("Dear Ada"))
    install(tmp_path, monkeypatch, f'cp "{new}" "$out/source.docx"')
    document = DocParser().parse(old_file(tmp_path))
    assert (document.text, document.format, document.metadata.title) == ("Dear Ada", "doc", "letter")


@posix
def test_converter_that_asks_to_be_started_again_is_given_its_profile_under_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = docx(tmp_path / "new.docx", paragraph("Dear Ada"))
    once_more = 'if [ -e "$out/profile1" ]; then cp "{}" "$out/source.docx"; else mkdir "$out/profile0"; exit 81; fi'
    install(tmp_path, monkeypatch, once_more.format(new))
    assert DocParser().parse(old_file(tmp_path)).text == "Dear Ada"


@posix
def test_converter_is_handed_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123456")
    install(tmp_path, monkeypatch, f'env > "{tmp_path}/seen"; exit 1')
    with pytest.raises(DamagedDocument):
        DocParser().parse(old_file(tmp_path))
    assert "canary" not in (tmp_path / "seen").read_text()


@posix
def test_file_that_cannot_be_converted_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "exit 1")
    with pytest.raises(DamagedDocument):
        DocParser().parse(old_file(tmp_path))


@posix
def test_converter_that_hangs_is_ended_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pids"
    install(tmp_path, monkeypatch, f'sleep 600 &\necho $$ $! > "{pids}"\nwait')
    program = libreoffice.find_libreoffice()
    assert program is not None
    with (
        pytest.raises(ParserTimedOut, match="LibreOffice took longer than"),
        libreoffice.allow_seconds(1.5 / libreoffice.SHARE),
        libreoffice.converted(program, old_file(tmp_path), "docx"),
    ):
        pass
    started = [int(pid) for pid in pids.read_text("ascii").split()]
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in started if psutil.pid_exists(pid)], timeout=10)
    assert alive == []


@posix
def test_converter_has_a_profile_of_its_own_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    new = docx(tmp_path / "new.docx", paragraph("x"))
    script = f'cp "{new}" "$out/source.docx"; echo "$0" > "$out/profile"; cp "$in" "{tmp_path}/seen"'
    install(tmp_path, monkeypatch, script)
    DocParser().parse(old_file(tmp_path))
    assert (tmp_path / "seen").read_bytes() == b"\xd0\xcf\x11\xe0 of old"
    assert list(tmp_path.glob("workbench-*")) == []


@pytest.mark.peer_data
@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("password_password_cryptoapi.doc", "password"),
        ("testPPT_protected_passtika.ppt", "tika"),
        ("testEXCEL_protected_passtika.xls", "tika"),
    ],
)
def test_e2_encrypted_old_file_asks_for_its_password(peer_data: Path, name: str, password: str) -> None:
    path = peer_data / "hostile_office" / "protected_or_active" / name
    parser = {".doc": DocParser, ".ppt": PptParser, ".xls": XlsParser}[path.suffix]()
    with pytest.raises(EncryptedDocument, match="protected"):
        parser.parse(path)
    with pytest.raises(EncryptedDocument, match="wrong"):
        parser.parse(path, password="no")
    if path.suffix == ".xls":
        assert parser.parse(path, password=password).text


@pytest.mark.peer_data
@pytest.mark.parametrize("name", ["testEXCEL_4.xls", "testEXCEL_5.xls"])
def test_workbooks_of_all_ages_are_read(peer_data: Path, name: str) -> None:
    document = XlsParser().parse(peer_data / "office" / "tika" / name)
    assert "| --- |" in document.text


@pytest.mark.peer_data
def test_workbook_shows_numbers_as_people_see_them_and_hidden_sheets_too(peer_data: Path) -> None:
    damaged = XlsParser().parse(peer_data / "hostile_office" / "malformed" / "42464-ExpPtg-bad.xls")
    assert damaged.warnings == ("Sheet “List Look-Up” is hidden; it was read too.",)
    assert "| 168,184,400 |" in XlsParser().parse(peer_data / "office" / "tika" / "testEXCEL_4.xls").text
