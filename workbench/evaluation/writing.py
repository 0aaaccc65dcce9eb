"""Golden questions -> JSON lines that reading.py reads."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from workbench.model.golden import GoldenQuestion, Judgement

Record = dict[str, Any]


def judgement_record(judgement: Judgement) -> Record:
    """Return a judgement as JSON, without what it does not say; judgement_of() is the way back."""
    values = ((field.name, getattr(judgement, field.name)) for field in fields(judgement))
    return {name: value for name, value in values if value not in (None, "", ())}


def question_record(question: GoldenQuestion) -> Record:
    """Return a golden question as JSON."""
    record: Record = {"question": question.question}
    record |= {"knowledge_base": question.knowledge_base} if question.knowledge_base else {}
    record |= {"filter": question.filter} if question.filter else {}
    return record | {"judgements": [judgement_record(one) for one in question.judgements]}


def questions_as_lines(questions: Sequence[GoldenQuestion]) -> bytes:
    """Return the questions, a line each."""
    text = "".join(json.dumps(question_record(one), ensure_ascii=False) + "\n" for one in questions)
    # What has no UTF-8 form is written as JSON writes it.
    return text.encode("utf-8", "backslashreplace")
