"""Explanation of one passage: its chunks, found by a place in a document, and its way through a search in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document, DocumentStatus, FindingKind, Page, pages_with, place
from workbench.model.explanation import (
    Account,
    Advice,
    AdviceKind,
    DocumentSpot,
    ListKind,
    ListPlace,
    QuestionWord,
    Stage,
)
from workbench.model.hit import SearchResult

_CAN_BE_READ_BY_OCR = ("pdf", "image")
_PARTS = (mark("pages"), mark("slides"), mark("sheets"), mark("chapters"), mark("messages"), mark("cells"))
"""Parts that a format may lack, marked for translation."""


class LocatedContents(Protocol):
    """Contents of documents; implemented in store/documents.py."""

    def text(self, id: int) -> str:
        """Return the whole text."""
        ...

    def pages(self, id: int) -> Sequence[Page]:
        """Return all pages."""
        ...

    def chunks(self, id: int) -> Sequence[Chunk]:
        """Return the chunks in order."""
        ...


@dataclass(frozen=True, slots=True)
class PassageLocation:
    """Location of a place: its characters, and the chunks that contain them.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        chunks: Chunks in order; empty if the place cannot be searched.
        stage: Stage at which it was lost, if chunks is empty.
        sentence: Explanation for the user, if chunks is empty.
        advice: Remedies; also present for a searchable place whose text differs from the visible page.
    """

    start: int = 0
    end: int = 0
    chunks: tuple[Chunk, ...] = ()
    stage: Stage = Stage.FOUND
    sentence: str = ""
    advice: tuple[Advice, ...] = ()


def locate_in_bin(document: Document) -> PassageLocation:
    """Return the location for a document in the bin."""
    text = mark("Restore it from the bin: “File › Bin…”, or “workbench bin --restore”.")
    sentence = mark(f"“{document.name}” is in the bin, so nothing in it is searched.")
    return _make_lost(Stage.BINNED, sentence, Advice(AdviceKind.RESTORE, text))


def locate(document: Document, contents: LocatedContents, spot: DocumentSpot) -> PassageLocation:
    """Return the chunks that contain a place in a document, or the reason why there are none.

    Raises:
        NotFound: The document has no such page, or fewer characters.
    """
    if not document.chunks:
        return _explain_status(document)
    text = contents.text(document.id)
    if spot.page is not None:
        start, end = _span_of_page(document, contents.pages(document.id), spot.page)
    elif spot.quote.strip():
        span = find_quote(text, spot.quote) or _find_in_edited(contents.chunks(document.id), spot.quote)
        if span is None:
            return _explain_missing_quote(document)
        start, end = span
    else:
        start, end = spot.start or 0, len(text) if spot.end is None else spot.end
    if not 0 <= start <= end <= len(text):
        raise NotFound(f"“{document.name}” has no characters {start} to {end}.", f"It has {len(text):,}.")
    if not text[start:end].strip():
        return _explain_blank(document, contents, start, end, spot.page)
    chunks = tuple(chunk for chunk in contents.chunks(document.id) if chunk.start < end and chunk.end > start)
    if not chunks:
        sentence = mark("This part of the text belongs to no passage, so no search can find it.")
        advice = Advice(AdviceKind.READ_AGAIN, mark("Read the document again."))
        return PassageLocation(start, end, (), Stage.NO_CHUNK, sentence, (advice,))
    enabled = tuple(chunk for chunk in chunks if not chunk.disabled)
    if not enabled:
        sentence = mark("You disabled this passage, so searches skip it.")
        text = mark("Enable it in the passage's menu, or with “workbench chunk enable”.")
        advice = Advice(AdviceKind.ENABLE, text)
        return PassageLocation(start, end, (), Stage.DISABLED, sentence, (advice,))
    chunks = enabled
    garbled = pages_with(document.findings, FindingKind.GARBLED) & _pages_of(chunks)
    scan = _advise_ocr(document, tuple(sorted(garbled))) if garbled else None
    return PassageLocation(start, end, chunks, advice=(scan,) if scan else ())


def _find_in_edited(chunks: Sequence[Chunk], quote: str) -> tuple[int, int] | None:
    """Return the source span of a chunk whose edited text contains a quote; None if no edited chunk does."""
    written = (chunk for chunk in chunks if chunk.is_edited and find_quote(chunk.text, quote))
    return next(((chunk.start, chunk.end) for chunk in written), None)


def _pages_of(chunks: Sequence[Chunk]) -> set[int]:
    spans = ((chunk.page, chunk.page_end or chunk.page) for chunk in chunks)
    return {page for first, last in spans if first and last for page in range(first, last + 1)}


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return the span of a quote in a text, ignoring differences in white space; None if it does not occur."""
    words = quote.split()
    match = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    if match is None:
        return None
    return match.start(), match.end()


