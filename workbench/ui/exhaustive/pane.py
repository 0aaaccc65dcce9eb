"""Pane of exhaustive reading: the list of readings, above the form of a new one or one of them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr
from workbench.model.exhaustive import Price, Reading, ReadingEstimate
from workbench.model.filter import ChunkFilter
from workbench.ui.controls import IconButton
from workbench.ui.dialog import ask_for_text
from workbench.ui.exhaustive.presenter import ExhaustivePresenter
from workbench.ui.exhaustive.reading_form import ReadingForm
from workbench.ui.exhaustive.reading_result import ReadingResult
from workbench.ui.exhaustive.reading_wording import list_line
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

NEW = mark("New question for every passage…")
_FORM, _RESULT = range(2)


class ExhaustivePane(QFrame):
    """Pane with the list of readings, above the form of a new one or the reading on show.

    Signals:
        citation_activated: A Citation that was pressed.
    """

    citation_activated = Signal(object)

    def __init__(self, presenter: ExhaustivePresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._reading: Reading | None = None
        self.setProperty("role", "pane")
        self.banner = Banner(theme)
        self.choice = QComboBox()
        self.choice.setAccessibleName(tr("Readings"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(16)
        self._more = IconButton(theme, "more", tr("Rename, export or delete this reading"), self._on_more)
        self.form = ReadingForm(theme)
        self.result = ReadingResult(theme)
        self._scroll = QScrollArea()
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self._on_listed()
        self._on_shown(None)

    def focus(self) -> None:
        """Set the keyboard focus to the page on show."""
        page = self.form if self._stack.currentIndex() == _FORM else self.result
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def menu(self) -> QMenu:
        """Return the menu of actions for the reading on show."""
        menu = QMenu(self)
        running = self._presenter.running == self._presenter.current
        menu.addAction(tr("Rename…"), self._on_rename)
        menu.addAction(tr("Export as a table (CSV)…"), self._on_csv)
        menu.addAction(tr("Export as Markdown…"), self._on_markdown)
        menu.addSeparator()
        menu.addAction(tr("Delete"), self._presenter.remove).setEnabled(not running)
        return menu

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 6, 12, 2)
        head.addWidget(self.choice, 1)
        head.addWidget(self._more)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self.form)
        self._stack.addWidget(self._scroll)
        self._stack.addWidget(self.result)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.banner)
        layout.addLayout(head)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        presenter, form, result = self._presenter, self.form, self.result
        preparing = presenter.preparing
        self.choice.activated.connect(self._on_chosen)
        form.estimate_asked.connect(preparing.estimate)
        form.start_asked.connect(self._on_start)
        form.filter_changed.connect(preparing.measure)
        result.stop_asked.connect(self._on_stop)
        result.continue_asked.connect(self._on_continue)
        result.citation_activated.connect(self.citation_activated)
        presenter.listed.connect(self._on_listed)
        presenter.shown.connect(self._on_shown)
        preparing.profiles_listed.connect(form.set_profiles)
        preparing.estimated.connect(self._on_estimated)
        preparing.not_estimated.connect(form.show_problem)
        preparing.filter_values_listed.connect(form.filter_bar.set_values)
        form.filter_bar.values_wanted.connect(preparing.list_filter_values)
        preparing.filter_measured.connect(form.show_extent)
        presenter.progressed.connect(result.show_progress)
        presenter.row_changed.connect(result.show_row)
        presenter.failed.connect(self.banner.show_error)

    @Slot()
    def _on_listed(self) -> None:
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItem(tr(NEW), None)
            for info in self._presenter.readings:
                self.choice.addItem(list_line(info), info.id)
            self._choose_current()
        self.choice.setEnabled(self._presenter.is_open)

    def _choose_current(self) -> None:
        current = self._presenter.current
        self.choice.setCurrentIndex(0 if current is None else max(0, self.choice.findData(current)))

    @Slot(object)
    def _on_shown(self, reading: Reading | None) -> None:
        self._reading = reading
        presenter = self._presenter
        self.form.set_knowledge_base(presenter.preparing.knowledge_base)
        self.form.setEnabled(presenter.is_open and not presenter.busy)
        self._more.setEnabled(reading is not None)
        if reading is not None:
            running = presenter.running == reading.info.id
            self.result.show_reading(reading, running=running, busy=presenter.busy)
        page, focused = self._stack.currentWidget(), QApplication.focusWidget()
        had_focus = page is not None and focused is not None and page.isAncestorOf(focused)
        self._stack.setCurrentIndex(_FORM if reading is None else _RESULT)
        if had_focus:
            # The widget with the focus is hidden now, and the chat would get the focus.
            self.focus()
        self.banner.hide()
        with QSignalBlocker(self.choice):
            self._choose_current()

    @Slot(str, object, str, object)
    def _on_start(self, question: str, chosen: ChunkFilter, profile: str, price: Price | None) -> None:
        # The button that was pressed is about to be hidden; without this the chat would get the focus.
        self.choice.setFocus(Qt.FocusReason.OtherFocusReason)
        self._presenter.start(question, chosen, profile, price)

    @Slot(object)
    def _on_estimated(self, estimate: ReadingEstimate) -> None:
        self.form.show_estimate(estimate)
        QTimer.singleShot(0, self._show_card)

    @Slot()
    def _show_card(self) -> None:
        self._scroll.ensureWidgetVisible(self.form.card)

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        self._presenter.choose(self.choice.itemData(row))

    @Slot()
    def _on_stop(self) -> None:
        self.result.show_stopping()
        self._presenter.stop()

    @Slot(bool)
    def _on_continue(self, again: bool) -> None:
        self._presenter.go_on(again=again)

    @Slot()
    def _on_more(self) -> None:
        self.menu().popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_rename(self) -> None:
        if self._reading is not None:
            title, prompt = tr("Rename"), tr("Name of the reading:")
            name, wanted = ask_for_text(self, title, prompt, self._reading.info.name)
            if wanted:
                self._presenter.rename(name)

    @Slot()
    def _on_csv(self) -> None:
        self._export("csv", tr("Table (*.csv)"))

    @Slot()
    def _on_markdown(self) -> None:
        self._export("md", tr("Markdown (*.md)"))

    def _export(self, suffix: str, kind: str) -> None:
        proposed = f"{tr('reading', 'file name')}.{suffix}"
        name, _ = QFileDialog.getSaveFileName(self, tr("Export this reading"), proposed, kind)
        if name:
            path = Path(name)
            self._presenter.export(path if path.suffix.lower() == f".{suffix}" else Path(f"{name}.{suffix}"))
