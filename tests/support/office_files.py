"""Small office files, created part by part for structures that no library writes."""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
ODF_NAMES = " ".join(
    f'xmlns:{prefix}="{_ODF}:{name}:1.0"'
    for prefix, name in {
        **{name: name for name in ("office", "text", "table", "style", "presentation", "meta")},
        **{"draw": "drawing", "svg": "svg-compatible"},
    }.items()
)
ODF_NAMES += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP archive of parts by name."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def relations(**targets: str) -> str:
    """Return a part of relations: the last word of the type = the target; the identifiers are the types."""
    entries = "".join(
        f'<Relationship Id="{kind}" Type="{_TYPE}/{kind}" Target="{target}"/>' for kind, target in targets.items()
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{entries}</Relationships>'
    )


def docx(path: Path, body: str, **parts: str) -> Path:
    """Write a Word file with this body; other parts by name without extension: numbering=..., footnotes=..."""
    names = f"{W} {R} {M} {MC}"
    files = {
        "_rels/.rels": relations(officeDocument="word/document.xml"),
        "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(**{name: f"{name}.xml" for name in parts}),
        **{f"word/{name}.xml": content for name, content in parts.items()},
    }
    path.write_bytes(zipped(files))
    return path


def paragraph(text: str, properties: str = "") -> str:
    """Return a Word paragraph."""
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def opendocument(path: Path, kind: str, body: str, *, styles: str = "", meta: str = "", **parts: str) -> Path:
    """Write an OpenDocument file: kind is text, presentation or spreadsheet."""
    files = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document-content {ODF_NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>",
        "meta.xml": f"<office:document-meta {ODF_NAMES}><office:meta>{meta}</office:meta></office:document-meta>",
        **parts,
    }
    path.write_bytes(zipped(files))
    return path
