"""Session bundle: exporter of a session as one ZIP file, and the reader by which another library imports it.

README.txt      description of the bundle
index.html      the session as a web page
session.json    the session as in the JSON export, every run with its log
passages.json   each cited passage: document, position, quote and surrounding chunk
documents.json  each document that was found: name, size, sha256, and its entry in originals/ if there is one
pages/          pictures of the cited pages with the passages highlighted
originals/      the original documents, only if the export includes them
manifest.json   every other file with its size and sha256

The bundle contains no folders of this machine: for a document that was read from a disk, it stores only the name.

The reader runs in a child process and trusts no bundle and no JSON export. No name in the archive becomes a whole path:
pictures and folders of originals are numbered here, and the file name of an original is sanitised. Every entry is
checked against the size and hash in the manifest.
"""

import dataclasses
import hashlib
import io
import json
import pickle
import re
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from workbench.errors import ExportError
from workbench.export.base import READING, ExportContext, drawn
from workbench.export.escaping import safe_file_name
from workbench.export.html import page_of
from workbench.export.run_transcript import Footnote, footnotes
from workbench.export.session_json import JsonExporter, as_json, from_json, read_session, rewritten, to_json
from workbench.language import mark, tr, trn
from workbench.model.hit import Citation, Hit
from workbench.model.run import Run
from workbench.model.session import BUNDLE_SUFFIX, CitedDocument, Part, Parts, Session, SessionInfo
from workbench.parsing.zip_members import DAMAGE, is_damage

