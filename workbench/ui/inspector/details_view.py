"""Every figure of a passage: where it stands, what it is, why it was found."""

import html

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from workbench.model.chunk_edit import ChunkEdit
from workbench.model.hit import Scores
from workbench.ui.inspector.edits_dialog import day, diff_html
from workbench.ui.inspector.passages import Passage
from workbench.ui.theme import Theme

ADDRESS = "Address"
_WEB = ("http", "https")


def facts(passage: Passage) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the sections of a passage's details: title, then names and values."""
    chunk, hit = passage.chunk, passage.hit
    if passage.is_outside:
        return _outside_facts(passage)
    place = [
        ("Document", passage.document_name),
        (passage.page_kind.value.capitalize(), passage.page_words.partition(" ")[2] or "this format has no pages"),
        ("Heading", " › ".join(passage.headings)),
        ("Characters", f"{passage.start:,} to {passage.end:,}".replace(",", "\u202f")),
    ]
    sections = [("Place", place)]
    if hit is not None:
        place.insert(1, ("File", hit.path))
        place.insert(2, ("Knowledge base", hit.knowledge_base))
        found = [
            ("Relevance", f"{passage.relevance} ({hit.scores.relevance:.2f})"),
            ("Rank", str(hit.rank)),
            *((lane.name, lane.text) for lane in passage.lanes),
            ("Reranker", _reranked(hit.scores)),
            ("Weight of meaning", f"{hit.scores.dense_weight:.2f}"),
            ("Matched words", ", ".join(hit.matched_terms) or "none"),
        ]
        sections.append(("Why it was found", found))
    if chunk is not None:
        piece = [
            ("Chunk", str(chunk.ordinal + 1)),
            ("Kind", chunk.kind.value + (", longer than the embedder sees" if chunk.oversize else "")),
            ("Tags", ", ".join(chunk.tags)),
            ("Searched", "no: disabled" if chunk.disabled else ""),
            ("Tokens", str(chunk.tokens)),
            ("Id", str(chunk.id)),
            ("SHA-256", chunk.sha256),
        ]
        sections.append(("Chunk", piece))
    return [(title, [(name, value) for name, value in rows if value]) for title, rows in sections]


def _outside_facts(passage: Passage) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what is known of a passage that is no chunk of the library."""
    hit, chunk = passage.hit, passage.chunk
    rows = [
        ("Name", passage.document_name),
        ("From", hit.origin if hit is not None else ""),
        (ADDRESS, hit.path if hit is not None else ""),
        ("Said of it", hit.meta_data if hit is not None else ""),
        ("Characters", f"{passage.start:,} to {passage.end:,}".replace(",", "\u202f")),
        ("SHA-256", chunk.sha256 if chunk is not None else ""),
    ]
    return [("Place", [(name, value) for name, value in rows if value])]


class DetailsView(QTextBrowser):
    """Shows the details of a passage as selectable text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._passage: Passage | None = None
        self._edits: tuple[ChunkEdit, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setAccessibleName("Details of the passage")
        self.anchorClicked.connect(self._on_link)
        theme.changed.connect(self._show)

    def show_passage(self, passage: Passage | None) -> None:
        """Show a passage's details, or nothing."""
        self._passage = passage
        self._show()

    @Slot(object)
    def show_edits(self, edits: tuple[ChunkEdit, ...]) -> None:
        """Show which edits made the passage what it is."""
        if edits != self._edits:
            self._edits = edits
            self._show()

    @Slot(QUrl)
    def _on_link(self, address: QUrl) -> None:
        """Open a web address in the browser; a retriever may call anything an address."""
        if address.scheme() in _WEB:
            QDesktopServices.openUrl(address)

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
        parts.append('<p style="font-weight: 600; margin: 14px 0 4px 0">Text</p>')
        chunk = self._passage.chunk
        if chunk is not None and chunk.is_edited:
            parts.append(f"<p>{diff_html(chunk.source, chunk.text, tokens, whole=True)}</p>")
        else:
            parts.append(f'<p style="white-space: pre-wrap">{html.escape(self._passage.text)}</p>')
        self.setHtml("".join(parts))

    def _provenance(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return who made the passage what it is, and when."""
        made = [(edit.words, f"by you, {day(edit.made)}") for edit in self._edits]
        return [("Changed by hand", made)] if made else []


def _value(name: str, value: str) -> str:
    written = html.escape(_breakable(value))
    is_link = name == ADDRESS and QUrl(value).scheme() in _WEB
    return f'<a href="{html.escape(value)}">{written}</a>' if is_link else written


def _reranked(scores: Scores) -> str:
    """Return what the reranker gave a hit; nothing where it did not look at it."""
    return f"{scores.rerank:.3f}, rank {scores.rerank_rank}" if scores.rerank is not None else ""


def _breakable(value: str) -> str:
    """Return a long hash with places where a narrow pane may break it."""
    if len(value) == 64 and value.isalnum():
        return "\u200b".join(value[index : index + 8] for index in range(0, 64, 8))
    return value
