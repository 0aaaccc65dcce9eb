"""Package of an exported Word document: styles, lists, footnotes and pictures.

The only external relationships are plain links to web and mail addresses: no template, picture or object is ever
loaded from elsewhere. There are no macros, and no fields except page numbers and references to footnotes.

The body is written as XML text, because python-docx takes 0.8 ms for each paragraph built with its objects: 30 s for
500 questions.
"""

import html
import io
import re
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Emu, Pt, RGBColor
from lxml import etree

from workbench.export.escaping import one_line
from workbench.export.rendering import table_size
from workbench.export.text_lines import column_widths
from workbench.language import language
from workbench.model.visible import visible

_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s<>\"]+", re.IGNORECASE)
_LEVELS = range(9)
_BULLETS = "•◦▪"
_INDENT = 360
"""Twips by which each level of a list is indented."""
_PAGE_BOOKMARKS = 100_000
"""Greatest id of a bookmark of a footnote; those of the pages are above it."""
_ABSTRACT = (901, 902)
_TALLEST = Cm(10)
_WIDEST = Cm(7.2)
"""Size of the picture of a page: two beside each other, two rows on a page."""
_FRAME = '<a:ln {0} w="6350"><a:solidFill><a:srgbClr val="C9D0D6"/></a:solidFill></a:ln>'
_EPOCH = (1980, 1, 1, 0, 0, 0)


class DocxPackage:
    """Document to which lists, links, pictures and footnotes are added while its body is written."""

    def __init__(self) -> None:
        self._document = Document()
        dress(self._document)
        self._notes: list[str] = []
        self._numbering: Any = self._document.part.numbering_part.element
        self._begin_lists()
        self._lists = max((int(one.numId) for one in self._numbering.num_lst), default=0)
        self._pictures = 0

    def new_list(self, is_ordered: bool, first: int) -> int:
        """Add a list that counts from first; return its number."""
        self._lists += 1
        start = f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{first}"/></w:lvlOverride>' if is_ordered else ""
        made = f'<w:num {nsdecls("w")} w:numId="{self._lists}"><w:abstractNumId w:val="{_ABSTRACT[is_ordered]}"/>'
        self._numbering.append(parse_xml(f"{made}{start}</w:num>"))
        return self._lists

    def address(self, href: str) -> str:
        """Return the relationship id of a link; anything but a web or mail address becomes about:blank."""
        known = href if _ADDRESS.fullmatch(href) else "about:blank"
        return str(self._document.part.relate_to(known, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))

    def picture(self, png: bytes, description: str) -> str:
        """Return a run that contains the picture of a page in a frame."""
        inline: Any = self._document.part.new_pic_inline(io.BytesIO(png), None, None)
        scale = min(1.0, _WIDEST / inline.extent.cx, _TALLEST / inline.extent.cy)
        width, height = Emu(int(inline.extent.cx * scale)), Emu(int(inline.extent.cy * scale))
        inline.extent.cx, inline.extent.cy = width, height
        shape = inline.graphic.graphicData.pic.spPr
        shape.cx, shape.cy = width, height
        shape.append(parse_xml(_FRAME.format(nsdecls("a"))))
        self._pictures += 1
        inline.docPr.id, inline.docPr.name = self._pictures, f"Page {self._pictures}"
        inline.docPr.set("descr", one_line(description))
        return f"<w:r><w:drawing>{etree.tostring(inline, encoding='unicode')}</w:drawing></w:r>"

    def add_note(self, paragraphs: str) -> int:
        """Store the text of a footnote and return its number."""
        self._notes.append(paragraphs)
        return len(self._notes)

    def finished(self, body: str, title: str, version: str, exported: str) -> bytes:
        """Return the bytes of the file."""
        element = self._document.element.body
        section = element.sectPr
        for block in parse_xml(f"<w:body {nsdecls('w', 'r', 'wp', 'a', 'pic')}>{body}</w:body>"):
            section.addprevious(block)
        self._put_notes()
        footer = self._document.sections[0].footer
        footer.is_linked_to_previous = False
        made = parse_xml(f"<w:ftr {nsdecls('w')}>{paragraph(page_number(), 'Footer', align='center')}</w:ftr>")
        footer._element.replace(footer._element.p_lst[0], made[0])
        self._put_properties(title, version, exported)
        out = io.BytesIO()
        self._document.save(out)
        return _without_times(out.getvalue())

    def _begin_lists(self) -> None:
        for number, is_ordered in zip(_ABSTRACT, (False, True), strict=True):
            levels = "".join(_level(level, is_ordered) for level in _LEVELS)
            made = f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{number}"><w:multiLevelType w:val="multilevel"/>'
            # Every abstract list must precede the first list that uses one.
            self._numbering.insert(0, parse_xml(f"{made}{levels}</w:abstractNum>"))

    def _put_notes(self) -> None:
        if not self._notes:
            return
        rules = (("separator", -1), ("continuationSeparator", 0))
        notes = [
            f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{kind}/></w:r></w:p></w:footnote>'
            for kind, number in rules
        ]
        notes += [f'<w:footnote w:id="{n}">{text}</w:footnote>' for n, text in enumerate(self._notes, start=1)]
        head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        text = f"{head}<w:footnotes {nsdecls('w', 'r')}>{''.join(notes)}</w:footnotes>"
        name, kind = PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES
        part = Part(name, kind, text.encode("utf-8"), self._document.part.package)
        self._document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
        ids = "".join(f'<w:footnote w:id="{number}"/>' for _, number in rules)
        settings = self._document.settings.element
        made = parse_xml(f"<w:footnotePr {nsdecls('w')}>{ids}</w:footnotePr>")
        settings.find(qn("w:compat")).addprevious(made)

    def _put_properties(self, title: str, version: str, exported: str) -> None:
        known = self._document.core_properties
        known.title = one_line(title)[:250]
        known.author = f"Knowledge Workbench {version}"
        known.language = language().replace("_", "-")
        known.last_modified_by = known.comments = known.keywords = ""
        known.created = known.modified = _moment(exported)
        package = self._document.part.package
        for key, relation in list(package.rels.items()):
            if relation.reltype.endswith("/thumbnail"):
                # The thumbnail belongs to python-docx's template.
                del package.rels[key]