SCHEMA = "knowledge-workbench/bundle/1"
_MANIFEST, _SESSION, _PASSAGES, _DOCUMENTS = "manifest.json", "session.json", "passages.json", "documents.json"
_LINKED_POLICY = (
    "default-src 'none'; img-src data: 'self' file:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 20
_README = mark("""{title}

This is a session of Knowledge Workbench {version}, exported {exported}: {questions} with the answers,
the passages they cite and pictures of the cited pages.

To read it: open index.html in a browser. Nothing is loaded from anywhere.
To go on with it: in Knowledge Workbench choose File, Import session, or drop the file on the window.

session.json    everything that was recorded, one entry a question, each with its log
passages.json   the cited passages with their documents and places
documents.json  the documents with the sha256 of their files
manifest.json   every file in here with its sha256
""")


class BundleExporter:
    """Exporter of bundles."""

    format: ClassVar[str] = "kwbundle"
    suffix: ClassVar[str] = BUNDLE_SUFFIX
    title: ClassVar[str] = mark("Bundle")
    description: ClassVar[str] = mark("For another Knowledge Workbench, with the cited pages.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS, Part.ORIGINALS}
    usual: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file; the same session and time give the same bytes."""
        out = io.BytesIO()
        self.write(session, context, out)
        return out.getvalue()

    def write(self, session: Session, context: ExportContext, file: BinaryIO) -> None:
        """Write the file incrementally: originals may not fit in memory."""
        session = without_folders(session)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            entries = _Entries(archive)
            pictures = _Pictures(entries, context)
            passages = list(_passages(session, pictures))
            entries.add("README.txt", _readme(session, context))
            entries.add("index.html", page_of(session, context, pictures, policy=_LINKED_POLICY))
            entries.add(_SESSION, JsonExporter().render(session, context))
            entries.add(_PASSAGES, as_json(passages))
            entries.add(_DOCUMENTS, as_json(list(_documents(context, entries))))
            entries.add(_MANIFEST, as_json(_manifest(session, context, entries)))


class _Entries:
    """Writer of archive entries that records their sizes and hashes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.written: list[dict[str, Any]] = []

    def add(self, name: str, data: bytes) -> None:
        self._archive.writestr(_zip_info(name), data)
        self.written.append({"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})

    def add_file(self, name: str, path: Path) -> None:
        digest, size = hashlib.sha256(), 0
        with path.open("rb") as source, self._archive.open(_zip_info(name), "w", force_zip64=True) as target:
            while piece := source.read(_PIECE):
                target.write(piece)
                digest.update(piece)
                size += len(piece)
        self.written.append({"name": name, "bytes": size, "sha256": digest.hexdigest()})


class _Pictures:
    """Page images stored as archive entries, each passage once."""

    def __init__(self, entries: _Entries, context: ExportContext) -> None:
        self._entries = entries
        self._draw = context.page_image
        self._names: dict[tuple[int | None, int | None, int, int], str] = {}

    def address(self, note: Footnote) -> str:
        """Return the entry name of a citation's page; empty if there is none."""
        citation = note.citation
        key = (citation.document, citation.page, citation.start, citation.end)
        if key not in self._names:
            png = drawn(self._draw, citation)
            self._names[key] = ""
            if png:
                self._names[key] = f"pages/{sum(map(bool, self._names.values())) + 1:04d}.png"
                self._entries.add(self._names[key], png)
        return self._names[key]


def _zip_info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info


def _passages(session: Session, pictures: _Pictures) -> Iterator[dict[str, Any]]:
    for number, run in enumerate(session.runs, start=1):
        for note in footnotes(run, number=number):
            citation = note.citation
            yield {
                "question": number,
                "source": citation.marker,
                "document": citation.document,
                "document_name": citation.document_name,
                "passage_sha256": citation.sha256,
                "place": citation.place,
                "lines": citation.lines.words if citation.lines is not None else "",
                "page": citation.page,
                "start": citation.start,
                "end": citation.end,
                "quote": citation.quote,
                "passage": _surrounding_chunk(run, citation),
                "picture": pictures.address(note),
            }


def _surrounding_chunk(run: Run, citation: Citation) -> str:
    """Return the whole chunk that contains a cited passage; empty if the searches are left out."""
    hits = (numbered.hit for reference in run.references for numbered in reference.hits)
    return next((hit.chunk.text for hit in hits if hit.chunk.id == citation.chunk), "")


def _documents(context: ExportContext, entries: _Entries) -> Iterator[dict[str, Any]]:
    originals = dict(context.originals)
    for document in context.documents:
        entry = ""
        if path := originals.get(document.sha256):
            entry = f"originals/{document.sha256[:12]} {safe_file_name(document.name, '')}"
            if all(written["name"] != entry for written in entries.written):
                entries.add_file(entry, path)
        yield {**to_json(document), "original": entry}


def _manifest(session: Session, context: ExportContext, entries: _Entries) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "program": {"name": "Knowledge Workbench", "version": context.version},
        "exported": context.exported,
        "library": context.library,
        "title": session.info.title,
        "questions": len(session.runs),
        "entries": entries.written,
    }


def _readme(session: Session, context: ExportContext) -> bytes:
    text = tr(
        _README,
        title=safe_file_name(session.info.title, ""),
        version=context.version,
        exported=context.exported,
        questions=trn("{n} question", "{n} questions", len(session.runs)),
    )
    return text.replace("\n", "\r\n").encode("utf-8")


_ON_A_DISK = re.compile(r"^(?:/|[A-Za-z]:[\\/]|\\\\|~|file:)")


def without_folders(session: Session) -> Session:
    """Return a session in which the paths of documents on disk are replaced by their names; web addresses stay."""
    changed: Session = rewritten(session, _without_folder)
    return changed


def _without_folder(value: Any) -> Any:
    if isinstance(value, Citation | Hit) and _ON_A_DISK.match(value.path):
        return dataclasses.replace(value, path=value.document_name)
    return value


_MAX_FILE = 16 * 2**30
_MAX_ENTRIES = 20_000
_MAX_JSON = 256 * 2**20
_MAX_PICTURE = 48 * 2**20
_MAX_PIXELS = 60_000_000
"""Limit for a page picture; the exporter draws a page with at most 40,000,000 pixels."""
_RATIO = 250
_RATIO_FREE = 32 * 2**20
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
        if size > _MAX_FILE:
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
    if size > _MAX_JSON:
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
        if _MANIFEST not in self._infos or _SESSION not in self._infos:
            raise self._make_error("is a ZIP file, but no bundle of a session")
        if len(infos) > _MAX_ENTRIES:
            raise self._make_error("holds more files than any bundle")
        if len(self._infos) < len(infos):
            raise self._make_error("holds two files of one name")
        for info in infos:
            self._check(info)
        self._hashes = self._manifest()
        self._unpacked_pages: dict[str, Path] = {}

    def unpacked(self, folder: Path, *, with_originals: bool) -> BundleContents:
        """Validate every entry; write the pictures, and the originals if requested."""
        session = read_session(self._read(_SESSION, _MAX_JSON))
        documents = tuple(self._documents())
        pictures = tuple(self._pictures(folder))
        used = {_SESSION, _DOCUMENTS, _PASSAGES, *self._unpacked_pages}
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
        content = self._json(_MANIFEST)
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
        there = set(self._infos) - {_MANIFEST}
        if missing := sorted(set(listed) - there):
            raise self._make_error(f"lacks “{missing[0][:80]}”")
        if unknown := sorted(there - set(listed)):
            raise self._make_error(f"holds “{unknown[0][:80]}”, which its own list does not name")
        return listed

    def _documents(self) -> Iterator[CitedDocument]:
        for entry in self._list_of(_DOCUMENTS):
            yield from_json(CitedDocument, entry)

    def _pictures(self, folder: Path) -> Iterator[KeptPicture]:
        for entry in self._list_of(_PASSAGES):
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
        data = self._read(name, _MAX_PICTURE)
        width, height = (int.from_bytes(data[place : place + 4], "big") for place in (16, 20))
        if not data.startswith(_PNG_HEAD) or not 0 < width * height <= _MAX_PIXELS:
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
        data = self._read(name, _MAX_JSON) if name != _MANIFEST else self._read_unchecked(name, _MAX_JSON)
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
