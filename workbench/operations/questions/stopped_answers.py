"""Claim check of stopped answers: by text alone, after the stop, which nothing may delay."""

import logging
import re
from dataclasses import replace

from workbench.agent.markers import blank_markers
from workbench.agent.references import RunReferences
from workbench.agent.run_log import results_of
from workbench.chunking.sentences import sentence_spans
from workbench.errors import NotFound
from workbench.model.run import ClaimsChecked, Run, RunStatus, TimedEvent
from workbench.operations.library.library import Library
from workbench.operations.questions.agent_session import text_checker
from workbench.worker.job import JobContext, Operation

logger = logging.getLogger(__name__)

# A full stop after a digit may be the point of a number that was cut off.
_COMPLETE = re.compile(r"(?:[!?。！？…]|(?<!\d)\.)[\s\"'”’」』）)\]*_]*$")
_CUT_MARKER = re.compile(r"[\[【][\d\s,，、]*$")


def check_stopped_answer(library: Library, run: Run, *, user: str | None = None) -> Operation[Run]:
    """Check a stopped answer up to its last complete sentence, store the result with the run, and return the run.

    The run is returned unchanged if it was not stopped, if nothing was searched for it, if it was checked already, or
    if answers of its profile are not checked.

    Args:
        library: The open library.
        run: The stored run.
        user: The owner of the run; None means the user for whom the library was opened.

    Raises:
        NotFound: The user has no such run any more.
        SettingError: The user name is not valid.
    """

    async def operation(_context: JobContext) -> Run:
        part = complete_sentences(run.answer)
        if run.status is not RunStatus.CANCELLED or not (part and run.references and run.events) or run.claims:
            return run
        settings = await library.on_store(library.setting_values.load)
        try:
            profile = await library.on_store(library.profiles.get, run.profile)
        except NotFound:
            return run  # it was removed meanwhile
        checker = text_checker(library, settings, profile)
        if checker is None:
            return run
        references = RunReferences()
        for reference in run.references:
            references.restore(reference)
        known = "\n".join((run.question, *results_of(run.events)))
        last = run.events[-1]
        for event in await checker.check(known, part, references.numbered):
            if isinstance(event, ClaimsChecked):
                checked = TimedEvent(last.number + 1, last.seconds, event)
                await library.on_store(library.sessions_of(library.resolve_user(user)).append_event, run.id, checked)
                logger.info("Stopped answer %d was checked", run.id)
                return replace(run, events=(*run.events, checked))
        return run

    return operation


def complete_sentences(answer: str) -> str:
    """Return the beginning of an answer up to the end of its last complete sentence; empty if none is complete."""
    bare = blank_markers(answer)
    if cut := _CUT_MARKER.search(bare):
        bare = bare[: cut.start()]
    spans = sentence_spans(bare)
    if spans and not _COMPLETE.search(bare[slice(*spans[-1])]):
        return answer[: spans[-1][0]].rstrip()
    return answer[: len(bare)].rstrip() if spans else ""