def _level(level: int, is_ordered: bool) -> str:
    mark = f"%{level + 1}." if is_ordered else _BULLETS[level % len(_BULLETS)]
    kind = "decimal" if is_ordered else "bullet"
    left = _INDENT * (level + 1)
    return (
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{mark}"/>'
        f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{left}" w:hanging="{_INDENT}"/></w:pPr></w:lvl>'
    )


def _moment(iso: str) -> datetime:
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).replace(tzinfo=None)
    except ValueError:
        return datetime(*_EPOCH[:3])


def _without_times(data: bytes) -> bytes:
    """Return the ZIP file with all member times set to 1980, so that the same session gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            target.writestr(info, source.read(name))
    return out.getvalue()


_LATIN, _CHINESE, _MONO = "Calibri", "Microsoft YaHei", "Consolas"
_INK = RGBColor(0x1D, 0x21, 0x27)
_SOFT = RGBColor(0x5C, 0x65, 0x70)
_ACCENT = RGBColor(0x17, 0x56, 0x5D)
_WARN = RGBColor(0x8A, 0x33, 0x18)
_GROUND = "F0F2F4"

_PARAGRAPHS = (
    # name, based on, size, colour, before, after
    ("Meta", "Normal", 8.5, _SOFT, 0, 4),
    ("Remark", "Normal", 10, _WARN, 2, 4),
    ("Code", "Normal", 8.5, _INK, 3, 6),
    ("Table Text", "Normal", 9.5, _INK, 1, 1),
    ("Table Text Many", "Table Text", 8, _INK, 1, 1),
    ("Table Text Most", "Table Text", 6.5, _INK, 0, 0),
    ("Rule", "Normal", 4, _INK, 2, 6),
    ("footnote text", "Normal", 9, _INK, 0, 2),
)
_HEADINGS = (
    ("Title", 22, _INK, 0, 4),
    ("Heading 1", 15, _ACCENT, 18, 3),
    ("Heading 2", 13, _ACCENT, 14, 3),
    ("Heading 3", 11.5, _INK, 10, 2),
    ("Heading 4", 10.5, _INK, 8, 2),
    ("Heading 5", 10.5, _SOFT, 8, 2),
)
_TEXTS = (
    # name, size, colour; 0 and None inherit from the surrounding text
    ("Hyperlink", 0, _ACCENT),
    ("Code Text", 9.5, None),
    ("Wrong", 0, _WARN),
    ("footnote reference", 0, _ACCENT),
)


def dress(document: Any) -> None:
    """Set the page size, margins and styles of a new python-docx document."""
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.3)
    section.top_margin = section.bottom_margin = Cm(2.2)
    _set_languages(document)
    _leave_compatibility_mode(document)
    _set_style(document.styles["Normal"], 10.5, _INK, 0, 6)
    for name, size, colour, before, after in _HEADINGS:
        _set_style(document.styles[name], size, colour, before, after)
    for name, based, size, colour, before, after in _PARAGRAPHS:
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles[based]
        _set_style(style, size, colour, before, after, mono=name == "Code")
    document.styles["Meta"].paragraph_format.keep_with_next = True
    for name, size, text_colour in _TEXTS:
        style = document.styles.add_style(name, WD_STYLE_TYPE.CHARACTER)
        if size:
            _set_fonts(style, _MONO)
            style.font.size = Pt(size)
        if text_colour is not None:
            style.font.color.rgb = text_colour
    document.styles["Hyperlink"].font.underline = True
    document.styles["footnote reference"].font.superscript = True
    _shade(document.styles["Code"])
    _rule(document.styles["Rule"], "bottom")
    _rule(document.styles["Title"], "bottom")
    _rule(document.styles["Quote"], "left")
    _colour_borders(document.styles["Table Grid"])
    caption = document.styles["Caption"]
    _set_style(caption, 8.5, _SOFT, 2, 10)
    caption.font.bold = False
    quote = document.styles["Quote"]
    _set_style(quote, 10, _INK, 2, 4)
    quote.font.italic = False
    quote.paragraph_format.left_indent = Cm(0.5)


def _set_style(style: Any, size: float, colour: RGBColor, before: float, after: float, *, mono: bool = False) -> None:
    _set_fonts(style, _MONO if mono else _LATIN)
    style.font.size = Pt(size)
    style.font.color.rgb = colour
    style.paragraph_format.space_before = Pt(before)
    style.paragraph_format.space_after = Pt(after)


def _set_fonts(style: Any, latin: str) -> None:
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for name in list(fonts.attrib):
        # A theme font would take precedence over a named font.
        del fonts.attrib[name]
    for script, font in (("ascii", latin), ("hAnsi", latin), ("cs", latin), ("eastAsia", _CHINESE)):
        fonts.set(qn(f"w:{script}"), font)


def _set_languages(document: Any) -> None:
    """Set the language of East Asian text, which is Japanese in python-docx's template."""
    for used in (
        *document.styles.element.iter(qn("w:lang")),
        *document.settings.element.iter(qn("w:themeFontLang")),
    ):
        used.set(qn("w:eastAsia"), "zh-CN")


