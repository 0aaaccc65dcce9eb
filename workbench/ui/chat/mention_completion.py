"""Completion of @ and # in a question: offers documents and tags, and restricts the search to those mentioned."""

from collections import Counter

from PySide6.QtCore import QObject, QStringListModel, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QAbstractItemView, QCompleter

from workbench.language import tr
from workbench.model.filter import Expression
from workbench.retrieval.filters.mentions import (
    MentionSign,
    TypedMention,
    can_be_mentioned,
    mentions_in,
    restriction,
    typed_at,
    written,
)
from workbench.ui.bridge import Bridge
from workbench.ui.chat.composer import QuestionField
from workbench.ui.controls import restyle
from workbench.ui.library.model import DocumentModel
from workbench.ui.palette.name_matching import finding
from workbench.worker.job import JobHandle

_MOST = 8
_WIDEST = 420


class MentionCompletion(QObject):
    """Offers names at the cursor of the question field.

    Args:
        bridge: Connection to the worker, which searches the names.
        field: The question field.
        documents: The documents that can be mentioned.
        parent: Parent object.
    """

    def __init__(self, bridge: Bridge, field: QuestionField, documents: DocumentModel, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._field = field
        self._documents = documents
        self._typed: TypedMention | None = None
        self._names: dict[int, str] = {}
        self._tags: list[str] = []
        self._looking: JobHandle[list[int]] | None = None
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setWidget(field)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(_MOST)
        self._completer.activated.connect(self._on_chosen)
        restyle(self._popup, variant="offers")
        self._popup.setAccessibleName(tr("Documents and tags to mention"))
        field.textChanged.connect(self._on_changed)
        field.offers = self._popup

    def restriction(self, question: str) -> tuple[Expression, ...]:
        """Return the conditions on the searched documents that follow from the documents and tags in a question."""
        if not any(mark in question for mark in MentionSign):
            return ()
        known_names: dict[MentionSign, set[str]] = {}

        def known(mark: MentionSign, name: str) -> bool:
            if mark not in known_names:
                known_names[mark] = self._names_of(mark)
            return name.casefold() in known_names[mark]

        return restriction(mentions_in(question, known))

    def _names_of(self, mark: MentionSign) -> set[str]:
        documents = self._documents.documents()
        if mark is MentionSign.DOCUMENT:
            return {document.name.casefold() for document in documents}
        return {tag.casefold() for document in documents for tag in document.tags}

    @property
    def _popup(self) -> QAbstractItemView:
        popup = self._completer.popup()
        assert popup is not None
        return popup

    @Slot()
    def _on_changed(self) -> None:
        before, self._typed = self._typed, self._at_cursor()
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if self._typed is None:
            self._names, self._tags = {}, []
            self._popup.hide()
            return
        # With 100,000 documents, copying the names takes 8 ms and counting the tags longer: done once per mention.
        is_new = before is None or (before.mark, before.start) != (self._typed.mark, self._typed.start)
        if self._typed.mark is MentionSign.TAG:
            if is_new or not self._tags:
                self._tags = self._tags_in_use()
            self._offer(_matching(self._tags, self._typed.name))
        elif self._typed.name:
            if is_new or not self._names:
                self._names = self._documents.words()
            self._looking = self._bridge.submit(finding(self._names, self._typed.name, _MOST), done=self._on_found)
        else:
            self._offer([document.name for document in reversed(self._documents.documents()[-_MOST:])])

    def _at_cursor(self) -> TypedMention | None:
        cursor = self._field.textCursor()
        # A character that an input method is composing is not in the text yet.
        if cursor.hasSelection() or not self._field.isEnabled():
            return None
        return typed_at(self._field.toPlainText(), cursor.position())

    def _tags_in_use(self) -> list[str]:
        """Return the tags of all documents, the most frequent first."""
        used = Counter(tag for document in self._documents.documents() for tag in document.tags)
        return [tag for tag, _count in used.most_common()]

    def _on_found(self, numbers: list[int]) -> None:
        self._looking = None
        documents = (self._documents.get(number) for number in numbers)
        self._offer([document.name for document in documents if document is not None])

    def _offer(self, names: list[str]) -> None:
        offered = list(dict.fromkeys(name for name in names if can_be_mentioned(name)))[:_MOST]
        is_written = self._typed is not None and offered == [self._typed.name]
        if self._typed is None or not offered or is_written or not self._field.hasFocus():
            self._popup.hide()
            return
        self._model.setStringList(offered)
        place = self._field.cursorRect()
        wanted = self._popup.sizeHintForColumn(0) + self._popup.verticalScrollBar().sizeHint().width() + 24
        place.setWidth(min(_WIDEST, max(160, wanted)))
        self._completer.complete(place)
        self._popup.setCurrentIndex(self._completer.completionModel().index(0, 0))

    @Slot(str)
    def _on_chosen(self, name: str) -> None:
        if self._typed is None:
            return
        cursor = self._field.textCursor()
        cursor.setPosition(self._typed.start, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(f"{written(self._typed.mark, name)} ")
        self._field.setTextCursor(cursor)


def _matching(tags: list[str], typed: str) -> list[str]:
    """Return the tags that start with the typed text, then those that contain it."""
    needle = typed.casefold()
    fit = [tag for tag in tags if needle in tag.casefold()]
    return sorted(fit, key=lambda tag: not tag.casefold().startswith(needle))
