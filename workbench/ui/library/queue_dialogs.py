"""The two questions that an import may ask: is this big drop meant, and what is the password."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import Review, ReviewProgress
from workbench.ui.library.passwords import PasswordPrompt
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.review_sheet import ReviewSheet
from workbench.ui.library.row_actions import RowActions
from workbench.ui.theme import Theme


class QueueDialogs(QObject):
    """Opens them when they are needed; each is made once, at its first use."""

    def __init__(self, presenter: LibraryPresenter, actions: RowActions, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._theme = theme
        self._parent = parent
        self._sheet: ReviewSheet | None = None
        self._prompt: PasswordPrompt | None = None
        presenter.queue.looking.connect(self._on_looking)
        presenter.queue.reviewed.connect(self._on_reviewed)
        presenter.queue.review_ended.connect(self._on_review_ended)
        presenter.queue.locked_found.connect(self.ask_for_passwords)
        actions.unlock_asked.connect(self.unlock)

    @Slot()
    def ask_for_passwords(self) -> None:
        """Ask once for all documents that are locked."""
        self._presenter.flush()
        locked = self._presenter.with_status(DocumentStatus.LOCKED)
        if locked:
            self._ask(locked)

    @Slot(list)
    def unlock(self, chosen: list[Document]) -> None:
        """Ask for the password of these documents; it is tried on every locked one."""
        # Those that an earlier version of the program gave up for want of a password become locked ones when read.
        given_up = [document.id for document in chosen if document.status is DocumentStatus.FAILED]
        if given_up:
            self._presenter.reindex(given_up)
        else:
            self._ask(self._presenter.with_status(DocumentStatus.LOCKED))

    def _ask(self, documents: list[Document]) -> None:
        if self._prompt is None:
            self._prompt = PasswordPrompt(self._presenter, self._theme, self._parent)
        self._prompt.ask(documents)

    def _review_sheet(self) -> ReviewSheet:
        if self._sheet is None:
            self._sheet = ReviewSheet(self._parent)
            self._sheet.accepted_into.connect(self._presenter.add_reviewed)
            self._sheet.rejected.connect(self._presenter.queue.cancel_review)
        return self._sheet

    @Slot(object)
    def _on_looking(self, progress: ReviewProgress) -> None:
        self._review_sheet().show_looking(progress)

    @Slot(object)
    def _on_reviewed(self, review: Review) -> None:
        presenter = self._presenter
        self._review_sheet().show_review(review, presenter.knowledge_bases, presenter.queue.base)

    @Slot()
    def _on_review_ended(self) -> None:
        if self._sheet is not None:
            self._sheet.hide()