def _leave_compatibility_mode(document: Any) -> None:
    """Lay the document out like current versions of Word, which otherwise show “Compatibility Mode” in their title."""
    for setting in document.settings.element.iter(qn("w:compatSetting")):
        if setting.get(qn("w:name")) == "compatibilityMode":
            setting.set(qn("w:val"), "15")


def _colour_borders(style: Any) -> None:
    for border in style.element.find(f".//{qn('w:tblBorders')}"):
        border.set(qn("w:color"), "C9D0D6")


def _shade(style: Any) -> None:
    ground = parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="{_GROUND}"/>')
    _insert_before(style, ground, "w:spacing", "w:ind", "w:jc")


def _rule(style: Any, side: str) -> None:
    line = f'<w:{side} w:val="single" w:sz="{6 if side == "bottom" else 18}" w:space="6" w:color="C9D6D8"/>'
    for old in style.element.get_or_add_pPr().findall(qn("w:pBdr")):
        style.element.pPr.remove(old)
    _insert_before(style, parse_xml(f"<w:pBdr {nsdecls('w')}>{line}</w:pBdr>"), "w:shd", "w:spacing", "w:ind", "w:jc")


def _insert_before(style: Any, element: Any, *followers: str) -> None:
    """Insert an element where the schema requires it: Word offers to repair a file with properties out of order."""
    properties = style.element.get_or_add_pPr()
    found = [child for child in properties if child.tag in {qn(name) for name in followers}]
    found[0].addprevious(element) if found else properties.append(element)


