"""The check at the end of a run: whatever becomes of it, the answer stays."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from workbench.language import mark
from workbench.model.hit import NumberedHit
from workbench.model.run import ClaimsChecked, Notice, RunCompleted, RunEvent

logger = logging.getLogger(__name__)

_FAILED = mark("The answer could not be checked against its sources.")


class Checker(Protocol):
    """Compares an answer with what its run has found."""

    async def check(
        self, known: str, answer: str, references: Mapping[int, NumberedHit]
    ) -> Sequence[ClaimsChecked | Notice]:
        """Return what came of it; nothing where there is nothing to check.

        Args:
            known: The question, and what tools have said: the answer may name what stands there.
            answer: Its Markdown.
            references: The run's hits under their numbers.
        """
        ...


async def check_claims(
    checker: Checker,
    known: str,
    end: RunCompleted,
    references: Mapping[int, NumberedHit],
    emit: Callable[[RunEvent], None],
) -> None:
    """Have an answer checked; a refusal claims nothing, and a check that fails is a notice.

    Args:
        checker: Who checks.
        known: The question, and what tools have said.
        end: How the run is about to end.
        references: The run's hits under their numbers.
        emit: Told what came of it.
    """
    if end.refused:
        return
    try:
        for event in await checker.check(known, end.answer, references):
            emit(event)
    except Exception:  # the answer is there already: no fault of its check may take it away
        logger.exception("An answer could not be checked")
        emit(Notice(_FAILED))
