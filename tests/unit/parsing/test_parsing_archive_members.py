"""Detection of damaged archives, for every compression method."""

import io
import zipfile
from pathlib import Path

import pytest

from workbench.errors import DamagedDocument, DocumentError, ExportError
from workbench.export.bundle import unpack
from workbench.operations.imports.archives import Archives
from workbench.parsing.sniffing import sniff
from workbench.parsing.zip_members import files_of
from workbench.parsing.zip_package import ZipPackage

METHODS = [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def damaged(method: int, *names: str) -> bytes:
    """Return an archive with members that have valid headers and random content."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name in names:
            archive.writestr(name, "Words. " * 400)
    data = bytearray(made.getvalue())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            start = info.header_offset + 30 + len(info.filename)
            data[start : start + info.compress_size] = b"\xff" * info.compress_size
    return bytes(data)


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_member_of_an_archive_is_that_and_nothing_more(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(damaged(method, "a.txt"))
    archives = Archives(tmp_path / "staging")
    (member,) = archives.members(path)
    with pytest.raises(DamagedDocument, match=r"a\.txt” is damaged"), archives.opened(member.path):
        pass
    archives.close()


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_member_of_an_attached_archive_leaves_the_others(method: int) -> None:
    ((name, content),) = files_of(damaged(method, "a.txt"), 10_000, None)
    assert name == "a.txt"
    assert isinstance(content, DocumentError)


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_bundle_is_refused_with_a_sentence(tmp_path: Path, method: int) -> None:
    path = tmp_path / "session.kwbundle"
    path.write_bytes(damaged(method, "manifest.json", "session.json"))
    with pytest.raises(ExportError, match="is damaged and cannot be read"):
        unpack(path, tmp_path)


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_office_document_gives_what_it_still_holds(tmp_path: Path, method: int) -> None:
    data = damaged(method, "mimetype", "[Content_Types].xml", "word/document.xml")
    (tmp_path / "a.docx").write_bytes(data)
    assert sniff(tmp_path / "a.docx") is not None
    package = ZipPackage(data)
    assert package.read("word/document.xml") == b""
    assert package.damaged
