"""Earlier runs of a session as messages: what was asked and what was answered, nothing of how."""

from collections.abc import Sequence

from workbench.agent.markers import without_markers
from workbench.model.message import Message, Role
from workbench.model.run import Run

# Local models often see 8,192 tokens in all; about 3,000 of them for what was said before leaves room for passages.
MAX_CHARACTERS = 12_000


def history_messages(runs: Sequence[Run], *, max_characters: int = MAX_CHARACTERS) -> tuple[Message, ...]:
    """Return the newest runs that fit, oldest first; runs without an answer are left out.

    Citation markers are taken out of the old answers: their numbers mean something else in a new run, and a model that
    copies one would cite the wrong passage.
    """
    messages: list[Message] = []
    room = max_characters
    for run in reversed(runs):
        answer = without_markers(run.answer).strip()
        room -= len(run.question) + len(answer)
        if room < 0:
            break
        if answer:
            messages[:0] = [Message(Role.USER, run.question), Message(Role.ASSISTANT, answer)]
    return tuple(messages)