_CELL = '<w:tc><w:tcPr><w:tcW w:w="{0}" w:type="dxa"/>{1}</w:tcPr>{2}</w:tc>'
_HEAD_CELL = f'<w:shd w:val="clear" w:color="auto" w:fill="{_GROUND}"/>'
_TABLE = (
    '<w:tbl><w:tblPr>{0}<w:tblW w:w="5000" w:type="pct"/>'
    '<w:tblCellMar><w:left w:w="80" w:type="dxa"/><w:right w:w="80" w:type="dxa"/></w:tblCellMar>'
    '<w:tblLook w:val="0420" w:firstRow="1" w:noVBand="1"/></w:tblPr><w:tblGrid>{1}</w:tblGrid>{2}</w:tbl>{3}'
)
_GRID = '<w:tblStyle w:val="TableGrid"/>'
_WORDS = re.compile(r"<w:t(?: [^>]*)?>([^<]*)</w:t>")
_ROOM = {"few": 86, "many": 102, "most": 126}
"""Letters between the margins of the page, by the size of the type of a table."""
_TEXT_WIDTH = 9300
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
    """Return a run of text, with line feeds as breaks and tabs as tabs; raised is "superscript" or "subscript"."""
    if not text:
        return ""
    pieces = []
    for number, line in enumerate(visible(text).split("\n")):
        pieces += ["<w:br/>"] if number else []
        for place, part in enumerate(line.split("\t")):
            pieces += ["<w:tab/>"] if place else []
            pieces += [f'<w:t xml:space="preserve">{html.escape(part)}</w:t>'] if part else []
    # The order is that of the schema; Word offers to repair a file with another order.
    inside = f'<w:rStyle w:val="{style}"/>' if style else ""
    inside += "<w:b/><w:bCs/>" if bold else ""
    inside += "<w:i/><w:iCs/>" if italic else ""
    inside += "<w:strike/>" if struck else ""
    inside += f'<w:color w:val="{colour}"/>' if colour else ""
    inside += f'<w:vertAlign w:val="{raised}"/>' if raised else ""
    return f"<w:r>{f'<w:rPr>{inside}</w:rPr>' if inside else ''}{''.join(pieces)}</w:r>"


