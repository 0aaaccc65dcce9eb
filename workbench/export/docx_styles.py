"""The styles of an exported Word document, so that a reader can change the look of all of it at once."""

from typing import Any

from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Pt, RGBColor

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
    # name, size, colour; 0 and None leave what stands around
    ("Hyperlink", 0, _ACCENT),
    ("Code Text", 9.5, None),
    ("Wrong", 0, _WARN),
    ("footnote reference", 0, _ACCENT),
)


def dress(document: Any) -> None:
    """Give a new document of python-docx its page and its styles."""
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.3)
    section.top_margin = section.bottom_margin = Cm(2.2)
    _say_language(document)
    _shape(document.styles["Normal"], 10.5, _INK, 0, 6)
    for name, size, colour, before, after in _HEADINGS:
        _shape(document.styles[name], size, colour, before, after)
    for name, based, size, colour, before, after in _PARAGRAPHS:
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles[based]
        _shape(style, size, colour, before, after, mono=name == "Code")
    for name, size, text_colour in _TEXTS:
        style = document.styles.add_style(name, WD_STYLE_TYPE.CHARACTER)
        if size:
            _write_with(style, _MONO)
            style.font.size = Pt(size)
        if text_colour is not None:
            style.font.color.rgb = text_colour
    document.styles["Hyperlink"].font.underline = True
    document.styles["footnote reference"].font.superscript = True
    _shade(document.styles["Code"])
    _rule(document.styles["Rule"], "bottom")
    _rule(document.styles["Quote"], "left")
    quote = document.styles["Quote"]
    _shape(quote, 10, _INK, 2, 4)
    quote.font.italic = False
    quote.paragraph_format.left_indent = Cm(0.5)


def _shape(style: Any, size: float, colour: RGBColor, before: float, after: float, *, mono: bool = False) -> None:
    _write_with(style, _MONO if mono else _LATIN)
    style.font.size = Pt(size)
    style.font.color.rgb = colour
    style.paragraph_format.space_before = Pt(before)
    style.paragraph_format.space_after = Pt(after)


def _write_with(style: Any, latin: str) -> None:
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for name in list(fonts.attrib):
        # A font of the theme goes before one that is named.
        del fonts.attrib[name]
    for script, font in (("ascii", latin), ("hAnsi", latin), ("cs", latin), ("eastAsia", _CHINESE)):
        fonts.set(qn(f"w:{script}"), font)


def _say_language(document: Any) -> None:
    for language in document.styles.element.iter(qn("w:lang")):
        language.set(qn("w:eastAsia"), "zh-CN")


def _shade(style: Any) -> None:
    ground = parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:color="auto" w:fill="{_GROUND}"/>')
    _before(style, ground, "w:spacing", "w:ind", "w:jc")


def _rule(style: Any, side: str) -> None:
    line = f'<w:{side} w:val="single" w:sz="{6 if side == "bottom" else 18}" w:space="6" w:color="C9D6D8"/>'
    for old in style.element.get_or_add_pPr().findall(qn("w:pBdr")):
        style.element.pPr.remove(old)
    _before(style, parse_xml(f"<w:pBdr {nsdecls('w')}>{line}</w:pBdr>"), "w:shd", "w:spacing", "w:ind", "w:jc")


def _before(style: Any, element: Any, *followers: str) -> None:
    """Put an element where the schema wants it: Word mends a file whose properties are out of order."""
    properties = style.element.get_or_add_pPr()
    found = [child for child in properties if child.tag in {qn(name) for name in followers}]
    found[0].addprevious(element) if found else properties.append(element)
