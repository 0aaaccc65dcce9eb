"""Area below an answer: outcome banner, list of unsupported sentences, and footer with status and actions."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.language import mark, said, tr, trn
from workbench.model.claim import Claim, Verdict, doubtful, summary
from workbench.model.run import Certainty, RunStatus
from workbench.ui.chat import run_wording
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import Clicked, button, empty, label, restyle
from workbench.ui.network.air_gap_button import AirGapButton
from workbench.ui.theme import Theme

COPY = mark("Copy")
COPY_PLAIN = mark("Copy without numbers")
COMPARE = mark("Compare…")
READ_ALL = mark("Read everything")
FOOT = (COPY, COPY_PLAIN, mark("Ask again"), COMPARE, mark("Replay"), mark("Prompt"), READ_ALL)
"""Names of the buttons at the foot of a card."""
# Milliseconds for which a button shows "Copied".
_COPIED_MS = 2000
_ICON = 14


class AnswerFooter(QWidget):
    """Status line and row of buttons; hidden while the run is under way.

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
        self._actions = QWidget()
        self._flow = FlowLayout(self._actions, spacing=2)
        self._buttons: list[QPushButton] = []
        self._copy = self._action(COPY, "copy", self._on_copy)
        self._copy.setToolTip(tr("Copy the answer with its sources as footnotes"))
        self._copy_plain = self._action(COPY_PLAIN, "copy", self._on_copy_plain)
        self._again = self._action("Ask again", "refresh", self.again_asked)
        self._instead = self._action(mark("Ask differently"), "edit", self.instead_asked)
        self._instead.setToolTip(tr("Ask another question in the place of this one"))
        self._compare = self._action(COMPARE, "columns", self._on_compare)
        self._compare.setToolTip(tr("Compare it with another answer in its place, side by side"))
        self._replay = self._action("Replay", "clock", self.replay_asked)
        self._replay.setToolTip(tr("Go through the steps of this answer again, as they happened"))
        self._prompt = self._action("Prompt", "eye", self.prompt_asked)
        self._prompt.setToolTip(tr("Show exactly what the model was told"))
        self._read_all = self._action(READ_ALL, "eye", self._on_read_all)
        self._read_all.hide()
        self._copied_timer = QTimer(self)
        self._copied_timer.setSingleShot(True)
        self._copied_timer.setInterval(_COPIED_MS)
        self._copied_timer.timeout.connect(self._on_copied_timeout)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._status)
        layout.addWidget(self._actions)
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
        answered = bool(transcript.answer.strip())
        set_shown(self._copy, answered)
        set_shown(self._copy_plain, answered and any(citation.valid for citation in transcript.citations))
        set_shown(self._again, not offers_retry)
        set_shown(self._instead, transcript.run is not None)
        set_shown(self._compare, transcript.is_comparable)
        set_shown(self._replay, transcript.run is not None)
        set_shown(self._prompt, transcript.run is not None and bool(transcript.run.prompts))
        # The first visible button is aligned with the text above it.
        first = next((one for one in self._buttons if not _is_hidden(one)), None)
        for one in self._buttons:
            if bool(one.property("flush")) != (one is first):
                restyle(one, flush=one is first)

    def offer_reading(self, words: str, details: str) -> None:
        """Offer to read every passage, with a short and a detailed text about the effort."""
        self._read_all.setText(f"{tr(READ_ALL)}: {words}")
        self._read_all.setToolTip(details)
        self._read_all.setAccessibleDescription(details)
        set_shown(self._read_all, True)

    def _action(self, text: str, icon: str, clicked: Clicked) -> QPushButton:
        button = QPushButton(tr(text))
        button.setProperty("variant", "ghost")
        button.setProperty("icon_name", icon)
        button.setProperty("flush", False)
        button.setObjectName(text)
        button.setIconSize(QSize(_ICON, _ICON))
        button.setAutoDefault(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(clicked)
        self._flow.addWidget(button)
        self._buttons.append(button)
        return button

    @Slot()
    def _dress(self) -> None:
        for one in self._buttons:
            one.setIcon(self._theme.icon(one.property("icon_name"), size=_ICON))

    @Slot()
    def _on_read_all(self) -> None:
        self.reading_asked.emit(self._transcript.run)

    @Slot()
    def _on_compare(self) -> None:
        self.compare_asked.emit(self._transcript.run)

    @Slot()
    def _on_copy(self) -> None:
        transcript = self._transcript
        QGuiApplication.clipboard().setText(run_wording.with_footnotes(transcript.answer, transcript.citations))
        self._confirm(self._copy)

    @Slot()
    def _on_copy_plain(self) -> None:
        QGuiApplication.clipboard().setText(run_wording.without_citations(self._transcript.answer))
        self._confirm(self._copy_plain)

    def _confirm(self, button: QPushButton) -> None:
        button.setText(tr("Copied"))
        self._copied_timer.start()

    @Slot()
    def _on_copied_timeout(self) -> None:
        self._copy.setText(tr(COPY))
        self._copy_plain.setText(tr(COPY_PLAIN))


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
    """Content of the banner; an empty tone is the neutral one; has_unread offers to read what is not read yet."""

    tone: str
    icon: str
    title: str
    text: str
    retry: bool = False
    has_unread: bool = False


def outcome_of(transcript: Transcript) -> AnswerOutcome | None:
    """Return the banner for the outcome of a run; None while it runs and if it succeeded."""
    if transcript.running:
        return None
    if transcript.status is RunStatus.FAILED:
        kept = tr("What had been said until then is kept above.") if transcript.answer.strip() else ""
        text = "\n".join(part for part in (said(transcript.hint), kept) if part)
        return AnswerOutcome("danger", "error", said(transcript.error) or tr("The answer failed."), text, retry=True)
    if transcript.status is RunStatus.CANCELLED:
        has_begun = bool(transcript.answer.strip())
        kept = tr("The answer is kept as far as it went.") if has_begun else tr("Nothing had been said yet.")
        return AnswerOutcome("", "stop", tr("You stopped this answer"), kept, retry=True)
    coverage = transcript.coverage
    is_nothing = transcript.certainty in (Certainty.NOT_FOUND, Certainty.UNKNOWN)
    if is_nothing and coverage is not None and not coverage.is_complete:
        has_unread = bool(coverage.waiting or coverage.pages)
        title = tr("Not found in what was read so far")
        return AnswerOutcome("warn", "clock", title, said(coverage.sentence), retry=True, has_unread=has_unread)
    if transcript.certainty is Certainty.NOT_FOUND:
        suggestions = "\n".join(f"•  {tr(suggestion)}" for suggestion in run_wording.SUGGESTIONS)
        text = "\n".join(part for part in (run_wording.searched_for(transcript), suggestions) if part)
        return AnswerOutcome("warn", "search", tr("Nothing found in your library"), text)
    if transcript.certainty is Certainty.UNKNOWN:
        text = tr("The answer may stand in what could not be searched yet. Ask again when everything has been read.")
        return AnswerOutcome("warn", "clock", tr("Not known yet"), text, retry=True)
    if transcript.certainty is Certainty.CLOSEST:
        text = tr("These passages come closest. Open them to check, or ask in the words of the documents.")
        return AnswerOutcome("warn", "search", tr("Not sure that this answers your question"), text)
    invented = run_wording.invalid_markers(transcript.citations)
    if invented:
        numbers = ", ".join(f"[{number}]" for number in invented)
        text = trn(
            "The answer names a source that does not exist. Do not rely on the sentences beside it.",
            "The answer names sources that do not exist. Do not rely on the sentences beside it.",
            len(invented),
        )
        title = trn("{numbers} points at no source", "{numbers} point at no source", len(invented), numbers=numbers)
        return AnswerOutcome("warn", "alert", title, text)
    return None


class OutcomeBanner(QFrame):
    """A tinted box with icon, title, text and an optional button.

    Signals:
        retry_requested: The user wants the question asked again.
        unread_requested: The user wants the documents read first that the search could not see.
    """

    retry_requested = Signal()
    unread_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._outcome: AnswerOutcome | None = None
        self._icon = label()
        self._title = label("", "title", wrap=True)
        self._text = label("", "muted", wrap=True)
        for part in (self._title, self._text):
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._switch = AirGapButton()
        self._retry = QPushButton(tr("Try again"))
        self._retry.setAutoDefault(True)
        self._retry.clicked.connect(self.retry_requested)
        self._unread = button(tr("Read it first"), "secondary", self.unread_requested)
        self._unread.setToolTip(tr("Read what could not be searched before everything else"))
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._text)
        for offer in (self._switch, self._unread):
            words.addWidget(offer, 0, Qt.AlignmentFlag.AlignLeft)
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
        self.setAccessibleName(f"{outcome.title} {outcome.text}".strip())