def _make_lost(stage: Stage, sentence: str, *advice: Advice | None) -> PassageLocation:
    return PassageLocation(stage=stage, sentence=sentence, advice=tuple(one for one in advice if one is not None))


def _explain_status(document: Document) -> PassageLocation:
    """Return the explanation for a document without chunks."""
    name = document.name
    scan = _advise_ocr(document, ())
    match document.status:
        case DocumentStatus.LOCKED:
            unlock = Advice(AdviceKind.UNLOCK, document.hint or mark("Enter its password so that it can be read."))
            return _make_lost(Stage.LOCKED, mark(f"“{name}” is locked by a password, so it was not read."), unlock)
        case DocumentStatus.FAILED:
            again = Advice(AdviceKind.READ_AGAIN, document.hint) if document.hint else None
            reason = document.reason or mark("it failed.")
            return _make_lost(Stage.FAILED, mark(f"“{name}” was not read: {reason}"), again, scan)
        case DocumentStatus.READY | DocumentStatus.INDEXED | DocumentStatus.EMBEDDING:
            return _make_lost(Stage.NO_TEXT, mark(f"No text was found in “{name}”."), scan)
    wait = mark("Wait, or choose “Read first” in its menu.")
    sentence = mark(f"“{name}” has not been read yet; it is waiting in the queue.")
    return _make_lost(Stage.NOT_READ, sentence, Advice(AdviceKind.WAIT, wait))


def _span_of_page(document: Document, pages: Sequence[Page], number: int) -> tuple[int, int]:
    page = next((page for page in pages if page.number == number), None)
    if page is None:
        kind = document.page_kind
        has = mark(f"It has {len(pages)}.")
        if not pages:
            has = mark(f"Its format has no {kind.plural}: quote some of its words instead.")
        raise NotFound(f"“{document.name}” has no {place(kind, number)}.", has)
    return page.start, page.end


def _explain_missing_quote(document: Document) -> PassageLocation:
    scan = _advise_ocr(document, tuple(sorted(_unread_pages(document))))
    again = Advice(
        AdviceKind.READ_AGAIN, mark("Look at “Document check”: it shows what was lost when the document was read.")
    )
    sentence = mark(f"The text read from “{document.name}” does not contain these words.")
    return _make_lost(Stage.NO_TEXT, sentence, scan or again)


def _explain_blank(
    document: Document, contents: LocatedContents, start: int, end: int, number: int | None
) -> PassageLocation:
    """Return the explanation for a place without text, which is usually a page that is an image."""
    if number is None:
        pages = contents.pages(document.id)
        number = next((page.number for page in pages if page.start <= start <= page.end), None)
    if number is None:
        return PassageLocation(start, end, (), Stage.NO_TEXT, mark("There is no text here."))
    scan = _advise_ocr(document, (number,))
    sentence = mark(f"No text was read from {place(document.page_kind, number)}, so searches cannot find it.")
    return PassageLocation(start, end, (), Stage.NO_TEXT, sentence, (scan,) if scan else ())


def _unread_pages(document: Document) -> set[int]:
    return pages_with(document.findings, FindingKind.NO_TEXT, FindingKind.GARBLED, FindingKind.IMAGES)


def _advise_ocr(document: Document, pages: tuple[int, ...]) -> Advice | None:
    """Return the advice to read pages by OCR; None if the format has no page images or all text was read."""
    if document.format not in _CAN_BE_READ_BY_OCR or not (pages or _unread_pages(document)):
        return None
    named = place(document.page_kind, pages[0]) if len(pages) == 1 else mark("its pages without text")
    text = mark(f"Read {named} by OCR: choose the button in “Document check”.")
    return Advice(AdviceKind.OCR, text, pages=pages)


