"""All details of a passage: its place, its properties, its text and its neighbours."""

import html

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtWidgets import QFrame, QWidget

from workbench.language import mark, tr, translate
from workbench.model.chunk import Chunk, ChunkEdit, Neighbours
from workbench.model.document import BlockKind, PageKind
from workbench.model.visible import visible_name
from workbench.model.web_address import may_be_opened
from workbench.ui.bridge import Bridge
from workbench.ui.external_programs import InertBrowser, offer_link
from workbench.ui.inspector.chunk_edit_presenter import TextDifferences
from workbench.ui.inspector.edits_dialog import diff_html
from workbench.ui.inspector.passage_rows import InspectedPassage
from workbench.ui.localisation import day
from workbench.ui.theme import Theme, Tokens

ADDRESS = mark("Address")
_CHUNK = "chunk"
_NEIGHBOUR_LENGTH = 240
"""Number of characters of a neighbour that are shown."""
_PARTS = {
    PageKind.PAGE: mark("Page"),
    PageKind.SLIDE: mark("Slide"),
    PageKind.SHEET: mark("Sheet"),
    PageKind.CHAPTER: mark("Chapter"),
    PageKind.MESSAGE: mark("Message"),
    PageKind.CELL: mark("Cell"),
    PageKind.RECORD: mark("Record"),
    PageKind.PART: mark("Part"),
}
_KINDS = {
    BlockKind.HEADING: mark("heading"),
    BlockKind.PARAGRAPH: mark("paragraph"),
    BlockKind.LIST: mark("list"),
    BlockKind.TABLE: mark("table"),
    BlockKind.CODE: mark("code"),
    BlockKind.FORMULA: mark("formula"),
}


def facts(passage: InspectedPassage) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the sections of a passage's details: title, then names and values."""
    chunk, hit = passage.chunk, passage.hit
    if passage.is_outside:
        return _outside_facts(passage)
    place = [
        (tr("Document"), passage.document_name),
        (tr(_PARTS[passage.page_kind]), _part(passage)),
        (tr("Heading"), " › ".join(passage.headings)),
        (tr("Characters"), _span(passage)),
    ]
    sections = [(tr("Place"), place)]
    if hit is not None:
        place.insert(1, (tr("File"), hit.path))
        place.insert(2, (tr("Knowledge base"), hit.knowledge_base))
    if chunk is not None:
        kind = tr(_KINDS[chunk.kind])
        piece = [
            (tr("Passage"), str(chunk.ordinal + 1)),
            (tr("Kind"), tr("{kind}, too long for the embedding model", kind=kind) if chunk.oversize else kind),
            (tr("Tags"), ", ".join(chunk.tags)),
            (tr("Searched"), tr("no: disabled") if chunk.disabled else ""),
            (tr("Tokens"), str(chunk.tokens)),
            (tr("Metadata"), hit.meta_data if hit is not None else ""),
            (tr("Id"), str(chunk.id)),
            ("SHA-256", chunk.sha256),
        ]
        sections.append((tr("Passage"), piece))
    return [(title, [(name, value) for name, value in rows if value]) for title, rows in sections]


def _outside_facts(passage: InspectedPassage) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the details of a passage that is not a chunk of the library."""
    hit, chunk = passage.hit, passage.chunk
    rows = [
        (tr("Name"), passage.document_name),
        (tr("From", "where it comes from"), hit.origin if hit is not None else ""),
        (tr(ADDRESS), hit.path if hit is not None else ""),
        (tr("Metadata"), hit.meta_data if hit is not None else ""),
        (tr("Characters"), _span(passage)),
        ("SHA-256", chunk.sha256 if chunk is not None else ""),
    ]
    return [(tr("Place"), [(name, value) for name, value in rows if value])]


def _part(passage: InspectedPassage) -> str:
    """Return the page without its kind, which the row's name contains: "4", "2 “Sales”", "7 (read by OCR)"."""
    if passage.page is None:
        return tr("this format has no pages")
    words = f"{passage.page} “{passage.page_label}”" if passage.page_label else str(passage.page)
    return tr("{part} (read by OCR)", part=words) if passage.ocr else words


def _span(passage: InspectedPassage) -> str:
    start, end = (f"{place:,}".replace(",", "\u202f") for place in (passage.start, passage.end))
    return tr("{start} to {end}", start=start, end=end)