_TONES = {Verdict.UNSUPPORTED: "danger", Verdict.WEAK: "warn"}


class ClaimList(QWidget):
    """Summary line that unfolds the doubtful sentences; hidden if the answer was not checked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._claims: tuple[Claim, ...] = ()
        self._summary = button("", "ghost", self._on_pressed)
        self._summary.setIconSize(QSize(_ICON, _ICON))
        self._summary.setCheckable(True)
        self._summary.setProperty("flush", True)
        self._doubtful = QWidget()
        self._lines = QVBoxLayout(self._doubtful)
        self._lines.setContentsMargins(_ICON + 6, 0, 0, 4)
        self._lines.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._summary, alignment=Qt.AlignmentFlag.AlignLeft)
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
        text = said(summary(self._claims))
        self._summary.setText(text)
        self._summary.setAccessibleName(tr("Checked against the sources: {summary}", summary=text))
        tip = tr("Show which sentences are not borne out by their sources")
        self._summary.setToolTip(tip if doubted else "")
        self._summary.setEnabled(bool(doubted))
        empty(self._lines)
        for claim in doubted:
            line = label(said(claim.sentence), "muted", wrap=True, tone=_TONES.get(claim.verdict, ""))
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
        self._summary.setIcon(self._theme.icon(icon, size=_ICON))
        restyle(self._summary)

    @Slot()
    def _on_pressed(self) -> None:
        self._doubtful.setVisible(self.is_unfolded)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._dress()
