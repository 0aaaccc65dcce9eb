"""The runs of a session as they are kept -> their transcripts, each made when it is asked for."""

from collections.abc import Sequence
from typing import overload

from workbench.model.run import Run
from workbench.ui.chat.transcript import Transcript


class Transcripts(Sequence[Transcript]):
    """The transcripts of a session: all at once, those of 250 answers would hold the window up for a tenth second.

    Args:
        runs: As they are kept, oldest first; transcripts that were made already stay the same.
    """

    def __init__(self, runs: Sequence[Run | Transcript]) -> None:
        self._runs: Sequence[Run | Transcript] = runs._runs if isinstance(runs, Transcripts) else runs

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Transcript: ...
    @overload
    def __getitem__(self, index: slice) -> "Transcripts": ...
    def __getitem__(self, index: int | slice) -> "Transcript | Transcripts":
        if isinstance(index, slice):
            return Transcripts(self._runs[index])
        run = self._runs[index]
        return run if isinstance(run, Transcript) else Transcript.of_run(run)

    @property
    def kept(self) -> Sequence[Run | Transcript]:
        """The same without making any: of a run its answer and its citations are at hand."""
        return self._runs

    @property
    def ended(self) -> list[Run]:
        """The runs as they are kept, without those that are under way."""
        runs = (kept.run if isinstance(kept, Transcript) else kept for kept in self._runs)
        return [run for run in runs if run is not None]

    def place(self, run: int) -> int | None:
        """Return which of them is that of a run, by the library's number; None where none is."""
        runs = (kept.run if isinstance(kept, Transcript) else kept for kept in self._runs)
        return next((place for place, kept in enumerate(runs) if kept is not None and kept.id == run), None)

    def with_more(self, transcripts: Sequence[Transcript]) -> "Transcripts":
        """Return these and then others."""
        return Transcripts([*self._runs, *transcripts])
