"""A JSON object of whatever common shape -> a golden question.

Our own (writing.py), and what others use: {"question", "answer" or "answers"}, {"question", "document", "page"},
{"question", "passage" or "context"}, {"question", "gold": [[document, page], ...]}; SQuAD's answers with their "text".
"""

from collections.abc import Mapping
from typing import Any

from workbench.errors import EvaluationError
from workbench.model.golden import GoldenQuestion, Judgement

Fields = Mapping[str, Any]

_QUESTION = ("question", "query", "user_input")
_DOCUMENT = ("document", "doc", "file", "source")
_PAGE = ("page", "page_number", "pages")
_PASSAGE = ("passage", "passages", "context", "contexts", "reference_contexts", "text")
_ANSWER = ("answer", "answers", "reference", "ground_truth")
_BASE = ("knowledge_base", "kb")
_LARGEST = 2**53


def question_of(record: Any) -> GoldenQuestion:
    """Return the golden question that a JSON value is.

    Raises:
        EvaluationError: It is none; the message says why.
    """
    if not isinstance(record, dict):
        raise EvaluationError("It is not a JSON object.")
    question = _text(record, _QUESTION).strip()
    if not question:
        raise EvaluationError("It has no “question”.")
    judgements = tuple(dict.fromkeys(_judgements(record)))
    if not judgements:
        raise EvaluationError("It names no passage, document or answer to be found.")
    return GoldenQuestion(question, judgements, _text(record, _BASE), _text(record, ("filter",)))


def _judgements(record: Fields) -> list[Judgement]:
    if "judgements" in record:
        return [_own(one) for one in _list(record["judgements"])]
    if "gold" in record:
        return [_gold(one) for one in _list(record["gold"])]
    documents = _texts(record, _DOCUMENT)
    pages = [_whole(page) for page in _list(_first(record, _PAGE))]
    passages = _texts(record, _PASSAGE)
    answers = tuple(_texts(record, _ANSWER))
    if passages:
        # One document for all of them, or one each.
        named = documents if len(documents) == len(passages) else documents[:1] * len(passages) or [""] * len(passages)
        return [Judgement(document=document, text=text) for document, text in zip(named, passages, strict=True)]
    if pages and documents:
        return [Judgement(document=document, page=page) for document in documents for page in pages]
    if answers:
        return [Judgement(document=documents[0] if len(documents) == 1 else "", answers=answers)]
    return [Judgement(document=document) for document in documents]


def _own(record: Any) -> Judgement:
    if not isinstance(record, dict):
        raise EvaluationError("A judgement is not a JSON object.")
    right = record.get("right", True)
    if not isinstance(right, bool):
        raise EvaluationError("“right” of a judgement is neither true nor false.")
    page, start, end = (
        _whole(record[key]) if record.get(key) is not None else None for key in ("page", "start", "end")
    )
    judgement = Judgement(
        right,
        document=_text(record, ("document",)),
        sha256=_text(record, ("sha256",)),
        page=page,
        start=start,
        end=end,
        text=_text(record, ("text",)),
        answers=tuple(_texts(record, ("answers",))),
    )
    if not (judgement.document or judgement.sha256 or judgement.text.strip() or judgement.answers):
        raise EvaluationError("A judgement names no passage, document or answer.")
    return judgement


def _gold(one: Any) -> Judgement:
    """Return what [document, page], {"document", "page"} or the name of a document says."""
    if isinstance(one, dict):
        return _own(one)
    if isinstance(one, str) and one.strip():
        return Judgement(document=one)
    match one:
        case [str() as document, page] if document.strip():
            return Judgement(document=document, page=_whole(page))
    raise EvaluationError("“gold” holds something that is not [document, page].")


def _first(record: Fields, keys: tuple[str, ...]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _text(record: Fields, keys: tuple[str, ...]) -> str:
    value = _first(record, keys)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise EvaluationError(f"“{next(key for key in keys if key in record)}” is not a text.")
    return value


def _texts(record: Fields, keys: tuple[str, ...]) -> list[str]:
    """Return the texts under one of the keys: one, several, or SQuAD's {"text": [...]}; blank ones left out."""
    value = _first(record, keys)
    if isinstance(value, dict):
        value = value.get("text")
    texts = [one.get("text") if isinstance(one, dict) else one for one in _list(value)]
    # A year or an amount is often a number in JSON.
    texts = [str(one) if isinstance(one, int | float) and not isinstance(one, bool) else one for one in texts]
    found = [one for one in texts if isinstance(one, str)]
    if len(found) < len(texts):
        raise EvaluationError(f"“{next(key for key in keys if record.get(key) is not None)}” is not a text.")
    return list(dict.fromkeys(one for one in found if one.strip()))


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _whole(value: Any) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value.strip()[:16])
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise EvaluationError("A page is not a whole number.")
    return value
