"""How a run ended, where that is not simply well: nothing found, failed, stopped, or a source that does not exist."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.language import said, tr, trn
from workbench.model.run import Certainty, RunStatus
from workbench.ui.chat import wording
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import label, restyle
from workbench.ui.network.air_gap_button import AirGapButton
from workbench.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the banner says; an empty tone is the quiet one."""

    tone: str
    icon: str
    title: str
    text: str
    retry: bool = False


def outcome_of(transcript: Transcript) -> Outcome | None:
    """Return what there is to say of how a run ended; None while it goes on and when all went well."""
    if transcript.running:
        return None
    if transcript.status is RunStatus.FAILED:
        kept = tr("What had been said until then is kept above.") if transcript.answer.strip() else ""
        text = "\n".join(part for part in (said(transcript.hint), kept) if part)
        return Outcome("danger", "error", said(transcript.error) or tr("The answer failed."), text, retry=True)
    if transcript.status is RunStatus.CANCELLED:
        has_begun = bool(transcript.answer.strip())
        kept = tr("The answer is kept as far as it went.") if has_begun else tr("Nothing had been said yet.")
        return Outcome("", "stop", tr("You stopped this answer"), kept, retry=True)
    if transcript.certainty is Certainty.NOT_FOUND:
        suggestions = "\n".join(f"•  {tr(suggestion)}" for suggestion in wording.SUGGESTIONS)
        text = "\n".join(part for part in (wording.searched_for(transcript), suggestions) if part)
        return Outcome("warn", "search", tr("Nothing found in your library"), text)
    if transcript.certainty is Certainty.UNKNOWN:
        text = tr("The answer may stand in what could not be searched yet. Ask again when everything has been read.")
        return Outcome("warn", "clock", tr("Not known yet"), text, retry=True)
    if transcript.certainty is Certainty.CLOSEST:
        text = tr("These passages come closest. Open them to check, or ask in the words of the documents.")
        return Outcome("warn", "search", tr("Not sure that this answers your question"), text)
    invented = wording.invalid_markers(transcript.citations)
    if invented:
        numbers = ", ".join(f"[{number}]" for number in invented)
        text = trn(
            "The answer names a source that does not exist. Do not rely on the sentences beside it.",
            "The answer names sources that do not exist. Do not rely on the sentences beside it.",
            len(invented),
        )
        title = trn("{numbers} points at no source", "{numbers} point at no source", len(invented), numbers=numbers)
        return Outcome("warn", "alert", title, text)
    return None


class OutcomeBanner(QFrame):
    """A tinted box with icon, title, text and perhaps a button.

    Signals:
        retry_requested: The user wants the question asked again.
    """

    retry_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._outcome: Outcome | None = None
        self._icon = label()
        self._title = label("", "title", wrap=True)
        self._text = label("", "muted", wrap=True)
        for part in (self._title, self._text):
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._switch = AirGapButton()
        self._retry = QPushButton(tr("Try again"))
        self._retry.setAutoDefault(True)
        self._retry.clicked.connect(self.retry_requested)
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._text)
        words.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignLeft)
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
        """Whether it has a button that asks again."""
        return self._outcome is not None and self._outcome.retry

    def show_transcript(self, transcript: Transcript) -> None:
        """Show how a run ended, or nothing."""
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
        self.setAccessibleName(f"{outcome.title} {outcome.text}".strip())
