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

    def with_more(self, transcripts: Sequence[Transcript]) -> "Transcripts":
        """Return these and then others."""
        return Transcripts([*self._runs, *transcripts])
