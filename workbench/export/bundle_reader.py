"""Reader of untrusted bundles and JSON exports; runs in a child process.

No name in the archive becomes a whole path: pictures and folders of originals are numbered here, and the file name of
an original is sanitised. Every entry is checked against the size and hash in the manifest.
"""

import hashlib
import json
import pickle
import re
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import ExportError
from workbench.export.bundle import DOCUMENTS, MANIFEST, PASSAGES, SCHEMA, SESSION
from workbench.export.escaping import safe_file_name
from workbench.export.session_json import from_json, read_session
from workbench.model.session import CitedDocument, Session, SessionInfo
from workbench.parsing.zip_members import DAMAGE, is_damage

MAX_FILE = 16 * 2**30
MAX_ENTRIES = 20_000
MAX_JSON = 256 * 2**20
MAX_PICTURE = 48 * 2**20
MAX_PIXELS = 60_000_000
"""Limit for a page picture; the exporter draws a page with at most 40,000,000 pixels."""
_RATIO = 250
_RATIO_FREE = 32 * 2**20
_PIECE = 1 << 20
_ENCRYPTED = 1
_NAME = re.compile(
    r"README\.txt|index\.html|(?:manifest|session|passages|documents)\.json|pages/\d{1,6}\.png|originals/[^/\\\x00-\x1f]+"
)
_PNG_HEAD = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_EXPORT_AGAIN = "Have it exported again, and bring it here without opening it in another program."


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """Unpacked picture of a cited page; document is the document's number in the bundle."""

    document: int
    page: int
    start: int
    end: int
    file: Path


@dataclass(frozen=True, slots=True)
class UnpackedOriginal:
    """Unpacked original document with the sha256 of its bytes."""

    file: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class BundleContents:
    """Contents of a bundle. Runs are pickled separately, so that unpickling one of them does not block the window."""

    info: SessionInfo
    runs: tuple[bytes, ...]
    documents: tuple[CitedDocument, ...]
    pictures: tuple[KeptPicture, ...] = ()
    originals: tuple[UnpackedOriginal, ...] = ()


def unpack(path: Path, folder: Path, *, with_originals: bool = False) -> BundleContents:
    """Validate a bundle or a JSON export and unpack it into an empty folder.

    Raises:
        ExportError: The file is neither, or it is damaged, changed or too large.
    """
    try:
        size = path.stat().st_size
        if size > MAX_FILE:
            raise ExportError(f"“{path.name}” is too large for a session.", "Export it without the original files.")
        if not zipfile.is_zipfile(path):
            return _from_json_file(path, size)
        with zipfile.ZipFile(path) as archive:
            return _Bundle(archive, path.name).unpacked(folder, with_originals=with_originals)
    except OSError as error:
        if is_damage(error):
            raise _damaged(path) from error
        raise ExportError(
            f"“{path.name}” cannot be read: {error.strerror or error}.", "Choose another file."
        ) from error
    except DAMAGE as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> ExportError:
    return ExportError(f"“{path.name}” is damaged and cannot be read.", _EXPORT_AGAIN)


def _from_json_file(path: Path, size: int) -> BundleContents:
    if size > MAX_JSON:
        raise ExportError(f"“{path.name}” is too large for a session.", "Choose a bundle or a JSON export.")
    data = path.read_bytes()
    if not data.lstrip()[:1] == b"{":
        raise ExportError(
            f"“{path.name}” is neither a bundle nor a JSON export of a session.", "Choose a file ending in .kwbundle."
        )
    session = read_session(data)
    return BundleContents(session.info, _pickle_runs(session), ())


