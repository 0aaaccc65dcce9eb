"""The tab “Why” next to the page and the text of a passage: why a search found it, and the actions that open it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.explanation import (
    Account,
    Advice,
    AdviceKind,
    DocumentSpot,
    Explanation,
    QuestionWord,
    Stage,
    WordStanding,
)
from workbench.ui.bridge import Bridge
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.controls import IconLabel, button, empty, frame, label
from workbench.ui.inspector.passage_rows import InspectedPassage, Lane, search_facts
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.theme import Theme
from workbench.ui.why.presenter import WhyPresenter
from workbench.ui.why.rank_strip import RankStrip, build_strips

if TYPE_CHECKING:
    from workbench.ui.inspector.page_view import PageView
    from workbench.ui.inspector.text_view import TextView

_BAR = QSize(72, 6)


class SearchScores(QWidget):
    """Table of the ranked lists of a search, with the score and rank of one passage in each."""

    def __init__(self, theme: Theme, passage: InspectedPassage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = _score_grid(self)
        grid.addWidget(label(tr("Scores in the search of this answer"), "section"), 0, 0, 1, 3)
        for lane in passage.lanes:
            row = grid.rowCount()
            grid.addWidget(label(lane.name, "caption"), row, 0)
            grid.addWidget(ScoreBar(theme, lane), row, 1)
            grid.addWidget(label(lane.text, "caption", wrap=True), row, 2)
        _add_facts(grid, search_facts(passage))


class ThresholdScores(QWidget):
    """Table of the score of a passage that was too low, and the score that was needed."""

    def __init__(self, account: Account, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = _score_grid(self)
        certainty = (tr("Certainty of its best sentence"), account.certainty)
        name, score = certainty if account.certainty is not None else (tr("Relevance"), account.relevance)
        facts = [(name, score), (tr("Required"), account.floor)]
        _add_facts(grid, [(name, f"{score:.2f}") for name, score in facts if score is not None])


def _score_grid(table: QWidget) -> QGridLayout:
    grid = QGridLayout(table)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(2, 1)
    return grid


def _add_facts(grid: QGridLayout, facts: Sequence[tuple[str, str]]) -> None:
    for name, value in facts:
        row = grid.rowCount()
        grid.addWidget(label(name, "caption"), row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(label(value, "caption", wrap=True), row, 1, 1, 2)


class ScoreBar(QWidget):
    """Bar of one ranked list; an empty track if the list did not contain the passage."""

    def __init__(self, theme: Theme, lane: Lane, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lane = lane
        self.setFixedWidth(_BAR.width())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(f"{lane.name}: {lane.text}")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return _BAR

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        round_by = _BAR.height() / 2
        track = QRectF(0, self.height() / 2 - round_by, self.width(), _BAR.height())
        painter.setBrush(QColor(tokens.border))
        painter.drawRoundedRect(track, round_by, round_by)
        if self._lane.share:
            track.setWidth(max(track.height(), track.width() * self._lane.share))
            painter.setBrush(QColor(tokens.accent))
            painter.drawRoundedRect(track, round_by, round_by)
        painter.end()


NO_QUESTION = mark("Type a question that should find this passage.")
NO_PASSAGE = mark("Choose a passage to see why it was found, or why not.")
LOOKING = mark("Explaining the search result…")
PRESS_ENTER = mark("Press Enter to explain.")


class WhyView(QWidget):
    """Shows the explanation of the passage that the presenter holds.

    Signals:
        question_asked: A question that finds the passage, to be put to the library.
    """

    question_asked = Signal(str)

    def __init__(self, presenter: WhyPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._theme = theme
        self._better_questions: dict[QPushButton, str] = {}
        self._field = QLineEdit()
        self._field.setProperty("variant", "quiet")
        self._field.setPlaceholderText(tr("A question"))
        self._field.setAccessibleName(tr("Question to explain the passage for"))
        self._icon = IconLabel(theme, "help", size=18)
        self._sentence = label("", wrap=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._body = QVBoxLayout()
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(8)
        self._scores = QVBoxLayout()
        self._scores.setSpacing(8)
        self._arrange()
        self._field.returnPressed.connect(self._on_typed)
        self._field.textEdited.connect(self._on_edited)
        presenter.question_changed.connect(self._on_question_changed)
        presenter.outdated.connect(self._on_outdated)
        presenter.asked.connect(self._on_asked)
        presenter.explained.connect(self.show_explanation)
        presenter.failed.connect(self._on_failed)
        self._field.setText(presenter.question)
        self._say(tr(NO_QUESTION))

    @property
    def visible_text(self) -> str:
        """The sentence that is shown."""
        return self._sentence.text()

    def begin(self, passage: InspectedPassage | None = None) -> None:
        """Explain the current place, and show the scores of the passage there if an answer's search found it.

        Without a question, wait until one is typed.
        """
        empty(self._scores)
        if passage is not None and passage.lanes:
            self._scores.addWidget(frame("divider"))
            self._scores.addWidget(SearchScores(self._theme, passage))
        if self._presenter.question:
            # Text that was typed without Enter would otherwise be shown above the explanation of another question.
            self._on_question_changed(self._presenter.question)
            self._presenter.explain()
        else:
            self._clear()
            self._say_what_is_missing()
            self._field.setFocus()

    @Slot(object)
    def show_explanation(self, explanation: Explanation) -> None:
        """Show the result of the search for the passage."""
        found = explanation.stage is Stage.FOUND
        self._clear()
        self._say(translate(explanation.sentence), "check-circle" if found else "info", "ok" if found else "warn")
        for advice in explanation.advice:
            self._body.addWidget(self._advice(advice))
        for note in explanation.notes:
            self._body.addWidget(label(translate(note), "caption", wrap=True))
        if explanation.accounts:
            self._show_account(explanation, explanation.accounts[0])

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._sentence, 1)
        page = frame("pane")
        inside = QVBoxLayout(page)
        inside.setContentsMargins(16, 8, 16, 16)
        inside.setSpacing(10)
        inside.addWidget(self._field)
        inside.addLayout(row)
        inside.addLayout(self._body)
        inside.addLayout(self._scores)
        inside.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(tr("Why"))
        scroll.setWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)

    def _show_account(self, explanation: Explanation, account: Account) -> None:
        strips = build_strips(explanation, account)
        if strips:
            self._body.addWidget(frame("divider"))
        for strip in strips:
            self._body.addWidget(RankStrip(self._theme, strip))
        if account.stage is Stage.BELOW_FLOOR:
            self._body.addWidget(ThresholdScores(account))
        if account.words:
            self._body.addWidget(label(tr("Words in the question"), "section"))
            chips = QWidget()
            flow = FlowLayout(chips, spacing=6)
            heaviest = max(word.share for word in account.words)
            for word in account.words:
                flow.addWidget(WordChip(self._theme, word, heaviest))
            self._body.addWidget(chips)
        self._body.addWidget(label(_foot(explanation, account), "caption", wrap=True))

    def _advice(self, advice: Advice) -> QWidget:
        row = QWidget()
        line = QVBoxLayout(row)
        line.setContentsMargins(28, 0, 0, 0)
        line.setSpacing(2)
        line.addWidget(label(translate(advice.text), "muted", wrap=True))
        if advice.kind is AdviceKind.ASK_WITH:
            ask = button(tr("Ask this"), "secondary", self._on_ask)
            ask.setToolTip(advice.question)
            self._better_questions[ask] = advice.question
            line.addWidget(ask, 0, Qt.AlignmentFlag.AlignLeft)
        return row

    def _say(self, text: str, icon: str = "help", colour: str = "text_muted") -> None:
        self._icon.show_icon(icon, colour)
        self._sentence.setText(text)
        self._sentence.setAccessibleName(text)

    def _say_what_is_missing(self) -> None:
        if not self._field.text().strip():
            self._say(tr(NO_QUESTION))
        else:
            self._say(tr(NO_PASSAGE) if self._presenter.spot is None else tr(PRESS_ENTER))

    def _clear(self) -> None:
        self._better_questions.clear()
        empty(self._body)

    @Slot()
    def _on_edited(self) -> None:
        """Remove the explanation of the question that was in the field before."""
        self._presenter.drop_request()
        self._clear()
        empty(self._scores)
        self._say_what_is_missing()

    @Slot()
    def _on_typed(self) -> None:
        self._presenter.ask_for(self._field.text())

    @Slot(str)
    def _on_question_changed(self, question: str) -> None:
        self._field.setText(question)
        self._field.setCursorPosition(0)

    @Slot()
    def _on_outdated(self) -> None:
        self._clear()
        empty(self._scores)
        self._say(tr(NO_PASSAGE) if self._presenter.question else tr(NO_QUESTION))

    @Slot()
    def _on_asked(self) -> None:
        # The previous explanation may belong to another question, whose text is already in the field.
        self._clear()
        self._say(tr(LOOKING), "clock")

    @Slot(str, str)
    def _on_failed(self, message: str, hint: str) -> None:
        self._clear()
        self._say(f"{message} {hint}".strip(), "alert", "warn")

    @Slot()
    def _on_ask(self) -> None:
        pressed = self.sender()
        if isinstance(pressed, QPushButton):
            self.question_asked.emit(self._better_questions.get(pressed, ""))


def _foot(explanation: Explanation, account: Account) -> str:
    """Return a line that names the explained passage, if several contain the place, and the state of the library."""
    if len(explanation.accounts) < 2:
        return tr("Based on the current state of the library.")
    chunk = tr("passage {n}", n=account.chunk.ordinal + 1)
    where = join_with_commas([part for part in (chunk, translate(account.place)) if part])
    return tr(
        "Best ranked of {n} passages there: {where}. Based on the current state of the library.",
        n=len(explanation.accounts),
        where=where,
    )


_PAD = 8
_ICON = 12
_WEIGHT = 3
_WIDEST = 220
_WORDS = {
    WordStanding.IN_TEXT: mark("in the passage"),
    WordStanding.ABOVE: mark("in its title or a heading"),
    WordStanding.MISSING: mark("missing"),
}


def spoken(word: QuestionWord) -> str:
    """Return the text equivalent of a chip."""
    rare = trn("occurs in {n:,} passage", "occurs in {n:,} passages", word.chunks)
    return tr(
        "“{word}”: {standing}; {share:.0%} of the question; {rare}",
        word=word.text,
        standing=tr(_WORDS[word.standing]),
        share=word.share,
        rare=rare if word.chunks else tr("does not occur in the library"),
    )


class WordChip(QWidget):
    """Chip of one word of the question. A missing word has a cross and a dashed edge, not only another colour."""

    def __init__(self, theme: Theme, word: QuestionWord, heaviest: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._word = word
        self._share = word.share / heaviest if heaviest else 0.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(spoken(word))
        self.setToolTip(spoken(word))
        theme.changed.connect(self.update)

    @property
    def word(self) -> QuestionWord:
        """The word that is shown."""
        return self._word

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._theme.font(self._theme.tokens().caption, text=self._word.text))
        width = metrics.horizontalAdvance(self._word.text) + 2 * _PAD + self._theme.scaled(_ICON) + 4
        return QSize(min(width, _WIDEST), metrics.lineSpacing() + _PAD + _WEIGHT + 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        held = self._word.is_held
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pill = QRectF(0.5, 0.5, self.width() - 1, self.height() - _WEIGHT - 3)
        edge = QPen(QColor(tokens.ok_soft if held else tokens.border_strong), 1)
        edge.setStyle(Qt.PenStyle.SolidLine if held else Qt.PenStyle.DashLine)
        painter.setPen(edge)
        painter.setBrush(QColor(tokens.ok_soft) if held else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(pill, 7, 7)
        colour = tokens.ok if held else tokens.warn
        icon = self._theme.pixmap("check" if held else "close", colour, _ICON)
        side = self._theme.scaled(_ICON)
        painter.drawPixmap(_PAD - 1, round(pill.center().y() - side / 2), icon)
        font = self._theme.font(tokens.caption, text=self._word.text)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text if held else tokens.text_muted))
        text_area = pill.adjusted(_PAD + side + 3, 0, -_PAD + 2, 0)
        text = QFontMetrics(font).elidedText(self._word.text, Qt.TextElideMode.ElideRight, round(text_area.width()))
        painter.drawText(text_area, Qt.AlignmentFlag.AlignVCenter, text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        wide = max(_WEIGHT, (pill.width() - 2 * _PAD) * self._share)
        painter.drawRoundedRect(QRectF(_PAD, self.height() - _WEIGHT, wide, _WEIGHT), _WEIGHT / 2, _WEIGHT / 2)
        painter.end()


class WhyTab(QObject):
    """Explains the passage that is shown, a selection in its text, or the page that is shown.

    Attributes:
        presenter: Presenter with the question of the explanations.

    Signals:
        question_asked: A question that finds the passage, to be put to the library.
    """

    question_asked = Signal(str)

    def __init__(self, bridge: Bridge, theme: Theme, tabs: QTabWidget, page: PageView, text: TextView) -> None:
        super().__init__(tabs)
        self.presenter = WhyPresenter(bridge, self)
        self._theme = theme
        self._holder = QWidget()
        layout = QVBoxLayout(self._holder)
        layout.setContentsMargins(0, 0, 0, 0)
        self._tabs = tabs
        self._page = page
        self._text = text
        self._document: int | None = None
        self._shown = DocumentSpot()
        self._passage: InspectedPassage | None = None
        tabs.addTab(self._holder, tr("Why"))
        tabs.currentChanged.connect(self._on_tab_changed)
        # Deferred: a new answer changes the question and then the passage, which needs one explanation only.
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.timeout.connect(self._on_due)
        self.presenter.outdated.connect(self._due.start)
        text.why_asked.connect(self._on_span)
        action = QAction(tr("Why was this page not found?"), page)
        action.triggered.connect(self._on_page)
        page.addAction(action)
        page.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    @cached_property
    def view(self) -> WhyView:
        """Content of the tab, created when the tab is first shown: most sessions never show it."""
        content = WhyView(self.presenter, self._theme)
        content.question_asked.connect(self.question_asked)
        layout = self._holder.layout()
        assert layout is not None
        layout.addWidget(content)
        return content

    @property
    def is_in_front(self) -> bool:
        """True if the tab is the current one."""
        return self._tabs.currentWidget() is self._holder

    def mean(self, document: int, start: int, end: int, passage: InspectedPassage | None = None) -> None:
        """Set the passage to explain, with its row if a search found it; explain it at once if the tab is in front."""
        self._document = document
        self._shown = DocumentSpot(start, end)
        self._passage = passage
        self.presenter.mean(document, self._shown)
        if self.is_in_front:
            self._begin()

    def forget(self) -> None:
        """Forget the passage."""
        self._document = None
        self.presenter.forget()

    @Slot()
    def explain(self) -> None:
        """Explain the passage, or the selection in its text if the text has the keyboard focus."""
        span = self._text.selected_span() if self._text.hasFocus() else None
        self._explain(DocumentSpot(*span) if span else self._shown)

    @Slot()
    def explain_document(self) -> None:
        """Explain the passage of the document that came furthest in the search."""
        self._explain(DocumentSpot())

    def _explain(self, spot: DocumentSpot) -> None:
        if self._document is None:
            return
        self.presenter.mean(self._document, spot)
        if self.is_in_front:
            self._begin()
        else:
            self._tabs.setCurrentWidget(self._holder)

    def _begin(self) -> None:
        """Explain the current place, with the scores of the passage if the place is the passage."""
        is_passage = self._passage is not None and self.presenter.spot == self._shown
        self.view.begin(self._passage if is_passage else None)

    @Slot(int, int)
    def _on_span(self, start: int, end: int) -> None:
        self._explain(DocumentSpot(start, end))

    @Slot()
    def _on_page(self) -> None:
        self._explain(DocumentSpot(page=self._page.page))

    @Slot()
    def _on_due(self) -> None:
        if self.is_in_front and self.presenter.is_due:
            self.view.begin()

    @Slot(int)
    def _on_tab_changed(self, _index: int) -> None:
        if self.is_in_front and self._document is not None:
            self._begin()
