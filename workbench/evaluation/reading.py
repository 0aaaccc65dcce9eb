"""A file of golden questions -> the questions, and the lines that are none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.errors import EvaluationError, MissingFile, UnreadableFile
from workbench.evaluation.shapes import question_of
from workbench.language import mark
from workbench.model.golden import BadLine, GoldenQuestion

_HINT = mark("Give a file of JSON lines, for example: {“question”: “...”, “document”: “report.pdf”, “page”: 3}")
_LONGEST = 256 * 2**20


def read_questions(path: Path) -> tuple[tuple[GoldenQuestion, ...], tuple[BadLine, ...]]:
    """Return the golden questions of a file of JSON lines (or of one JSON list), and what in it is none.

    Raises:
        MissingFile: There is no such file.
        UnreadableFile: It cannot be read, or is no UTF-8 text.
        EvaluationError: Not one line of it is a golden question.
    """
    questions: dict[tuple[str, str, str], GoldenQuestion] = {}
    bad: list[BadLine] = []
    for number, value in _values(_text_of(path)):
        try:
            question = question_of(_parsed(value) if isinstance(value, str) else value)
        except EvaluationError as error:
            bad.append(BadLine(number, error.message))
            continue
        known = questions.get(question.key)
        judgements = (*known.judgements, *question.judgements) if known else question.judgements
        questions[question.key] = GoldenQuestion(
            question.question, tuple(dict.fromkeys(judgements)), question.knowledge_base, question.filter
        )
    if not questions:
        raise EvaluationError(
            f"“{path.name}” holds no golden question. Line {bad[0].number}: {bad[0].reason}"
            if bad
            else f"“{path.name}” holds no golden question.",
            _HINT,
        )
    return tuple(questions.values()), tuple(bad)


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > _LONGEST:
            raise UnreadableFile(f"“{path.name}” is too large for a file of questions.", _HINT)
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise MissingFile(f"“{path}” does not exist.", _HINT) from error
    except (OSError, ValueError) as error:
        reason = mark("it is not UTF-8 text") if isinstance(error, ValueError) else error.strerror
        raise UnreadableFile(f"“{path}” cannot be read: {reason}.", _HINT) from error


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the lines with their numbers; where the file is one JSON list, or SQuAD's, its items instead."""
    try:
        whole = json.loads(text) if text.lstrip()[:1] in ("[", "{") else None
    except (ValueError, RecursionError):
        whole = None  # lines, each of which is told what is wrong with it
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        whole = list(_squad(whole["data"]))
    if isinstance(whole, list):
        # A text in the list is no object, and must not be taken for a line.
        yield from ((number, [item] if isinstance(item, str) else item) for number, item in enumerate(whole, 1))
        return
    # Not splitlines: it also splits at characters that JSON allows inside a string.
    yield from ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _squad(articles: list[Any]) -> Iterator[Any]:
    """Yield the questions of SQuAD's own files with their paragraphs; those that have no answer are left out."""
    for article in articles:
        for paragraph in _listed(article, "paragraphs"):
            answered = (one for one in _listed(paragraph, "qas") if isinstance(one, dict) and one.get("answers"))
            yield from ({"question": one.get("question"), "context": paragraph.get("context")} for one in answered)


def _listed(record: Any, name: str) -> list[Any]:
    value = record.get(name) if isinstance(record, dict) else None
    return value if isinstance(value, list) else []


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EvaluationError("It is not JSON.") from error