# Words named in a sentence; the diagram shows all of them.
_NAMED = 3
# A list with a lower weight did not influence the result.
_LEAST_WEIGHT = 0.05
_OPENINGS = (
    mark("It was not compared, and {0}."),
    mark("It was not compared, and {0}: {1}."),
    mark("It came {0}, and {1}."),
    mark("It came {0}, and {1}: {2}."),
    mark(
        "It is too far down in the lists to be compared (the first {0} of each are); it would have come {1}, and {2}."
    ),
    mark(
        "It is too far down in the lists to be compared (the first {0} of each are); it would have come {1}, and {2}:"
        " {3}."
    ),
    mark("It says the same as “{0}”, which came {1}; only one of several identical texts is shown."),
    mark("It says the same as “{0}”, {1}, which came {2}; only one of several identical texts is shown."),
    mark("It says the same as “{0}”, which was not given either; only one of several identical texts is shown."),
    mark("It says the same as “{0}”, {1}, which was not given either; only one of several identical texts is shown."),
)
"""Sentences that are composed below, marked for translation, as are those in the next constants."""
_REASONS = (
    mark("its meaning is the nearest of {0:d}"),
    mark("its meaning is the {0} nearest of {1:d}"),
    mark("its meaning is only the {0} nearest of {1:d}"),
    mark("its meaning counts for little, because the embedding model hardly understands this question"),
    mark("every passage given is closer in meaning"),
    mark("its meaning, though the {0} nearest, does not outweigh that"),
    mark("your question names its document"),
    mark("the reranker ranked it {0}"),
    mark("all words of your question are in it, but other passages are shorter or contain them more often"),
    mark(
        "all words of your question are in it, but other passages are shorter or contain them more often ({0} by words)"
    ),
)
_WITH_WORDS = (
    mark("{0:d} were given"),
    mark("“{0}” of your question is in it"),
    mark("“{0}” and “{1}” of your question are in it"),
    mark("“{0}”, “{1}” and “{2}” of your question are in it"),
    mark("“{0}”, “{1}”, “{2}” and 1 more word of your question are in it"),
    mark("“{0}”, “{1}”, “{2}” and {3} more words of your question are in it"),
    mark("“{0}” of your question is not in it"),
    mark("“{0}” and “{1}” of your question are not in it"),
    mark("“{0}”, “{1}” and “{2}” of your question are not in it"),
    mark("“{0}”, “{1}”, “{2}” and 1 more word of your question are not in it"),
    mark("“{0}”, “{1}”, “{2}” and {3} more words of your question are not in it"),
    mark("“{0}” is not in it."),
    mark("“{0}” and “{1}” are not in it."),
    mark("“{0}”, “{1}” and “{2}” are not in it."),
    mark("“{0}”, “{1}”, “{2}” and 1 more word are not in it."),
    mark("“{0}”, “{1}”, “{2}” and {3} more words are not in it."),
)
_RESTRICTIONS = (
    mark("the knowledge base “{0}”"),
    mark("the knowledge base “{0}” and “{1}”"),
    mark("the knowledge base “{0}” and “{1}” and “{2}”"),
    mark("“{0}” and “{1}”"),
    mark("“{0}” and “{1}” and “{2}”"),
)


def sentence(account: Account, result: SearchResult) -> str:
    """Return an explanation for the user."""
    given = len(result.hits)
    match account.stage:
        case Stage.FILTERED:
            restriction = " and ".join(account.left_out_by) or mark("other passages")
            return mark(f"It was excluded from the start: the search was limited to {restriction}.")
        case Stage.FOLDED:
            return _describe_folded(account)
        case Stage.FOUND:
            return mark(f"It came {ordinal(account.rank or 0)} of the {given} given: {_explain_found(account)}.")
        case Stage.BELOW_FLOOR if account.certainty is None:
            return mark(
                f"It ranked {ordinal(account.rank or 0)} of the {given} found, but none of them fits the question well"
                " enough to be used for an answer."
            )
        case Stage.BELOW_FLOOR:
            return mark(
                f"It was returned as {ordinal(account.rank or 0)} of {given}, but no sentence in it answers the"
                " question clearly enough to be quoted."
            )
        case Stage.NO_VECTOR:
            first = mark("It is still being prepared, so only its words could be compared.")
            return f"{first} {_describe_rank(account, given)}."
    why = _explain_not_found(account)
    return f"{_describe_rank(account, given)}{': ' + why if why else ''}."