class _Bundle:
    """Open ZIP file whose entries are validated against its manifest."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._name = name
        infos = archive.infolist()
        self._infos = {info.filename: info for info in infos}
        if MANIFEST not in self._infos or SESSION not in self._infos:
            raise self._make_error("is a ZIP file, but no bundle of a session")
        if len(infos) > MAX_ENTRIES:
            raise self._make_error("holds more files than any bundle")
        if len(self._infos) < len(infos):
            raise self._make_error("holds two files of one name")
        for info in infos:
            self._check(info)
        self._hashes = self._manifest()
        self._unpacked_pages: dict[str, Path] = {}

    def unpacked(self, folder: Path, *, with_originals: bool) -> BundleContents:
        """Validate every entry; write the pictures, and the originals if requested."""
        session = read_session(self._read(SESSION, MAX_JSON))
        documents = tuple(self._documents())
        pictures = tuple(self._pictures(folder))
        used = {SESSION, DOCUMENTS, PASSAGES, *self._unpacked_pages}
        originals: list[UnpackedOriginal] = []
        for name in self._hashes:
            if name.startswith("originals/") and with_originals:
                originals.append(self._original(name, folder, len(originals)))
            elif name not in used:
                self._check_contents(name)
        return BundleContents(session.info, _pickle_runs(session), documents, pictures, tuple(originals))

    def _check(self, info: zipfile.ZipInfo) -> None:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if not _NAME.fullmatch(info.filename) or kind not in (0, stat.S_IFREG):
            raise self._make_error(f"holds “{info.filename[:80]}”, which no bundle does")
        if info.flag_bits & _ENCRYPTED:
            raise self._make_error("is locked by a password")
        grows = info.file_size / max(1, info.compress_size)
        if info.file_size > _RATIO_FREE and grows > _RATIO:
            raise self._make_error(f"holds a file that would grow {grows:.0f}-fold when unpacked")

    def _manifest(self) -> dict[str, tuple[int, str]]:
        content = self._json(MANIFEST)
        schema = content.get("schema") if isinstance(content, dict) else None
        if schema != SCHEMA:
            raise ExportError(
                f"“{self._name}” is not a bundle in the form {SCHEMA}.",
                "A later version of the program may have written it.",
            )
        try:
            listed = {str(entry["name"]): (int(entry["bytes"]), str(entry["sha256"])) for entry in content["entries"]}
        except (KeyError, TypeError, ValueError) as error:
            raise self._make_error("has a list of its files that cannot be read") from error
        there = set(self._infos) - {MANIFEST}
        if missing := sorted(set(listed) - there):
            raise self._make_error(f"lacks “{missing[0][:80]}”")
        if unknown := sorted(there - set(listed)):
            raise self._make_error(f"holds “{unknown[0][:80]}”, which its own list does not name")
        return listed

    def _documents(self) -> Iterator[CitedDocument]:
        for entry in self._list_of(DOCUMENTS):
            yield from_json(CitedDocument, entry)

    def _pictures(self, folder: Path) -> Iterator[KeptPicture]:
        for entry in self._list_of(PASSAGES):
            place = [entry.get(name) for name in ("document", "page", "start", "end")]
            document, page, start, end = (number if isinstance(number, int) else -1 for number in place)
            name = entry.get("picture")
            if not isinstance(name, str) or not name or -1 in (page, start, end):
                continue
            if name not in self._hashes or not name.startswith("pages/"):
                raise self._make_error("names a picture that is not in it")
            if name not in self._unpacked_pages:
                file = folder / f"{len(self._unpacked_pages)}.png"
                file.write_bytes(self._picture(name))
                self._unpacked_pages[name] = file
            yield KeptPicture(document, page, start, end, self._unpacked_pages[name])

    def _picture(self, name: str) -> bytes:
        data = self._read(name, MAX_PICTURE)
        width, height = (int.from_bytes(data[place : place + 4], "big") for place in (16, 20))
        if not data.startswith(_PNG_HEAD) or not 0 < width * height <= MAX_PIXELS:
            raise self._make_error(f"holds “{name}”, which is no picture of a page")
        return data

    def _original(self, name: str, folder: Path, number: int) -> UnpackedOriginal:
        target = folder / f"original-{number}" / safe_file_name(name.partition(" ")[2] or name, "")
        target.parent.mkdir()
        with target.open("wb") as file:
            for piece in self._pieces(name):
                file.write(piece)
        _size, sha256 = self._hashes[name]
        return UnpackedOriginal(target, sha256)

    def _check_contents(self, name: str) -> None:
        for _piece in self._pieces(name):
            pass

    def _list_of(self, name: str) -> list[dict[str, Any]]:
        content = self._json(name) if name in self._infos else []
        if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
            raise self._make_error(f"has a “{name}” that cannot be read")
        return content

    def _json(self, name: str) -> Any:
        # The manifest is read before any hashes are known, so it cannot be checked against them.
        data = self._read(name, MAX_JSON) if name != MANIFEST else self._read_unchecked(name, MAX_JSON)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._make_error(f"has a “{name}” that cannot be read") from error

    def _read_unchecked(self, name: str, limit: int) -> bytes:
        if self._infos[name].file_size > limit:
            raise self._make_error(f"holds a “{name}” that is too large")
        with self._archive.open(name) as entry:
            return entry.read(limit + 1)

    def _read(self, name: str, limit: int) -> bytes:
        if self._infos[name].file_size > limit:
            raise self._make_error(f"holds a “{name}” that is too large")
        return b"".join(self._pieces(name))

    def _pieces(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of an entry.

        Raises:
            ExportError: Size or sha256 differ from the manifest.
        """
        size, sha256 = self._hashes[name]
        digest, count = hashlib.sha256(), 0
        with self._archive.open(name) as entry:
            while (piece := entry.read(_PIECE)) and count <= size:
                digest.update(piece)
                count += len(piece)
                yield piece
        if count != size or digest.hexdigest() != sha256:
            raise self._make_error(f"holds a “{name[:80]}” that was changed after it was exported")

    def _make_error(self, what: str) -> ExportError:
        return ExportError(f"“{self._name}” {what}.", _EXPORT_AGAIN)


def _pickle_runs(session: Session) -> tuple[bytes, ...]:
    return tuple(pickle.dumps(run) for run in session.runs)
