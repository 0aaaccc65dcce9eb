"""What a run rests on -> what changed since then, in words."""

import hashlib
import json
from collections.abc import Sequence

from workbench.evaluation.writing import question_record
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
        _number(now.documents - before.documents, "document"),
        _number(now.chunks - before.chunks, "passage"),
        _number(now.embedded - before.embedded, "vector"),
    ]
    if before.contents != now.contents and not any(told):
        told.append("what documents hold changed")
    if before.questions != now.questions:
        told.append("the golden questions changed")
    if before.embedder != now.embedder:
        told.append("the embedding model is another")
    then = dict(before.settings)
    told += [_setting(name) for name, value in now.settings if then.get(name, value) != value]
    if before.version != now.version:
        told.append(f"the program is version {now.version}, then {before.version}")
    return tuple(one for one in told if one)


def _number(difference: int, thing: str) -> str:
    if not difference:
        return ""
    many = "" if abs(difference) == 1 else "s"
    return f"{abs(difference):,} {thing}{many} {'more' if difference > 0 else 'fewer'}"


def _setting(name: str) -> str:
    return "searches go another way" if name == SEARCH else f"the setting “{declaration(name).title}” changed"
