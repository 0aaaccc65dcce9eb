"""Area below an answer: outcome banner, list of unsupported sentences, and footer with status and actions."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate, trn
from workbench.model.claim import Claim, Verdict, doubtful, summary
from workbench.model.run import Certainty, RunStatus
from workbench.ui.chat import run_wording
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import Clicked, IconButton, IconLabel, button, empty, label, restyle, set_icon
from workbench.ui.network.offline_mode_button import OfflineModeButton
from workbench.ui.theme import Theme

COPY = mark("Copy")
AGAIN = mark("Ask again")
READ_ALL = mark("Read everything")
FOOT = (COPY, "Copy without numbers", AGAIN, "Ask differently", "Compare", "Replay", "Prompt", READ_ALL)
"""Object names of the actions of an answer, in the order of its menus."""
# Milliseconds for which the button shows "Copied".
_COPIED_MS = 2000
_ICON = 14
_OFFER_GAP = 5


class AnswerFooter(QWidget):
    """Status line, buttons for the two most frequent actions, and a menu with the others; hidden during the run.

    Each action is a QAction child with a name of FOOT; it is visible if the answer has it.

    Signals:
        again_asked: The question is to be asked as a new run.
        instead_asked: Another question is to be asked in its place.
        compare_asked: The Run, to be compared with another answer in its place.
        replay_asked: The replay of the answer is to be started or ended.
        prompt_asked: The prompt of the answer is to be shown.
        reading_asked: The Run for whose question every passage is to be read, as offered.
    """

    again_asked = Signal()
    instead_asked = Signal()
    compare_asked = Signal(object)
    replay_asked = Signal()
    prompt_asked = Signal()
    reading_asked = Signal(object)

    def __init__(self, theme: Theme, transcript: Transcript, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._transcript = transcript
        self._status = caption_label()
        self._icons: dict[QAction, str] = {}
        self._copy = self._action(COPY, tr(COPY), "copy", self._on_copy)
        self._copy_plain = self._action(FOOT[1], tr("Copy without citation numbers"), "copy", self._on_copy_plain)
        self._again = self._action(AGAIN, tr(AGAIN), "refresh", self.again_asked)
        self._instead = self._action(FOOT[3], tr("Edit question…"), "edit", self.instead_asked)
        self._compare = self._action(FOOT[4], tr("Compare with another answer…"), "columns", self._on_compare)
        self._replay = self._action(FOOT[5], tr("Replay the steps"), "clock", self.replay_asked)
        self._prompt = self._action(FOOT[6], tr("Show the prompt"), "eye", self.prompt_asked)
        self._read_all = self._action(READ_ALL, tr(READ_ALL), "eye", self._on_read_all)
        self._read_all.setVisible(False)
        self._copy_button = ActionButton(self._copy)
        self._copy_button.setToolTip(tr("Copy the answer with its sources as footnotes"))
        self._buttons = (self._copy_button, ActionButton(self._again))
        self._more = IconButton(theme, "more", tr("More actions for this answer"))
        self._arrange()
        self._copied_timer = QTimer(self)
        self._copied_timer.setSingleShot(True)
        self._copied_timer.setInterval(_COPIED_MS)
        self._copied_timer.timeout.connect(self._on_copied_timeout)
        theme.changed.connect(self._dress)
        self._dress()

    def show_transcript(self, shown: Transcript, *, offers_retry: bool) -> None:
        """Show the outcome of a run and the available actions, also during a replay.

        Args:
            shown: The transcript to show; during a replay, that of an earlier moment.
            offers_retry: True if the card has another button that asks again.
        """
        transcript = self._transcript
        self._status.setText(run_wording.status_line(shown))
        set_shown(self._status, not shown.running)
        answered, run = bool(transcript.answer.strip()), transcript.run
        self._copy.setVisible(answered)
        self._copy_plain.setVisible(answered and any(citation.valid for citation in transcript.citations))
        self._again.setVisible(not offers_retry)
        self._instead.setVisible(run is not None)
        self._compare.setVisible(transcript.is_comparable)
        self._replay.setVisible(run is not None)
        self._prompt.setVisible(run is not None and bool(run.prompts))
        set_shown(self._more, any(one.isVisible() for one in self._more.actions()))
        # The first visible button is aligned with the text above it.
        first = next((one for one in self._buttons if one.action.isVisible()), None)
        for one in self._buttons:
            set_shown(one, one.action.isVisible())
            if bool(one.property("flush")) != (one is first):
                restyle(one, flush=one is first)

    def offer_reading(self, words: str, details: str) -> None:
        """Offer in the menu to read every passage, with a short and a detailed text about the effort."""
        self._read_all.setText(f"{tr(READ_ALL)}: {words}")
        self._read_all.setToolTip(details)
        self._read_all.setVisible(True)
        set_shown(self._more, True)

    def _arrange(self) -> None:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self._more.addActions(
            [self._copy_plain, self._instead, self._compare, self._read_all, self._replay, self._prompt]
        )
        menu.addActions(self._more.actions())
        self._more.setMenu(menu)
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        actions = QWidget()
        flow = FlowLayout(actions, spacing=2)
        for one in (*self._buttons, self._more):
            flow.addWidget(one)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._status)
        layout.addWidget(actions)

    def _action(self, name: str, text: str, icon: str, triggered: Clicked) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        action.triggered.connect(triggered)
        self._icons[action] = icon
        return action

    @Slot()
    def _dress(self) -> None:
        for action, icon in self._icons.items():
            action.setIcon(self._theme.icon(icon, size=_ICON))
        for one in self._buttons:
            set_icon(one, self._theme, self._icons[one.action], size=_ICON)

    @Slot()
    def _on_read_all(self) -> None:
        self.reading_asked.emit(self._transcript.run)

    @Slot()
    def _on_compare(self) -> None:
        self.compare_asked.emit(self._transcript.run)

    @Slot()
    def _on_copy(self) -> None:
        transcript = self._transcript
        self._put_on_clipboard(run_wording.with_footnotes(transcript.answer, transcript.citations))

    @Slot()
    def _on_copy_plain(self) -> None:
        self._put_on_clipboard(run_wording.without_citations(self._transcript.answer))

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._copy_button.setText(tr("Copied"))
        self._copied_timer.start()

    @Slot()
    def _on_copied_timeout(self) -> None:
        self._copy_button.setText(tr(COPY))


class ActionButton(QPushButton):
    """Flat button that triggers an action and has its name and text.

    Attributes:
        action: The action.
    """

    def __init__(self, action: QAction) -> None:
        super().__init__(action.text())
        self.action = action
        self.setProperty("variant", "ghost")
        self.setProperty("flush", False)
        self.setObjectName(action.objectName())
        self.setAutoDefault(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(action.trigger)


def caption_label() -> QLabel:
    """Return an empty caption label whose text can be selected."""
    caption = label("", "caption", wrap=True)
    caption.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return caption


def set_shown(widget: QWidget, shown: bool) -> None:
    """Show or hide a part of a card; leave a part alone that becomes visible with its card, to avoid restyling it."""
    if _is_hidden(widget) == shown:
        widget.setVisible(shown)


def _is_hidden(widget: QWidget) -> bool:
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """Content of the banner; an empty tone is the neutral one.

    has_unread offers to read what is not read yet, has_locked to enter the passwords that it lacks.
    """

    tone: str
    icon: str
    title: str
    text: str
    retry: bool = False
    has_unread: bool = False
    has_locked: bool = False


def outcome_of(transcript: Transcript) -> AnswerOutcome | None:
    """Return the banner for the outcome of a run; None while it runs and if it succeeded."""
    if transcript.running:
        return None
    if transcript.status is RunStatus.FAILED:
        kept = tr("The text written before that is kept above.") if transcript.answer.strip() else ""
        text = "\n".join(part for part in (translate(transcript.hint), kept) if part)
        return AnswerOutcome(
            "danger", "error", translate(transcript.error) or tr("The answer failed."), text, retry=True
        )
    if transcript.status is RunStatus.CANCELLED:
        kept = tr("Nothing was written yet.")
        if transcript.claims:
            kept = tr(
                "What it had written is kept. Its last sentence may be unfinished;"
                " the sentences before it were checked."
            )
        elif transcript.answer.strip():
            kept = tr("What it had written is kept. Its last sentence may be unfinished.")
        return AnswerOutcome("", "stop", tr("You stopped this answer"), kept, retry=True)
    coverage = transcript.coverage
    is_nothing = transcript.certainty in (Certainty.NOT_FOUND, Certainty.UNKNOWN)
    if is_nothing and coverage is not None and not coverage.is_complete:
        has_unread = bool(coverage.waiting or coverage.pages or coverage.failed)
        title = tr("Not found in what was read so far")
        return AnswerOutcome(
            "warn",
            "clock",
            title,
            translate(coverage.sentence),
            retry=True,
            has_unread=has_unread,
            has_locked=coverage.locked > 0,
        )
    if transcript.certainty is Certainty.NOT_FOUND:
        suggestions = "\n".join(f"•  {tr(suggestion)}" for suggestion in run_wording.SUGGESTIONS)
        text = "\n".join(part for part in (run_wording.searched_for(transcript), suggestions) if part)
        return AnswerOutcome("warn", "search", tr("Nothing found in your library"), text)
    if transcript.certainty is Certainty.UNKNOWN:
        text = tr(
            "The answer may be in documents that could not be searched yet. Ask again when everything has been read."
        )
        return AnswerOutcome("warn", "clock", tr("Not known yet"), text, retry=True)
    if transcript.certainty is Certainty.CLOSEST:
        text = tr(
            "These are the closest passages. Open them to check, or use words from the documents in your question."
        )
        return AnswerOutcome("warn", "search", tr("This may not answer your question"), text)
    invented = run_wording.invalid_markers(transcript.citations)
    if invented:
        numbers = ", ".join(f"[{number}]" for number in invented)
        text = trn(
            "The answer cites a source that does not exist. Do not rely on the sentences next to this number.",
            "The answer cites sources that do not exist. Do not rely on the sentences next to these numbers.",
            len(invented),
        )
        title = trn("{numbers} is not a source", "{numbers} are not sources", len(invented), numbers=numbers)
        return AnswerOutcome("warn", "alert", title, text)
    return None


class OutcomeBanner(QFrame):
    """A tinted box with icon, title, text and an optional button.

    Signals:
        retry_requested: The user wants the question asked again.
        unread_requested: The user wants the documents read first that the search could not see.
        passwords_requested: The user wants to enter the passwords of locked documents.
    """

    retry_requested = Signal()
    unread_requested = Signal()
    passwords_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._outcome: AnswerOutcome | None = None
        self._icon = label()
        self._title = label("", "title", wrap=True)
        self._text = label("", "muted", wrap=True)
        for part in (self._title, self._text):
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._switch = OfflineModeButton()
        self._retry = QPushButton(tr("Try again"))
        self._retry.setAutoDefault(True)
        self._retry.clicked.connect(self.retry_requested)
        self._unread = button(tr("Read it first"), "secondary", self.unread_requested)
        self._unread.setToolTip(tr("Read what cannot be searched yet before anything else"))
        self._locked = button(tr("Enter password…"), "secondary", self.passwords_requested)
        self._locked.setToolTip(tr("Unlock the documents that need a password, and read them"))
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._text)
        offers = FlowLayout(spacing=8)
        for offer in (self._switch, self._unread, self._locked):
            offers.addWidget(offer)
        # A layout without visible parts takes no room, so that the gap goes with the buttons.
        row = QVBoxLayout()
        row.setContentsMargins(0, _OFFER_GAP, 0, 0)
        row.addLayout(offers)
        words.addLayout(row)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(10)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        layout.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()
        theme.changed.connect(self._on_theme_changed)

    @property
    def offers_retry(self) -> bool:
        """True if the banner has a button that asks again."""
        return self._outcome is not None and self._outcome.retry

    def show_transcript(self, transcript: Transcript) -> None:
        """Show the outcome of a run, or hide the banner if there is nothing to report."""
        self._outcome = outcome_of(transcript)
        self._switch.follow(transcript.hint)
        self._show()

    def _on_theme_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        outcome = self._outcome
        self.setVisible(outcome is not None)
        if outcome is None:
            return
        tokens = self._theme.tokens()
        colour = {"danger": tokens.danger, "warn": tokens.warn}.get(outcome.tone, tokens.text_muted)
        restyle(self, role="banner" if outcome.tone else "well", tone=outcome.tone)
        self._icon.setPixmap(self._theme.pixmap(outcome.icon, colour, 18))
        self._title.setText(outcome.title)
        self._text.setText(outcome.text)
        self._text.setVisible(bool(outcome.text))
        self._retry.setVisible(outcome.retry)
        self._unread.setVisible(outcome.has_unread)
        self._locked.setVisible(outcome.has_locked)
        self.setAccessibleName(f"{outcome.title} {outcome.text}".strip())


_TONES = {Verdict.UNSUPPORTED: "danger", Verdict.WEAK: "warn"}


class ClaimList(QWidget):
    """Summary line, a button that unfolds the doubtful sentences if there are any; hidden if nothing was checked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._claims: tuple[Claim, ...] = ()
        self._summary = button("", "ghost", self._on_pressed)
        self._summary.setCheckable(True)
        self._summary.setProperty("flush", True)
        self._all_supported = QWidget()
        self._statement = caption_label()
        line = QHBoxLayout(self._all_supported)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(IconLabel(theme, "check-circle", size=_ICON))
        line.addWidget(self._statement, 1)
        self._doubtful = QWidget()
        self._lines = QVBoxLayout(self._doubtful)
        self._lines.setContentsMargins(_ICON + 6, 0, 0, 4)
        self._lines.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._summary, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._all_supported)
        layout.addWidget(self._doubtful)
        theme.changed.connect(self._on_theme_changed)
        self._show()

    @property
    def is_unfolded(self) -> bool:
        """True if the doubtful sentences are shown."""
        return self._summary.isChecked()

    def show_claims(self, claims: Sequence[Claim]) -> None:
        """Show the verdicts on the claims of an answer."""
        if tuple(claims) != self._claims:
            self._claims = tuple(claims)
            self._summary.setChecked(False)
            self._show()

    def _show(self) -> None:
        doubted = doubtful(self._claims)
        text = translate(summary(self._claims))
        name = tr("Checked against the sources: {summary}", summary=text)
        for shown in (self._summary, self._statement):
            shown.setText(text)
            shown.setAccessibleName(name)
        self._summary.setToolTip(tr("Show the sentences that their sources do not support"))
        self._summary.setVisible(bool(doubted))
        self._all_supported.setVisible(not doubted)
        empty(self._lines)
        for claim in doubted:
            line = label(translate(claim.sentence), "muted", wrap=True, tone=_TONES.get(claim.verdict, ""))
            line.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            self._lines.addWidget(line)
        self._doubtful.setVisible(self.is_unfolded)
        self.setVisible(bool(text))
        self._dress()

    def _dress(self) -> None:
        worst = {claim.verdict for claim in self._claims}
        icon = "alert" if Verdict.UNSUPPORTED in worst or Verdict.WEAK in worst else "check-circle"
        set_icon(self._summary, self._theme, icon, size=_ICON)
        restyle(self._summary)

    @Slot()
    def _on_pressed(self) -> None:
        self._doubtful.setVisible(self.is_unfolded)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._dress()
