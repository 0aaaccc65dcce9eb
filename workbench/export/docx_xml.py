"""The elements of WordprocessingML as text; whatever comes in is escaped here and nowhere else.

As text, because python-docx takes 0.8 ms for each paragraph that is made with its objects: 30 s for 500 questions.
"""

import html
import re
from collections.abc import Sequence

from workbench.model.visible import visible

_CELL = '<w:tc><w:tcPr><w:tcW w:w="0" w:type="auto"/></w:tcPr>{0}</w:tc>'
_TABLE = (
    '<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="5000" w:type="pct"/>'
    '<w:tblLook w:val="0420" w:firstRow="1" w:noVBand="1"/></w:tblPr>'
)
_TAGS = re.compile("<[^>]*>")
_SHORTEST, _LONGEST = 8, 40
_ACROSS = 9300
"""Twips between the margins of the page."""
_FIELD = '<w:r>{0}<w:fldChar w:fldCharType="{1}"/></w:r>'


def run(
    text: str,
    *,
    bold: bool = False,
    italic: bool = False,
    struck: bool = False,
    style: str = "",
    colour: str = "",
    raised: str = "",
) -> str:
    """Return a run of text; line feeds break the line, tabs are tabs; raised is "superscript" or "subscript"."""
    if not text:
        return ""
    pieces = []
    for number, line in enumerate(visible(text).split("\n")):
        pieces += ["<w:br/>"] if number else []
        for place, part in enumerate(line.split("\t")):
            pieces += ["<w:tab/>"] if place else []
            pieces += [f'<w:t xml:space="preserve">{html.escape(part)}</w:t>'] if part else []
    # In the order of the schema: Word mends a file in which they are not.
    inside = f'<w:rStyle w:val="{style}"/>' if style else ""
    inside += "<w:b/><w:bCs/>" if bold else ""
    inside += "<w:i/><w:iCs/>" if italic else ""
    inside += "<w:strike/>" if struck else ""
    inside += f'<w:color w:val="{colour}"/>' if colour else ""
    inside += f'<w:vertAlign w:val="{raised}"/>' if raised else ""
    return f"<w:r>{f'<w:rPr>{inside}</w:rPr>' if inside else ''}{''.join(pieces)}</w:r>"


def paragraph(runs: str, style: str = "", *, align: str = "", numbering: tuple[int, int] | None = None) -> str:
    """Return a paragraph; numbering is the id of a list and the level in it, from 0."""
    inside = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbering:
        inside += f'<w:numPr><w:ilvl w:val="{numbering[1]}"/><w:numId w:val="{numbering[0]}"/></w:numPr>'
    inside += f'<w:jc w:val="{align}"/>' if align else ""
    return f"<w:p>{f'<w:pPr>{inside}</w:pPr>' if inside else ''}{runs}</w:p>"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of paragraphs, its first row on each page; behind it a line, or the next table would join it."""
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        return ""
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in _widths(rows, columns))
    lines = []
    for number, row in enumerate(rows):
        head = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>" if number == 0 else ""
        cells = "".join(_CELL.format(cell) for cell in [*row, *[paragraph("", "TableText")] * (columns - len(row))])
        lines.append(f"<w:tr>{head}{cells}</w:tr>")
    return f"{_TABLE}<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>{paragraph('', 'TableText')}"


def link(relationship: str, runs: str) -> str:
    """Return a link to the address of a relationship."""
    return f'<w:hyperlink r:id="{relationship}" w:history="1">{runs}</w:hyperlink>'


def note_mark(number: int, label: str) -> str:
    """Return the mark of a footnote, under a name to which later marks of the same one refer."""
    mark = f'<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="{number}"/></w:r>'
    name = _bookmark(label)
    return f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>{mark}<w:bookmarkEnd w:id="{number}"/>'


def note_mark_again(number: int, label: str) -> str:
    """Return a mark that refers to a footnote which has one already, as Word itself writes it."""
    raised = '<w:rPr><w:rStyle w:val="FootnoteReference"/><w:vertAlign w:val="superscript"/></w:rPr>'
    asked = f'<w:r>{raised}<w:instrText xml:space="preserve"> NOTEREF {_bookmark(label)} \\h \\f </w:instrText></w:r>'
    shown = f"<w:r>{raised}<w:t>{number}</w:t></w:r>"
    ends = [_FIELD.format(raised, kind) for kind in ("begin", "separate", "end")]
    return f"{ends[0]}{asked}{ends[1]}{shown}{ends[2]}"


def page_number() -> str:
    """Return "3 / 12" as fields."""
    here, of = (f'<w:fldSimple w:instr="{name}">{run("1")}</w:fldSimple>' for name in ("PAGE", "NUMPAGES"))
    return f"{here}{run(' / ')}{of}"


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[int]:
    """Return the widths of columns by their longest texts; Word goes by the texts itself, LibreOffice by these."""
    longest = [1] * columns
    for row in rows:
        for number, cell in enumerate(row):
            longest[number] = max(longest[number], len(_TAGS.sub("", cell)))
    shares = [min(_LONGEST, max(_SHORTEST, length)) for length in longest]
    return [round(_ACROSS * share / sum(shares)) for share in shares]


def _bookmark(label: str) -> str:
    return "_Note_" + "".join(letter if letter.isalnum() else "_" for letter in label)
