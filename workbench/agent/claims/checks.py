"""The check of claims at the end of a run; an error in it does not affect the answer."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from workbench.language import mark
from workbench.model.hit import NumberedHit
from workbench.model.run import ClaimsChecked, Notice, RunCompleted, RunEvent

logger = logging.getLogger(__name__)

_FAILED = mark("The answer could not be checked against its sources.")


class Checker(Protocol):
    """Compares an answer with the references of its run."""

    async def check(
        self, known: str, answer: str, references: Mapping[int, NumberedHit]
    ) -> Sequence[ClaimsChecked | Notice]:
        """Return the events with the result; empty if there is nothing to check.

        Args:
            known: The question and the results of tools, whose names and numbers the answer may use.
            answer: The answer in Markdown.
            references: Hits of the run by number.
        """
        ...


async def check_claims(
    checker: Checker,
    known: str,
    end: RunCompleted,
    references: Mapping[int, NumberedHit],
    emit: Callable[[RunEvent], None],
) -> None:
    """Check an answer and emit the result; a refusal is not checked, and a check that fails emits a notice.

    Args:
        checker: The checker.
        known: The question and the results of tools.
        end: Event with which the run is about to end.
        references: Hits of the run by number.
        emit: Receives the events.
    """
    if end.refused:
        return
    try:
        for event in await checker.check(known, end.answer, references):
            emit(event)
    except Exception:  # the answer is complete already: no error in its check may discard it
        logger.exception("An answer could not be checked")
        emit(Notice(_FAILED))
