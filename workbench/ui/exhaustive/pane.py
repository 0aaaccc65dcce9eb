"""Pane of exhaustive reading: the list of readings, above the form of a new one or one of them.

The form has the question, filter and profile, and the card on which the estimate is confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr
from workbench.model.exhaustive import Price, Reading, ReadingEstimate
from workbench.model.filter import ChunkFilter, FilterExtent
from workbench.model.profile import ModelProfile
from workbench.ui.chat.filter_bar import FilterBar
from workbench.ui.controls import IconButton, IconLabel, button, frame, label
from workbench.ui.dialog import ask_for_text
from workbench.ui.exhaustive.presenter import ExhaustivePresenter, estimate_lines, list_line, what_leaves
from workbench.ui.exhaustive.reading_result import ReadingResult
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

ABOUT = mark(
    "One question, asked of every passage, not only of those that a search finds. You get a verdict for each document."
)
_EXAMPLE = mark("Ask every passage… for example: Does it name a notice period of more than 30 days?")


class ReadingForm(QFrame):
    """Form that requests an estimate first; only the estimate's card has the button that starts the reading.

    Signals:
        estimate_asked: Question, ChunkFilter, name of the profile, and Price or None.
        start_asked: The same values.
        filter_changed: The new ChunkFilter.
    """

    estimate_asked = Signal(str, object, str, object)
    start_asked = Signal(str, object, str, object)
    filter_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self._prices: dict[str, Price] = {}
        self._offered: list[str] = []
        self._question = QLineEdit()
        self._question.setPlaceholderText(tr(_EXAMPLE))
        self._question.setAccessibleName(tr("Question for every passage"))
        self._question.setAccessibleDescription(tr(ABOUT))
        self._question.setToolTip(tr(ABOUT))
        self.filter_bar = FilterBar(theme)
        self._profile = QComboBox()
        self._profile.setAccessibleName(tr("Who reads"))
        self._profile.setToolTip(tr("“Quotes only” quotes from your documents and needs no model."))
        self._estimate = button(tr("Estimate", "verb"), "primary", self._on_estimate)
        self._where = label("", "caption", wrap=True)
        self._problem = label("", wrap=True, tone="danger")
        self.card = EstimateCard(theme)
        self._lay_out()
        self.setFocusProxy(self._question)
        self._question.textEdited.connect(self._on_changed)
        self._question.returnPressed.connect(self._on_estimate)
        self._profile.currentIndexChanged.connect(self._on_profile)
        self.filter_bar.changed.connect(self._on_filter)
        self.filter_bar.left.connect(self._on_left)
        self.card.start_asked.connect(self._on_start)
        self.card.price_changed.connect(self._on_estimate)
        self._forget()

    @property
    def profile(self) -> str:
        """Name of the profile that reads."""
        return str(self._profile.currentData() or "offline")

    def set_profiles(self, profiles: Sequence[ModelProfile], chosen: str, prices: dict[str, Price]) -> None:
        """Offer profiles; the one of the settings is chosen at first."""
        keep = self.profile if self._profile.count() else chosen
        names = [one.name for one in profiles]
        if prices == self._prices and names == self._offered:
            return  # an estimate that is shown stays
        self._prices, self._offered = prices, names
        with QSignalBlocker(self._profile):
            self._profile.clear()
            for one in profiles:
                words = tr("Quotes only, no model") if one.is_offline else f"{one.name}: {one.model}"
                self._profile.addItem(words, one.name)
            self._profile.setCurrentIndex(max(0, self._profile.findData(keep)))
        self._on_profile()

    def set_knowledge_base(self, name: str | None) -> None:
        """Show the knowledge base that is read."""
        self._where.setText(tr("Reads only in the knowledge base “{name}”.", name=name) if name else "")
        self._where.setVisible(bool(name))
        self._forget()

    def show_extent(self, extent: FilterExtent) -> None:
        """Show how many documents and passages pass the filter."""
        self.filter_bar.show_extent(extent)

    def show_estimate(self, estimate: ReadingEstimate) -> None:
        """Show an estimate, with the button that starts the reading."""
        self._problem.hide()
        self._estimate.setEnabled(True)
        self.card.show_estimate(estimate)
        self.card.show()
        self._estimate.hide()
        if self._question.hasFocus() or self._estimate.hasFocus():
            self.card.start.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_problem(self, text: str) -> None:
        """Show the reason why nothing can be read."""
        self._forget()
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def _lay_out(self) -> None:
        profile_row = QHBoxLayout()
        profile_row.setSpacing(8)
        profile_row.addWidget(label(tr("Who reads"), "muted"))
        profile_row.addWidget(self._profile, 1)
        profile_row.addWidget(self._estimate)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self._question)
        layout.addWidget(self.filter_bar)
        layout.addLayout(profile_row)
        layout.addWidget(self._where)
        layout.addWidget(self._problem)
        layout.addWidget(self.card)
        layout.addStretch(1)

    def _read_fields(self) -> tuple[str, ChunkFilter, str, Price | None] | None:
        """Return the values of the form, or None if the question is empty or the filter is invalid."""
        question = self._question.text().strip()
        if not question:
            self.show_problem(tr("Enter the question to ask of every passage."))
            self._question.setFocus(Qt.FocusReason.OtherFocusReason)
            return None
        if not self.filter_bar.check():
            return None
        return question, self.filter_bar.filter, self.profile, self.card.price

    def _forget(self) -> None:
        """Hide the estimate, which no longer applies."""
        self.card.hide()
        self._problem.hide()
        self._estimate.show()
        self._estimate.setEnabled(True)

    @Slot()
    def _on_estimate(self) -> None:
        if (values := self._read_fields()) is not None:
            self._problem.hide()
            self._estimate.setEnabled(False)
            self.estimate_asked.emit(*values)

    @Slot()
    def _on_start(self) -> None:
        if (values := self._read_fields()) is not None:
            self.start_asked.emit(*values)
            self._forget()

    @Slot()
    def _on_changed(self) -> None:
        self._forget()

    @Slot()
    def _on_profile(self) -> None:
        self.card.set_price(self._prices.get(self.profile))
        self._forget()

    @Slot(object)
    def _on_filter(self, chosen: ChunkFilter) -> None:
        self._forget()
        self.filter_changed.emit(chosen)

    @Slot()
    def _on_left(self) -> None:
        self._question.setFocus(Qt.FocusReason.OtherFocusReason)


class EstimateCard(QWidget):
    """Card with an estimate and the button that starts the reading.

    Signals:
        start_asked: The button was pressed.
        price_changed: The user typed another price of tokens.
    """

    start_asked = Signal()
    price_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = label("", wrap=True)
        self._where = label("", "muted", wrap=True)
        self._shield = IconLabel(theme, "shield", colour="ok")
        self._read, self._written = (
            _make_price_field(tr("Price of a million tokens read")),
            _make_price_field(tr("Price of a million tokens written")),
        )
        self._prices = QWidget()
        self.start = button(tr("Start reading"), "primary", self.start_asked)
        self._lay_out()
        for field in (self._read, self._written):
            field.valueChanged.connect(self._on_price)

    @property
    def price(self) -> Price | None:
        """Price of tokens; None if nothing was typed."""
        read, written = self._read.value(), self._written.value()
        return Price(read, written) if read or written else None

    def set_price(self, price: Price | None) -> None:
        """Show a price without requesting another estimate."""
        for field, value in (
            (self._read, price.input if price else 0.0),
            (self._written, price.output if price else 0),
        ):
            with QSignalBlocker(field):
                field.setValue(value)

    def show_estimate(self, estimate: ReadingEstimate) -> None:
        """Show an estimate."""
        lines, leaves = estimate_lines(estimate), what_leaves(estimate)
        self._lines.setText("\n".join(lines))
        self._where.setText(leaves)
        self._shield.show_icon("globe" if estimate.host else "shield", "warn" if estimate.host else "ok")
        self._prices.setVisible(bool(estimate.calls))
        self.setAccessibleName(". ".join([*lines, leaves]))

    def _lay_out(self) -> None:
        target_row = QHBoxLayout()
        target_row.setSpacing(8)
        target_row.addWidget(self._shield)
        target_row.addWidget(self._where, 1)
        target_row.addWidget(self.start)
        prices = QHBoxLayout(self._prices)
        prices.setContentsMargins(0, 0, 0, 0)
        prices.setSpacing(6)
        prices.addWidget(label(tr("Price of a million tokens: read"), "caption"))
        prices.addWidget(self._read)
        prices.addWidget(label(tr("written", "tokens"), "caption"))
        prices.addWidget(self._written)
        prices.addStretch(1)
        card = frame("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(14, 10, 12, 10)
        inside.setSpacing(6)
        inside.addWidget(self._lines)
        inside.addWidget(self._prices)
        inside.addLayout(target_row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    @Slot()
    def _on_price(self) -> None:
        self.price_changed.emit()


def _make_price_field(name: str) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setRange(0.0, 10_000.0)
    field.setDecimals(2)
    field.setSpecialValueText("–")
    field.setAccessibleName(name)
    field.setToolTip(tr("In any currency. If you leave it out, no cost is shown."))
    field.setKeyboardTracking(False)
    field.setMaximumWidth(90)
    return field


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