def paragraph(
    runs: str,
    style: str = "",
    *,
    align: str = "",
    numbering: tuple[int, int] | None = None,
    indent: int = 0,
    stays_with_next: bool = False,
    is_whole: bool = False,
) -> str:
    """Return a paragraph.

    Args:
        runs: Its contents.
        style: Id of its style.
        align: "right" or "center".
        numbering: Id of a list, and the level in it, starting at 0.
        indent: Number of lists that contain the paragraph, if it has no number or bullet of its own.
        stays_with_next: No page ends between this paragraph and the next one.
        is_whole: No page ends within the paragraph.
    """
    # The order is that of the schema.
    inside = f'<w:pStyle w:val="{style}"/>' if style else ""
    inside += "<w:keepNext/>" if stays_with_next else ""
    inside += "<w:keepLines/>" if is_whole else ""
    if numbering:
        inside += f'<w:numPr><w:ilvl w:val="{numbering[1]}"/><w:numId w:val="{numbering[0]}"/></w:numPr>'
    inside += f'<w:ind w:left="{_INDENT * indent}"/>' if indent and not numbering else ""
    inside += f'<w:jc w:val="{align}"/>' if align else ""
    return f"<w:p>{f'<w:pPr>{inside}</w:pPr>' if inside else ''}{runs}</w:p>"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of paragraphs whose first row, its head, repeats on each page; no row is divided.

    An empty paragraph follows the table, because Word would join two adjacent tables.
    """
    columns = max((len(row) for row in rows), default=0)
    return _table(rows, _widths(rows, columns), style=_GRID, head=_HEAD_CELL) if columns else ""


def picture_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of pictures without lines, its columns equally wide; no row is divided."""
    columns = max(len(row) for row in rows)
    return _table(rows, [_TEXT_WIDTH // columns] * columns)


def _table(rows: Sequence[Sequence[str]], widths: Sequence[int], *, style: str = "", head: str = "") -> str:
    """Return a table; style is its style element, and head the property of the cells of its head, if it has one."""
    lines = []
    for number, row in enumerate(rows):
        cells = [*row, *[paragraph("", "TableText")] * (len(widths) - len(row))]
        look = head if number == 0 else ""
        made = "".join(_CELL.format(width, look, cell) for width, cell in zip(widths, cells, strict=True))
        lines.append(f"<w:tr><w:trPr><w:cantSplit/>{'<w:tblHeader/>' if look else ''}</w:trPr>{made}</w:tr>")
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    return _TABLE.format(style, grid, "".join(lines), paragraph("", "TableText"))


def link(relationship: str, runs: str) -> str:
    """Return a link to the address of a relationship."""
    return f'<w:hyperlink r:id="{relationship}" w:history="1">{runs}</w:hyperlink>'


def link_within(bookmark: str, runs: str) -> str:
    """Return a link to a bookmark of the document."""
    return f'<w:hyperlink w:anchor="{bookmark}" w:history="1">{runs}</w:hyperlink>'


def page_bookmark(number: int) -> str:
    """Return the name of the bookmark of a cited page."""
    return f"_Page_{number}"


def page_mark(number: int, runs: str) -> str:
    """Return runs with the bookmark of a cited page."""
    id = _PAGE_BOOKMARKS + number
    name = page_bookmark(number)
    return f'<w:bookmarkStart w:id="{id}" w:name="{name}"/>{runs}<w:bookmarkEnd w:id="{id}"/>'


def note_mark(number: int, label: str) -> str:
    """Return the first mark of a footnote, with a bookmark to which later marks refer."""
    mark = f'<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="{number}"/></w:r>'
    name = note_bookmark(label)
    return f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>{mark}<w:bookmarkEnd w:id="{number}"/>'


def note_mark_again(number: int, label: str) -> str:
    """Return a further mark of a footnote, as a NOTEREF field like Word's own."""
    raised = '<w:rPr><w:rStyle w:val="FootnoteReference"/><w:vertAlign w:val="superscript"/></w:rPr>'
    field = (
        f'<w:r>{raised}<w:instrText xml:space="preserve"> NOTEREF {note_bookmark(label)} \\h \\f </w:instrText></w:r>'
    )
    shown = f"<w:r>{raised}<w:t>{number}</w:t></w:r>"
    ends = [_FIELD.format(raised, kind) for kind in ("begin", "separate", "end")]
    return f"{ends[0]}{field}{ends[1]}{shown}{ends[2]}"


def page_number() -> str:
    """Return the page number and page count as fields: "3 / 12"."""
    here, of = (f'<w:fldSimple w:instr="{name}">{run("1")}</w:fldSimple>' for name in ("PAGE", "NUMPAGES"))
    return f"{here}{run(' / ')}{of}"


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[int]:
    """Return column widths in twips. Word takes them as a wish and computes its own; LibreOffice uses them."""
    texts = [[_shown_text(cell) for cell in row] for row in rows]
    widths = column_widths(texts, _ROOM[table_size(columns)])
    return [round(_TEXT_WIDTH * width / sum(widths)) for width in widths]


def _shown_text(cell: str) -> str:
    """Return the text of a cell, with two letters for the mark of a footnote."""
    return html.unescape("".join(_WORDS.findall(cell))) + "00" * cell.count('"FootnoteReference"')


def note_bookmark(label: str) -> str:
    """Return the name of the bookmark of the first mark of a footnote."""
    return "_Note_" + "".join(letter if letter.isalnum() else "_" for letter in label)