class DetailsView(InertBrowser):
    """Details of a passage as selectable text.

    Signals:
        chunk_wanted: Id of the previous or next chunk, whose link was clicked.
    """

    chunk_wanted = Signal(object)

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._differences = TextDifferences(bridge, self)
        self._passage: InspectedPassage | None = None
        self._edits: tuple[ChunkEdit, ...] = ()
        self._neighbours: Neighbours | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Details of the passage"))
        self.anchorClicked.connect(self._on_link)
        theme.changed.connect(self._show)
        self._differences.compared.connect(self._show)

    def show_passage(self, passage: InspectedPassage | None) -> None:
        """Show a passage's details; None clears the view."""
        self._differences.forget()
        self._passage = passage
        self._show()

    @Slot(object)
    def show_edits(self, edits: tuple[ChunkEdit, ...]) -> None:
        """Show the edits that produced the passage's current state."""
        if edits != self._edits:
            self._edits = edits
            self._show()

    @Slot(object)
    def show_neighbours(self, neighbours: Neighbours | None) -> None:
        """Show the chunks before and after the passage."""
        if neighbours != self._neighbours:
            self._neighbours = neighbours
            self._show()

    @Slot(QUrl)
    def _on_link(self, address: QUrl) -> None:
        """Go to a neighbour, or show where a link leads; a retriever may return any text as an address."""
        if address.scheme() == _CHUNK:
            self.chunk_wanted.emit(int(address.path()))
        else:
            offer_link(address, self)

    @Slot()
    def _show(self) -> None:
        if self._passage is None:
            self.clear()
            return
        tokens = self._theme.tokens()
        parts = []
        for title, rows in [*facts(self._passage), *self._provenance()]:
            cells = "".join(
                f'<tr><td width="130" style="color: {tokens.text_muted}; padding: 2px 14px 2px 0">'
                f'{html.escape(name)}</td><td style="padding: 2px 0">{_value(name, value)}</td></tr>'
                for name, value in rows
            )
            parts.append(f'<p style="font-weight: 600; margin: 10px 0 4px 0">{title}</p><table>{cells}</table>')
        parts.append(f'<p style="font-weight: 600; margin: 14px 0 4px 0">{tr("Text")}</p>')
        chunk = self._passage.chunk
        difference = self._differences.of(chunk.source, chunk.text) if chunk is not None and chunk.is_edited else None
        if difference is not None:
            parts.append(f"<p>{diff_html(difference, tokens, whole=True)}</p>")
        else:
            parts.append(f'<p style="white-space: pre-wrap">{html.escape(self._passage.text)}</p>')
        if self._neighbours is not None:
            around = ((tr("Before it"), self._neighbours.before), (tr("After it"), self._neighbours.after))
            parts.extend(_neighbour(title, neighbour, tokens) for title, neighbour in around if neighbour is not None)
        self.setHtml("".join(parts))

    def _provenance(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the section that lists the edits of the passage and their dates."""
        edits = [(translate(edit.words), tr("by you, {day}", day=day(edit.made))) for edit in self._edits]
        return [(tr("Edits"), edits)] if edits else []


def _neighbour(title: str, chunk: Chunk, tokens: Tokens) -> str:
    """Return the chunk before or after the passage as HTML, with a link to it."""
    text = " ".join(chunk.text.split())
    text = text if len(text) <= _NEIGHBOUR_LENGTH else f"{text[:_NEIGHBOUR_LENGTH]}…"
    link = f'<a href="{_CHUNK}:{chunk.id}">{html.escape(tr("passage {n}", n=chunk.ordinal + 1))}</a>'
    head = f'<p style="font-weight: 600; margin: 14px 0 4px 0">{html.escape(title)}: {link}</p>'
    return f'{head}<p style="color: {tokens.text_muted}">{html.escape(text)}</p>'


def _value(name: str, value: str) -> str:
    markup = html.escape(_breakable(visible_name(value)))
    is_link = name == tr(ADDRESS) and may_be_opened(value)
    return f'<a href="{html.escape(value)}">{markup}</a>' if is_link else markup


def _breakable(value: str) -> str:
    """Return a value; a long hash gets zero-width spaces at which a narrow pane may break it."""
    if len(value) == 64 and value.isalnum():
        return "\u200b".join(value[index : index + 8] for index in range(0, 64, 8))
    return value
