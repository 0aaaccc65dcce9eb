"""A small XPS document, written part by part, with a built-in font of PyMuPDF."""

from collections.abc import Sequence
from pathlib import Path

from office_files import zipped

from workbench.parsing.mupdf import mupdf

_SCHEMA = "http://schemas.microsoft.com/xps/2005/06"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_CORE = (
    f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:creator>Ada Lee</dc:creator></cp:coreProperties>"
)
_RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="a" Type="{_SCHEMA}/fixedrepresentation" Target="/main.fdseq"/>'
    f'<Relationship Id="b" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
    "</Relationships>"
)


def xps(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """Write a document with the given lines on each page."""
    contents = "".join(f'<PageContent Source="/{number}.fpage"/>' for number in range(len(pages)))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": _RELATIONS,
        "docProps/core.xml": _CORE,
        "main.fdseq": f'<FixedDocumentSequence xmlns="{_SCHEMA}"><DocumentReference Source="/main.fdoc"/>'
        "</FixedDocumentSequence>",
        "main.fdoc": f'<FixedDocument xmlns="{_SCHEMA}">{contents}</FixedDocument>',
        "font.ttf": mupdf().Font("helv").buffer,
    }
    for number, lines in enumerate(pages):
        glyphs = "".join(
            f'<Glyphs Fill="#ff000000" FontUri="/font.ttf" FontRenderingEmSize="16" OriginX="96" '
            f'OriginY="{96 + 24 * row}" UnicodeString="{line}"/>'
            for row, line in enumerate(lines)
        )
        parts[f"{number}.fpage"] = f'<FixedPage xmlns="{_SCHEMA}" Width="816" Height="1056">{glyphs}</FixedPage>'
    path.write_bytes(zipped(parts))
    return path
