"""Announcement of a streamed answer for screen readers: each completed sentence, and the end of the answer."""

import re

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from workbench.language import tr, translate, trn
from workbench.model.run import RunStatus
from workbench.ui.chat.presenter import ConversationPresenter
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.transcript import Transcript
from workbench.ui.messages import announce

# A sentence ends before white space or at a new line; a Chinese sentence ends at its punctuation mark.
_END = re.compile(r"[.!?…][”’\")\]]*(?:\s*\[\d+\])*(?=\s)|[。！？](?:\[\d+\])*|\n")
# Citations can be read in the list of sources, and Markdown marks are not meant to be read aloud.
_UNSPOKEN = re.compile(r"(?:(?<!\s)\s++)?\[\d+(?:\s*,\s*\d+)*\]|[*_`#|]+|^[^\S\n]*+[-+>]\s+", re.MULTILINE)


class AnswerAnnouncer(QObject):
    """Announces the answer that streams in a chat pane."""

    def __init__(self, pane: QWidget) -> None:
        super().__init__(pane)
        self._pane = pane
        conversation, cards = pane.findChild(ConversationPresenter), pane.findChild(RunCards)
        assert conversation is not None
        assert cards is not None
        self._cards = cards
        self._announced = 0
        conversation.started.connect(self._on_started)
        conversation.progressed.connect(self._on_progressed)
        conversation.ended.connect(self._on_ended)

    @Slot(object)
    def _on_started(self, transcript: Transcript) -> None:
        # An answer that is opened again continues from here: what was announced before can be read.
        self._announced = len(transcript.answer)

    @Slot()
    def _on_progressed(self) -> None:
        if not self._cards.cards:
            return
        answer = self._cards.cards[-1].transcript.answer
        if len(answer) < self._announced:
            # The text so far was not the answer and was discarded.
            self._announced = 0
        ends = [found.end() for found in _END.finditer(answer, self._announced)]
        if ends:
            self._say(answer[self._announced : ends[-1]])
            self._announced = ends[-1]

    @Slot(object)
    def _on_ended(self, transcript: Transcript) -> None:
        rest, self._announced = transcript.answer[self._announced :], 0
        if transcript.status is RunStatus.FAILED:
            announce(self._pane, f"{translate(transcript.error)} {translate(transcript.hint)}", at_once=True)
            return
        self._say(rest)
        sources = len({citation.marker for citation in transcript.citations if citation.valid})
        announce(self._pane, _end_message(sources, stopped=transcript.status is RunStatus.CANCELLED))

    def _say(self, text: str) -> None:
        words = " ".join(_UNSPOKEN.sub("", text).split())
        if words:
            announce(self._pane, words)


def _end_message(sources: int, *, stopped: bool) -> str:
    """Return the announcement at the end of an answer with this number of sources."""
    if not sources:
        return tr("Stopped.") if stopped else tr("End of the answer.")
    if stopped:
        return trn("Stopped. {n:,} source.", "Stopped. {n:,} sources.", sources)
    return trn("End of the answer. {n:,} source.", "End of the answer. {n:,} sources.", sources)
