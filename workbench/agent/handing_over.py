"""What a search found -> the text that a model is handed: whole where there is room, else compressed to it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.agent.context_window import ContextWindow
from workbench.egress.gate import carrying
from workbench.language import mark
from workbench.model.hit import Hit

if TYPE_CHECKING:
    from workbench.retrieval.answer_sentences import SentenceRanker

# Compressed text is counted whole, and compressed again where it is too long, or leaves more than a tenth of the room.
_ATTEMPTS = 5
_TIGHTER = 0.96
_FULL = 0.9

Render = Callable[[Mapping[int, str]], str]


def texts_of(hits: Sequence[Hit]) -> dict[int, str]:
    """Return the text of each hit by its place, without what the hit before it has said already.

    Chunks of one page may overlap; of one that stands within the chunk before it nothing is left, and it is left out.
    """
    texts: dict[int, str] = {}
    before: Hit | None = None
    for place, hit in enumerate(hits):
        text = hit.chunk.text[_repeated(before, hit) :]
        if text or not hit.chunk.text:
            texts[place] = text
            before = hit
    return texts


def _repeated(before: Hit | None, hit: Hit) -> int:
    """Return how many characters at the beginning of a hit's text are the end of the text before it."""
    if before is None or hit.is_outside or before.chunk.document != hit.chunk.document:
        return 0
    said = before.chunk.text[hit.chunk.start - before.chunk.start :] if hit.chunk.start >= before.chunk.start else ""
    # Compared, since the user may have edited either.
    return min(len(said), len(hit.chunk.text)) if hit.chunk.text[: len(said)] == said[: len(hit.chunk.text)] else 0


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What a model is handed of a search.

    Attributes:
        texts: By the hit's place in the result: its text, or what is kept of it; those left out are not in it.
        before: Tokens of all of it.
        after: Tokens of what is handed over.
        left_out: How many sentences were left out.
    """

    texts: dict[int, str]
    before: int = 0
    after: int = 0
    left_out: int = 0

    @property
    def is_compressed(self) -> bool:
        """Whether anything was left out."""
        return self.left_out > 0

    @property
    def note(self) -> str:
        """A sentence for the user."""
        sentences = mark("1 sentence") if self.left_out == 1 else mark(f"{self.left_out:,} sentences")
        return mark(
            f"What was found was compressed from {self.before:,} to {self.after:,} tokens, so that the model has room"
            f" for it; {sentences} left out. The sources show it whole."
        )


_NOTHING = HandedOver({})


class HandingOver:
    """Fits the passages of a run's searches into what its model sees."""

    def __init__(self, window: ContextWindow, ranker: "SentenceRanker") -> None:
        self._window = window
        self._ranker = ranker

    async def has_room(self, text: str) -> bool:
        """Tell whether a text fits as it is into what the model sees."""
        estimated = self._window.estimate(text)
        return estimated <= await self._window.room(estimated)

    async def fit(self, question: str, hits: Sequence[Hit], render: Render) -> HandedOver:
        """Return the texts to hand over; nothing is left out where all of it fits.

        Args:
            question: What was searched for.
            hits: Best first.
            render: Texts by place in the result -> what the model would be sent.
        """
        whole = texts_of(hits)
        rendered = render(whole)
        estimated = self._window.estimate(rendered)
        room = await self._window.room(estimated)
        # Asking for the exact count is worth it only where it may matter.
        # A server that counts is sent the text.
        with carrying(chunks=(hit.chunk.id for hit in hits if hit.chunk.id > 0)):
            counted = estimated if estimated <= room else await self._window.count(rendered)
            made = HandedOver(whole)
            if counted > room:
                made = await self._compressed(question, hits, render, counted, room)
        self._window.take(made.after or counted)
        return made

    async def _compressed(
        self, question: str, hits: Sequence[Hit], render: Render, before: float, room: float
    ) -> HandedOver:
        # Not needed to get the window on screen, and seldom at all: what is found mostly fits.
        from workbench.retrieval.compression.compress import Compression, Passage

        passages = [
            Passage(place, text, _heading_of(hits[place]), hits[place].chunk.document)
            for place, text in texts_of(hits).items()
        ]
        whole = {passage.number: passage.text for passage in passages}
        estimated = self._window.estimate(render(whole))
        scale = before / estimated
        contents = sum(map(self._window.estimate, whole.values()))
        frame = scale * max(0.0, estimated - contents) / len(hits)
        compression = await asyncio.to_thread(Compression, question, passages, self._ranker)
        best, target = _NOTHING, room
        for _ in range(_ATTEMPTS):
            made = compression.fitted(target, lambda text: scale * self._window.estimate(text), frame=frame)
            texts = {one.number: one.text for one in made.excerpts}
            after = await self._window.count(render(texts))
            if best.after < after <= room:
                best = HandedOver(texts, round(before), round(after), made.left_out)
            if _FULL * room <= after <= room or not texts:
                break
            target *= _TIGHTER * room / after
        return best if best.texts else HandedOver({}, round(before), 0, len(hits))


def _heading_of(hit: Hit) -> str:
    return " ".join((hit.document_title, *hit.chunk.headings))
