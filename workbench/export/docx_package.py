"""The file around the body of an exported Word document, made by python-docx: lists, footnotes, links, pictures.

The only relationships that lead out of the file are plain links to web and mail addresses: no template, picture or
object is ever loaded from elsewhere. There are no macros, and no fields but page numbers and references to footnotes.
"""

import io
import re
import zipfile
from datetime import UTC, datetime
from typing import Any

from docx import Document
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Cm, Emu
from lxml import etree

from workbench.export.docx_styles import dress
from workbench.export.docx_xml import page_number, paragraph
from workbench.export.escaping import one_line

_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s<>\"]+", re.IGNORECASE)
_LEVELS = range(9)
_BULLETS = "•◦▪"
_ABSTRACT = (901, 902)
_TALLEST = Cm(19)
_WIDEST = Cm(12.5)
_EPOCH = (1980, 1, 1, 0, 0, 0)


class DocxPackage:
    """A document to which lists, links, pictures and footnotes are added while its body is written."""

    def __init__(self) -> None:
        self._document = Document()
        dress(self._document)
        self._notes: list[str] = []
        self._numbering: Any = self._document.part.numbering_part.element
        self._begin_lists()
        self._lists = max((int(one.numId) for one in self._numbering.num_lst), default=0)
        self._pictures = 0

    def new_list(self, is_ordered: bool, first: int) -> int:
        """Return the number of a new list, which counts from first."""
        self._lists += 1
        start = f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{first}"/></w:lvlOverride>' if is_ordered else ""
        made = f'<w:num {nsdecls("w")} w:numId="{self._lists}"><w:abstractNumId w:val="{_ABSTRACT[is_ordered]}"/>'
        self._numbering.append(parse_xml(f"{made}{start}</w:num>"))
        return self._lists

    def address(self, href: str) -> str:
        """Return the relationship of a link; what is no web or mail address leads nowhere."""
        known = href if _ADDRESS.fullmatch(href) else "about:blank"
        return str(self._document.part.relate_to(known, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))

    def picture(self, png: bytes, description: str) -> str:
        """Return a run that shows a picture."""
        inline: Any = self._document.part.new_pic_inline(io.BytesIO(png), None, None)
        scale = min(1.0, _WIDEST / inline.extent.cx, _TALLEST / inline.extent.cy)
        width, height = Emu(int(inline.extent.cx * scale)), Emu(int(inline.extent.cy * scale))
        inline.extent.cx, inline.extent.cy = width, height
        inline.graphic.graphicData.pic.spPr.cx, inline.graphic.graphicData.pic.spPr.cy = width, height
        self._pictures += 1
        inline.docPr.id, inline.docPr.name = self._pictures, f"Page {self._pictures}"
        inline.docPr.set("descr", one_line(description))
        return f"<w:r><w:drawing>{etree.tostring(inline, encoding='unicode')}</w:drawing></w:r>"

    def add_note(self, paragraphs: str) -> int:
        """Keep the text of a footnote and return its number."""
        self._notes.append(paragraphs)
        return len(self._notes)

    def finished(self, body: str, title: str, version: str, exported: str) -> bytes:
        """Return the file."""
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
            # Every abstract list has to stand before the first list that uses one.
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
        known.last_modified_by = known.comments = known.keywords = ""
        known.created = known.modified = _moment(exported)
        package = self._document.part.package
        for key, relation in list(package.rels.items()):
            if relation.reltype.endswith("/thumbnail"):
                # Of python-docx's own template.
                del package.rels[key]


def _level(level: int, is_ordered: bool) -> str:
    mark = f"%{level + 1}." if is_ordered else _BULLETS[level % len(_BULLETS)]
    kind = "decimal" if is_ordered else "bullet"
    left = 360 * (level + 1)
    return (
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{mark}"/>'
        f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{left}" w:hanging="360"/></w:pPr></w:lvl>'
    )


def _moment(iso: str) -> datetime:
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).replace(tzinfo=None)
    except ValueError:
        return datetime(*_EPOCH[:3])


def _without_times(data: bytes) -> bytes:
    """Return a ZIP file with the same members, each as old as the format: the same session gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            target.writestr(info, source.read(name))
    return out.getvalue()
