"""Files of golden questions: JSON lines of several common shapes read, and written.

Accepted are the program's own format, and those of others: {"question", "answer" or "answers"}, {"question",
"document", "page"}, {"question", "passage" or "context"}, {"question", "gold": [[document, page], ...]}; SQuAD's
answers with their "text".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from workbench.errors import EvaluationError, MissingFile, UnreadableFile
from workbench.language import mark
from workbench.model.evaluation import BadLine, GoldenQuestion, Judgement

_HINT = mark("Give a file of JSON lines, for example: {“question”: “...”, “document”: “report.pdf”, “page”: 3}")
_LONGEST = 256 * 2**20


def read_questions(path: Path) -> tuple[tuple[GoldenQuestion, ...], tuple[BadLine, ...]]:
    """Return the golden questions of a file of JSON lines (or of one JSON list), and the invalid lines.

    Raises:
        MissingFile: The file does not exist.
        UnreadableFile: It cannot be read, or is not UTF-8 text.
        EvaluationError: No line of it is a golden question.
    """
    questions: dict[tuple[str, str, str], GoldenQuestion] = {}
    bad: list[BadLine] = []
    for number, value in _read_values(_read_text(path)):
        try:
            question = question_of(_parse_line(value) if isinstance(value, str) else value)
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


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > _LONGEST:
            raise UnreadableFile(f"“{path.name}” is too large for a file of questions.", _HINT)
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise MissingFile(f"“{path}” does not exist.", _HINT) from error
    except (OSError, ValueError) as error:
        reason = mark("it is not UTF-8 text") if isinstance(error, ValueError) else error.strerror
        raise UnreadableFile(f"“{path}” cannot be read: {reason}.", _HINT) from error


def _read_values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the lines with their numbers; if the file is one JSON list, or SQuAD's, its items instead."""
    try:
        whole = json.loads(text) if text.lstrip()[:1] in ("[", "{") else None
    except (ValueError, RecursionError):
        whole = None  # parsed as lines, with one error message per invalid line
    if isinstance(whole, dict) and isinstance(whole.get("data"), list):
        whole = list(_read_squad(whole["data"]))
    if isinstance(whole, list):
        # A string in the list is not an object, and must not be parsed as a line.
        yield from ((number, [item] if isinstance(item, str) else item) for number, item in enumerate(whole, 1))
        return
    # splitlines() is not used: it also splits at characters that JSON allows inside a string.
    yield from ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _read_squad(articles: list[Any]) -> Iterator[Any]:
    """Yield the questions of SQuAD's own files with their paragraphs; unanswerable ones are left out."""
    for article in articles:
        for paragraph in _get_list(article, "paragraphs"):
            answered = (one for one in _get_list(paragraph, "qas") if isinstance(one, dict) and one.get("answers"))
            yield from ({"question": one.get("question"), "context": paragraph.get("context")} for one in answered)


def _get_list(record: Any, name: str) -> list[Any]:
    value = record.get(name) if isinstance(record, dict) else None
    return value if isinstance(value, list) else []