def advice(account: Account) -> list[Advice]:
    """Return remedies, the most reliable first; those that need another search are not included."""
    match account.stage:
        case Stage.FILTERED:
            return [Advice(AdviceKind.WIDEN, mark("Search without this limit."))]
        case Stage.NO_VECTOR:
            text = mark("Wait until it is prepared: the status bar shows the progress.")
            return [Advice(AdviceKind.WAIT, text)]
        case Stage.BELOW_FLOOR:
            missing = [word for word in _sort_by_weight(account.words) if not word.is_held]
            without = f" {_quote_words(missing)} {'are' if len(missing) > 1 else 'is'} not in it." if missing else ""
            text = mark("Ask in the words of the document.")
            return [Advice(AdviceKind.ASK_OTHERWISE, f"{text}{without}")]
    return []


def ordinal(number: int) -> str:
    """Return a number as an ordinal: "1st", "12th", "1,023rd"."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def is_reached(account: Account) -> bool:
    """Return True if one of the lists ranked the chunk among those that were compared."""
    return any(one.rank is not None and one.rank <= one.looked_at for one in account.lists)


def _describe_rank(account: Account, given: int) -> str:
    gave = f"{given} were given"
    if given < 2:
        gave = mark("1 was given") if given else mark("nothing was given")
    if account.rank is None:
        return f"It was not compared, and {gave}"
    place = ordinal(account.rank)
    if is_reached(account):
        return f"It came {place}, and {gave}"
    depth = max((one.looked_at for one in account.lists), default=0)
    deep = f"It is too far down in the lists to be compared (the first {depth} of each are)"
    return f"{deep}; it would have come {place}, and {gave}"


def _describe_folded(account: Account) -> str:
    twin = account.same_as
    if twin is None:
        return mark("It says the same as another passage, which is shown instead.")
    where = ", ".join(part for part in (f"“{twin.document_name}”", twin.place) if part)
    given = f"which came {ordinal(twin.rank)}" if twin.rank else "which was not given either"
    return f"It says the same as {where}, {given}; only one of several identical texts is shown."


def _explain_found(account: Account) -> str:
    reasons = []
    held = [word for word in _sort_by_weight(account.words) if word.is_held]
    if held:
        reasons.append(f"{_quote_words(held)} of your question {'are' if len(held) > 1 else 'is'} in it")
    meaning = account.in_list(ListKind.MEANING)
    if meaning is not None and meaning.rank is not None and meaning.weight >= _LEAST_WEIGHT:
        nearest = "the nearest" if meaning.rank == 1 else f"the {ordinal(meaning.rank)} nearest"
        reasons.append(f"its meaning is {nearest} of {meaning.size:,}")
    if account.named:
        reasons.append("your question names its document")
    return ", and ".join(reasons) or mark("nothing else was closer")


def _explain_not_found(account: Account) -> str:
    meaning = account.in_list(ListKind.MEANING)
    reasons = [
        one for one in (_describe_words(account), _describe_meaning(meaning), _describe_reranker(account)) if one
    ]
    return ", and ".join(reasons)


def _describe_reranker(account: Account) -> str:
    if account.rerank_rank is None:
        return ""
    return f"the reranker ranked it {ordinal(account.rerank_rank)}"


def _describe_words(account: Account) -> str:
    place = account.in_list(ListKind.WORDS)
    if place is None or not account.words:
        return ""
    missing = [word for word in _sort_by_weight(account.words) if not word.is_held]
    if len(missing) == len(account.words):
        return mark("none of the words of your question is in it")
    if missing:
        return f"{_quote_words(missing)} of your question {'are' if len(missing) > 1 else 'is'} not in it"
    by_words = f" ({ordinal(place.rank)} by words)" if place.rank else ""
    return f"the words of your question are all in it, but others hold them more often or in less text{by_words}"


def _describe_meaning(place: ListPlace | None) -> str:
    if place is None or place.rank is None:
        return ""
    if place.weight < _LEAST_WEIGHT:
        return "its meaning counts for little, because the embedding model hardly understands this question"
    if not place.given or place.rank > place.given[-1]:
        return "every passage given is closer in meaning" if place.given else ""
    if place.rank < place.given[0]:
        return f"its meaning, though the {ordinal(place.rank)} nearest, does not outweigh that"
    return f"its meaning is only the {ordinal(place.rank)} nearest of {place.size:,}"


def _sort_by_weight(words: Sequence[QuestionWord]) -> list[QuestionWord]:
    return sorted(words, key=lambda word: -word.share)


def _quote_words(words: Sequence[QuestionWord]) -> str:
    shown = [f"“{word.text}”" for word in words[:_NAMED]]
    if len(words) > _NAMED:
        shown.append(f"{len(words) - _NAMED} more {'word' if len(words) == _NAMED + 1 else 'words'}")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
