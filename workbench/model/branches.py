"""Answers of a session that are branches of one another, and the line of answers that a question goes on from."""

from collections.abc import Sequence

from workbench.model.run import Run


def branches(runs: Sequence[Run]) -> dict[int, tuple[Run, ...]]:
    """Return by the number of each run those that it can be compared with, itself among them, oldest first.

    These are answers to the same question, and what was asked or answered in the place of another: with another result
    of a tool, another question, by another agent. A run without any is not in it.
    """
    family: dict[int, list[Run]] = {}
    asked: dict[str, int] = {}
    for run in runs:
        known = (_replaced(run), asked.get(_plain(run.question)))
        found = {id(family[number]): family[number] for number in known if number in family}
        joined = sorted((one for members in found.values() for one in members), key=lambda one: one.id)
        joined.append(run)
        for member in joined:
            family[member.id] = joined
        asked[_plain(run.question)] = run.id
    return {number: tuple(members) for number, members in family.items() if len(members) > 1}


def line(runs: Sequence[Run], last: int | None = None) -> Sequence[Run]:
    """Return the answers that the next question goes on from, oldest first: of several branches only the chosen one.

    Args:
        runs: All of a session, oldest first.
        last: The answer that is gone on from; None goes on as the newest one did, which mostly means from all of them.
    """
    if last is None and not any(is_following(run) for run in runs):
        return runs
    by_number, family = {run.id: run for run in runs}, branches(runs)
    current = by_number.get(last) if last is not None else runs[-1]
    kept: list[Run] = []
    while current is not None:
        kept.insert(0, current)
        if is_following(current) and current.parent in by_number:
            current = by_number[current.parent]
        else:
            first = family.get(current.id, (current,))[0].id
            current = next((run for run in reversed(runs) if run.id < first), None)
    return kept


def is_following(run: Run) -> bool:
    """Tell whether a run was asked after another one that was chosen, not in its place."""
    return run.parent is not None and run.parent_event is None


def _replaced(run: Run) -> int | None:
    return None if is_following(run) else run.parent


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()