def _parse_line(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EvaluationError("It is not JSON.") from error


Fields = Mapping[str, Any]

_QUESTION = ("question", "query", "user_input")
_DOCUMENT = ("document", "doc", "file", "source")
_PAGE = ("page", "page_number", "pages")
_PASSAGE = ("passage", "passages", "context", "contexts", "reference_contexts", "text")
_ANSWER = ("answer", "answers", "reference", "ground_truth")
_BASE = ("knowledge_base", "kb")
_LARGEST = 2**53


def question_of(record: Any) -> GoldenQuestion:
    """Return the golden question in a JSON value.

    Raises:
        EvaluationError: The value is not a golden question; the message states the reason.
    """
    if not isinstance(record, dict):
        raise EvaluationError("It is not a JSON object.")
    question = _get_text(record, _QUESTION).strip()
    if not question:
        raise EvaluationError("It has no “question”.")
    judgements = tuple(dict.fromkeys(_read_judgements(record)))
    if not judgements:
        raise EvaluationError("It names no passage, document or answer to be found.")
    return GoldenQuestion(question, judgements, _get_text(record, _BASE), _get_text(record, ("filter",)))


def _read_judgements(record: Fields) -> list[Judgement]:
    if "judgements" in record:
        return [_read_judgement(one) for one in _to_list(record["judgements"])]
    if "gold" in record:
        return [_read_gold(one) for one in _to_list(record["gold"])]
    documents = _get_texts(record, _DOCUMENT)
    pages = [_to_int(page) for page in _to_list(_first_value(record, _PAGE))]
    passages = _get_texts(record, _PASSAGE)
    answers = tuple(_get_texts(record, _ANSWER))
    if passages:
        # One document for all passages, or one for each.
        named = documents if len(documents) == len(passages) else documents[:1] * len(passages) or [""] * len(passages)
        return [Judgement(document=document, text=text) for document, text in zip(named, passages, strict=True)]
    if pages and documents:
        return [Judgement(document=document, page=page) for document in documents for page in pages]
    if answers:
        return [Judgement(document=documents[0] if len(documents) == 1 else "", answers=answers)]
    return [Judgement(document=document) for document in documents]


def _read_judgement(record: Any) -> Judgement:
    if not isinstance(record, dict):
        raise EvaluationError("A judgement is not a JSON object.")
    right = record.get("right", True)
    if not isinstance(right, bool):
        raise EvaluationError("The value of “right” in a judgement is neither true nor false.")
    page, start, end = (
        _to_int(record[key]) if record.get(key) is not None else None for key in ("page", "start", "end")
    )
    judgement = Judgement(
        right,
        document=_get_text(record, ("document",)),
        sha256=_get_text(record, ("sha256",)),
        page=page,
        start=start,
        end=end,
        text=_get_text(record, ("text",)),
        answers=tuple(_get_texts(record, ("answers",))),
    )
    if not (judgement.document or judgement.sha256 or judgement.text.strip() or judgement.answers):
        raise EvaluationError("A judgement names no passage, document or answer.")
    return judgement


def _read_gold(one: Any) -> Judgement:
    """Return the judgement for [document, page], {"document", "page"} or the name of a document."""
    if isinstance(one, dict):
        return _read_judgement(one)
    if isinstance(one, str) and one.strip():
        return Judgement(document=one)
    match one:
        case [str() as document, page] if document.strip():
            return Judgement(document=document, page=_to_int(page))
    raise EvaluationError("“gold” contains something that is not [document, page].")


def _first_value(record: Fields, keys: tuple[str, ...]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _get_text(record: Fields, keys: tuple[str, ...]) -> str:
    value = _first_value(record, keys)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise EvaluationError(f"“{next(key for key in keys if key in record)}” is not a text.")
    return value


def _get_texts(record: Fields, keys: tuple[str, ...]) -> list[str]:
    """Return the texts under one of the keys: one, several, or SQuAD's {"text": [...]}; blank ones are left out."""
    value = _first_value(record, keys)
    if isinstance(value, dict):
        value = value.get("text")
    texts = [one.get("text") if isinstance(one, dict) else one for one in _to_list(value)]
    # JSON often contains a year or an amount as a number.
    texts = [str(one) if isinstance(one, int | float) and not isinstance(one, bool) else one for one in texts]
    found = [one for one in texts if isinstance(one, str)]
    if len(found) < len(texts):
        raise EvaluationError(f"“{next(key for key in keys if record.get(key) is not None)}” is not a text.")
    return list(dict.fromkeys(one for one in found if one.strip()))


def _to_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _to_int(value: Any) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value.strip()[:16])
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise EvaluationError("A page is not a whole number.")
    return value


Record = dict[str, Any]


def judgement_record(judgement: Judgement) -> Record:
    """Return a judgement as a JSON object, without empty fields."""
    values = ((field.name, getattr(judgement, field.name)) for field in fields(judgement))
    return {name: value for name, value in values if value not in (None, "", ())}


def question_record(question: GoldenQuestion) -> Record:
    """Return a golden question as a JSON object."""
    record: Record = {"question": question.question}
    record |= {"knowledge_base": question.knowledge_base} if question.knowledge_base else {}
    record |= {"filter": question.filter} if question.filter else {}
    return record | {"judgements": [judgement_record(one) for one in question.judgements]}


def questions_as_lines(questions: Sequence[GoldenQuestion]) -> bytes:
    """Serialize the questions as JSON lines."""
    text = "".join(json.dumps(question_record(one), ensure_ascii=False) + "\n" for one in questions)
    # Characters without a UTF-8 form (lone surrogates) are written as JSON escapes.
    return text.encode("utf-8", "backslashreplace")
