"""What a run rests on -> what changed since then, in words."""

import hashlib
import json
from collections.abc import Sequence

from workbench.evaluation.writing import question_record
from workbench.language import mark
from workbench.model.evaluation import Circumstances
from workbench.model.golden import GoldenQuestion
from workbench.settings import declaration

SEARCH = "search"
"""The name in Circumstances.settings under which it stands how knowledge bases are searched."""


def digest_of(questions: Sequence[GoldenQuestion]) -> str:
    """Return what is the same for the same questions with the same judgements, in whatever order."""
    records = sorted(json.dumps(question_record(one), sort_keys=True) for one in questions)
    return hashlib.sha256("\n".join(records).encode()).hexdigest()[:16]


def changes(before: Circumstances, now: Circumstances) -> tuple[str, ...]:
    """Return what is another now, a phrase each; nothing where the run's figures still hold."""
    told = [
        _documents(now.documents - before.documents),
        _passages(now.chunks - before.chunks),
        _vectors(now.embedded - before.embedded),
    ]
    if before.contents != now.contents and not any(told):
        told.append(mark("what documents hold changed"))
    if before.questions != now.questions:
        told.append(mark("the golden questions changed"))
    if before.embedder != now.embedder:
        told.append(mark("the embedding model is another"))
    then = dict(before.settings)
    told += [_setting(name) for name, value in now.settings if then.get(name, value) != value]
    if before.version != now.version:
        told.append(mark(f"the program is version {now.version}, then {before.version}"))
    return tuple(one for one in told if one)


def _documents(more: int) -> str:
    if abs(more) == 1:
        return mark("1 document more" if more > 0 else "1 document fewer")
    return mark(f"{more:,} documents more" if more > 0 else f"{-more:,} documents fewer") if more else ""


def _passages(more: int) -> str:
    if abs(more) == 1:
        return mark("1 passage more" if more > 0 else "1 passage fewer")
    return mark(f"{more:,} passages more" if more > 0 else f"{-more:,} passages fewer") if more else ""


def _vectors(more: int) -> str:
    if abs(more) == 1:
        return mark("1 vector more" if more > 0 else "1 vector fewer")
    return mark(f"{more:,} vectors more" if more > 0 else f"{-more:,} vectors fewer") if more else ""


def _setting(name: str) -> str:
    if name == SEARCH:
        return mark("searches go another way")
    return mark(f"the setting “{declaration(name).title}” changed")
