"""Bundle exporter: a session as one ZIP file that another library can import.

README.txt      description of the bundle
index.html      the session as a web page
session.json    the session as in the JSON export, every run with its log
passages.json   each cited passage: document, position, quote and surrounding chunk
documents.json  each document that was found: name, size, sha256, and its entry in originals/ if there is one
pages/          pictures of the cited pages with the passages highlighted
originals/      the original documents, only if the export includes them
manifest.json   every other file with its size and sha256

The bundle contains no folders of this machine: for a document that was read from a disk, it stores only the name.
"""

import dataclasses
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from workbench.export.base import READING, ExportContext, drawn
from workbench.export.escaping import safe_file_name
from workbench.export.html import page_of
from workbench.export.run_transcript import Footnote, footnotes
from workbench.export.session_json import JsonExporter, as_json, rewritten, to_json
from workbench.language import mark, tr, trn
from workbench.model.hit import Citation, Hit
from workbench.model.run import Run
from workbench.model.session import BUNDLE_SUFFIX, Part, Parts, Session

SCHEMA = "knowledge-workbench/bundle/1"
MANIFEST, SESSION, PASSAGES, DOCUMENTS = "manifest.json", "session.json", "passages.json", "documents.json"
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
            entries.add(SESSION, JsonExporter().render(session, context))
            entries.add(PASSAGES, as_json(passages))
            entries.add(DOCUMENTS, as_json(list(_documents(context, entries))))
            entries.add(MANIFEST, as_json(_manifest(session, context, entries)))


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
