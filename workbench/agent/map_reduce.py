"""Whole documents in a request: their full text if it fits, otherwise map-reduce over their parts.

    request -> documents -> [fit] all passages, numbered
                         -> [else] parts -> a call each (map) -> findings with quotes, numbered -> the answer (reduce)

The findings are numbered like search hits, so that the answer cites passages and its citations are checked.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from workbench.agent.base import ModelProvider
from workbench.agent.exhaustive.model_reader import ModelReader, TokenSpending
from workbench.agent.exhaustive.passage_batches import (
    ANSWER_A_PASSAGE,
    INSTRUCTIONS,
    MOST_PASSAGES,
    CallCapacity,
    PassageReadingResult,
    PassageToRead,
    pack_batches,
    pieces_of,
    room_of,
)
from workbench.agent.outline import MOST_ENTRIES, outline_of, section_named
from workbench.agent.references import RunReferences, render_references, result_of
from workbench.agent.token_budget import ContextWindow, TokenBudget
from workbench.agent.tools.access import DocumentAccess, ReadableDocument
from workbench.agent.tools.find_table import list_request
from workbench.agent.tools.read_document import READ_DOCUMENT
from workbench.agent.tools.tool_results import DATA, number_passages
from workbench.errors import (
    LimitReached,
    ModelAccessDenied,
    ModelError,
    ModelKeyRefused,
    ModelNotFound,
    ModelUnreachable,
    NetworkClosed,
    NotFound,
)
from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.document import Document
from workbench.model.exhaustive import PassageVerdict
from workbench.model.hit import Hit, NumberedHit
from workbench.model.run import Notice, ReferencesFound, RunEvent, ToolCompleted, ToolFailed, ToolStarted
from workbench.retrieval.document_names import ReferencedDocuments, referenced_documents
from workbench.retrieval.request_recognition import Request, RequestKind, request_of

MOST_DOCUMENTS = 40
"""Number of documents whose texts are in memory at once; of more, this many are read, spread over all of them."""

_READ = (RequestKind.OVERVIEW, RequestKind.COMPARISON, RequestKind.LISTING)


@dataclass(frozen=True, slots=True)
class RequestedDocument:
    """A document with the requested passages: all of them, or those of one part."""

    readable: ReadableDocument
    passages: tuple[Hit, ...]
    part: str = ""


@dataclass(frozen=True, slots=True)
class RequestedDocuments:
    """The documents that a request refers to.

    Attributes:
        documents: The documents that are read.
        passages: Number of passages in all requested documents, including those that are not read.
        is_named: True if the request names documents; a list is searched for in all available ones.
    """

    documents: tuple[RequestedDocument, ...]
    passages: int
    is_named: bool = True


def is_read(request: Request) -> bool:
    """Return whether a request is answered from the content of documents, not from their number or metadata."""
    return request.kind in _READ


async def requested_documents(request: Request, access: DocumentAccess) -> RequestedDocuments | None:
    """Return the documents that a request refers to; None if it refers to none."""
    there = await access.documents()
    meant, is_named = _meant(request, there)
    if not meant:
        return None
    parts = {one.id: (one, each.part) for each in meant for one in each.documents}
    found = []
    for number in sorted(spread(len(parts))[:MOST_DOCUMENTS]):
        document, part = list(parts.values())[number]
        try:
            found.append(_requested(await access.read(document), part))
        except NotFound:  # deleted meanwhile
            continue
    documents = tuple(one for one in found if one is not None and one.passages)
    read = {one.readable.document.id for one in documents}
    more = sum(one.chunks for one, part in parts.values() if one.id not in read and not part)
    return (
        RequestedDocuments(documents, sum(len(one.passages) for one in documents) + more, is_named)
        if documents
        else None
    )


def _meant(request: Request, there: Sequence[Document]) -> tuple[list[ReferencedDocuments], bool]:
    """Return the requested documents, empty if some words match none, and whether the request names them."""
    if request.kind is RequestKind.LISTING:
        _, named = list_request(request.subject, there)
        return ([ReferencedDocuments(tuple(named or there))] if there else []), bool(named)
    said = [one for one in (request.subject, request.other) if one] or [""]
    meant = [referenced_documents(one, there) for one in said]
    return ([one for one in meant if one is not None] if None not in meant else []), True


def _requested(readable: ReadableDocument, part: str) -> RequestedDocument | None:
    if not part:
        return RequestedDocument(readable, readable.passages)
    section = section_named(readable, part)
    if section is None:
        return None
    within = (hit for hit in readable.passages if hit.chunk.start < section.end and hit.chunk.end > section.start)
    return RequestedDocument(readable, tuple(within), part)


MOST_CALLS = 8
"""Number of calls in the map phase: of 12 passages each, as an exhaustive reading packs them."""

Emit = Callable[[RunEvent], None]

_ASKED = (
    "{question}\n\n(This asks about whole documents, of which you see a part. A passage answers a part of it where it"
    " holds a fact, a figure, a decision or a conclusion that belongs into the answer.)"
)
# A placeholder that counts as many tokens as the number that a passage will get.
_ANY_NUMBER = 888
# The passages of whole documents may take this share of the remaining tokens: each turn sends them again.
_SHARE_OF_BUDGET = 1 / 4
# A token of the embedder is at least this fraction of a token of any model.
_LEAST_OF_A_TOKEN = 1 / 2
_OUTLINED = 12
_ENTRIES_OF_TWO, _ENTRIES_OF_MORE = 12, 4
_TIGHTER = 0.8
# After one of these errors no other part can be read either.
_FOR_ALL = (ModelUnreachable, ModelKeyRefused, ModelAccessDenied, ModelNotFound, NetworkClosed)


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits within which a run may read whole documents before its model answers.

    Attributes:
        provider: Provider that reads; its calls count against the run.
        budget: Token budget of the run, of which the map phase takes half at most.
        calls: Maximum number of calls, from the rounds of the run.
        seconds: Time limit.
    """

    provider: ModelProvider
    budget: TokenBudget
    calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _PassagePart:
    """A passage, or the part of a longer one that fits into a call."""

    hit: Hit
    passage: PassageToRead


@dataclass(frozen=True, slots=True)
class _PassageFinding:
    """Finding of a passage for the request, with verbatim quotes."""

    passage: NumberedHit
    text: str
    quotes: tuple[str, ...]


@dataclass(slots=True)
class _MapProgress:
    """Progress of a map phase: findings and the chunks that were read."""

    findings: list[_PassageFinding] = field(default_factory=list)
    chunks: set[int] = field(default_factory=set)


class MapReduce:
    """Reads whole documents for one request.

    Args:
        question: What the user asks.
        documents: Documents that the run may read.
        references: Numbers the passages that are read.
        window: Context window of the model.
        answer: Number of tokens that the settings reserve for an answer.
    """

    def __init__(
        self, question: str, documents: DocumentAccess, references: RunReferences, window: ContextWindow, *, answer: int
    ) -> None:
        self._question = question
        self._documents = documents
        self._references = references
        self._window = window
        self._answer = answer
        self._request = request_of(question)

    @property
    def is_listing(self) -> bool:
        """True if a list is requested; rows of tables are then part of the answer."""
        return self._request is not None and self._request.kind is RequestKind.LISTING

    async def read(self, means: ReadingLimits, emit: Emit) -> str:
        """Return the passages or findings for the model; empty if nothing is read or found.

        Args:
            means: Limits of the reading.
            emit: Called with the event of every step.
        """
        if self._request is None or not is_read(self._request):
            return ""
        requested = await requested_documents(self._request, self._documents)
        if requested is None:
            return ""
        outlines = await asyncio.to_thread(_outlines, requested.documents)
        return await self._whole(requested, outlines, means, emit) or await self._mapped(
            requested, outlines, means, emit
        )

    async def _whole(
        self, requested: RequestedDocuments, outlines: list[object], means: ReadingLimits, emit: Emit
    ) -> str:
        """Return all passages in full; empty if they do not fit into the context window."""
        hits = [hit for one in requested.documents for hit in one.passages]
        least = _LEAST_OF_A_TOKEN * sum(hit.chunk.tokens for hit in hits)
        most = min(await self._window.room(least), _SHARE_OF_BUDGET * means.budget.left)
        if len(hits) < requested.passages or least > most:
            return ""
        estimated = self._window.estimate(_rendered(_WHOLE, outlines, (NumberedHit(_ANY_NUMBER, hit) for hit in hits)))
        if estimated > min(await self._window.room(estimated), _SHARE_OF_BUDGET * means.budget.left):
            return ""
        self._window.take(estimated)
        reference = number_passages(self._references, f"all of {_named(hits)}", hits, 0.0)
        emit(ReferencesFound(reference))
        return _rendered(_WHOLE, outlines, reference.hits)

    async def _mapped(
        self, requested: RequestedDocuments, outlines: list[object], means: ReadingLimits, emit: Emit
    ) -> str:
        """Return the findings of all parts; empty if there are none."""
        spending = TokenSpending()
        room = room_of(await self._window.size(), self._answer, self._question, spending.estimate.count)
        a_call = room.tokens + MOST_PASSAGES * ANSWER_A_PASSAGE + spending.estimate.count(INSTRUCTIONS)
        calls = min(MOST_CALLS, means.calls, int(means.budget.left / 2 / a_call))
        batches = _batches(requested.documents, room, calls, spending.estimate.count) if calls > 0 else []
        chosen = {piece.hit.chunk.id for batch in batches for piece in batch}
        if not batches or (not requested.is_named and len(chosen) < requested.passages):
            return ""  # search is better for a list that may be in any of many documents
        reader = ModelReader(means.provider, replace(room, tokens=float("inf")), spending, asks_again=False)
        read = _MapProgress()
        kept = means.budget.left / 2
        try:
            async with asyncio.timeout(means.seconds):
                for number, batch in enumerate(batches, 1):
                    if means.budget.left - a_call < kept:
                        emit(Notice(_ENDED))
                        break
                    await _MapCall(self._references, reader, read, emit).take(
                        self._question, batch, number, len(batches)
                    )
        except (TimeoutError, LimitReached):
            emit(Notice(_ENDED))
        except _FOR_ALL:
            pass  # reported with its part; the model's answer will report it again
        return await self._told(requested, outlines, read, emit)

    async def _told(self, requested: RequestedDocuments, outlines: list[object], read: _MapProgress, emit: Emit) -> str:
        """Return as many findings as fit into the context window, as text; report the share that was read."""
        if not read.findings:
            return ""
        if len(read.chunks) < requested.passages:
            told = mark(
                f"For this answer {len(read.chunks):,} of {requested.passages:,} passages were read. “Read everything”"
                " reads all of them."
            )
            emit(Notice(told))
        head = _FOUND.format(read=len(read.chunks), passages=requested.passages)
        findings, most = sorted(read.findings, key=_place(requested)), 3
        while True:
            values = [_value(one, most) for one in findings]
            text = _as_text(head, outlines, "findings", values)
            estimated = self._window.estimate(text)
            if estimated <= await self._window.room(estimated) or (len(findings) == 1 and most == 1):
                self._window.take(estimated)
                return text
            if most == 1:
                kept = sorted(spread(len(findings))[: max(1, int(len(findings) * _TIGHTER))])
                findings = [findings[place] for place in kept]
            most = 1


class _MapCall:
    """Call of the map phase, reported as a step of the run."""

    def __init__(self, references: RunReferences, reader: ModelReader, read: _MapProgress, emit: Emit) -> None:
        self._references = references
        self._reader = reader
        self._read = read
        self._emit = emit

    async def take(self, question: str, batch: Sequence[_PassagePart], number: int, parts: int) -> None:
        """Read a part and add its findings; a part whose call fails is left out, and that is reported.

        Raises:
            LimitReached: The run has no tokens left for it.
            ModelError: No other part can be read either; only the types in _FOR_ALL.
            NetworkClosed: Network access is off.
        """
        name, began = _named([piece.hit for piece in batch]), time.perf_counter()
        call = f"part-{number}"
        told = {"document": name, "part": number, "parts": parts, "passages": len(batch)}
        self._emit(ToolStarted(call, READ_DOCUMENT, json.dumps(told, ensure_ascii=False)))

        def failed(reason: str) -> None:
            milliseconds = round((time.perf_counter() - began) * 1000, 1)
            self._emit(ToolFailed(call, READ_DOCUMENT, reason, milliseconds))

        try:
            found = (await self._reader.read(_ASKED.format(question=question), [one.passage for one in batch])).found
        except asyncio.CancelledError:
            failed(mark("It was stopped."))
            raise
        except LimitReached:
            failed(_ENDED)
            raise
        except (ModelError, NetworkClosed) as error:
            failed(error.message)
            self._emit(Notice(_left_out(number, parts, error.message)))
            if isinstance(error, _FOR_ALL):
                raise
            return
        if all(one.says is PassageVerdict.UNREADABLE for one in found):
            failed(_NONSENSE)
            self._emit(Notice(_left_out(number, parts, _NONSENSE)))
            return
        self._add(batch, found, call, f"part {number} of {parts} of {name}", time.perf_counter() - began)

    def _add(
        self,
        batch: Sequence[_PassagePart],
        found: Sequence[PassageReadingResult],
        call: str,
        query: str,
        seconds: float,
    ) -> None:
        said = [
            (piece, one)
            for piece, one in zip(batch, found, strict=True)
            if one.says in (PassageVerdict.YES, PassageVerdict.NO)
        ]
        hits = list({piece.hit.chunk.id: piece.hit for piece, _ in said}.values())
        reference = number_passages(self._references, query, hits, seconds)
        by_chunk = {one.hit.chunk.id: one for one in reference.hits}
        findings = [
            _PassageFinding(
                by_chunk[piece.hit.chunk.id],
                one.finding,
                tuple(piece.passage.chunk.text[start:end] for start, end in one.spans),
            )
            for piece, one in said
        ]
        result = render_references([_value(one, 1) for one in findings], ReferencesFormat.JSON)
        self._emit(ToolCompleted(call, READ_DOCUMENT, result, round(seconds * 1000, 1)))
        self._emit(ReferencesFound(reference))
        self._read.findings += findings
        self._read.chunks |= {
            piece.hit.chunk.id
            for piece, one in zip(batch, found, strict=True)
            if one.says is not PassageVerdict.UNREADABLE
        }


_WHOLE = "These are all passages of the documents that the request is about."
_FOUND = (
    "The documents that the request is about were read part by part, {read:,} of {passages:,} passages. These are the"
    " findings, each with quotes of its passage."
)
_ENDED = mark("Reading stopped here to leave enough time and tokens for the answer.")
_NONSENSE = mark("The model's reply could not be used.")


def _left_out(number: int, parts: int, reason: str) -> str:
    return mark(f"Part {number} of {parts} of the documents is missing in this answer: {reason}")


def _batches(
    documents: Sequence[RequestedDocument], room: CallCapacity, most: int, count: Callable[[str], float]
) -> list[tuple[_PassagePart, ...]]:
    """Return batches for at most that many calls; any prefix of the list is spread over all documents."""
    order = list(evenly([one.passages for one in documents]))
    kept = min(len(order), most * room.passages)
    while True:
        pieces = [_pieces(documents[number].passages[place], room, count) for number, place in sorted(order[:kept])]
        by_passage = {id(piece.passage): piece for passage in pieces for piece in passage}
        packs = pack_batches((piece.passage for passage in pieces for piece in passage), room, count)
        batches = [tuple(by_passage[id(one)] for one in batch) for batch, _ in packs]
        if len(batches) <= most:
            return [batches[number] for number in spread(len(batches))]
        if kept == 1:
            return batches[:most]  # one passage that is longer than all calls together
        kept = max(1, int(kept * _TIGHTER))


def _place(requested: RequestedDocuments) -> Callable[[_PassageFinding], tuple[int, int]]:
    """Return a sort key for findings: the position of the document, and the position of the passage in it."""
    places = {one.readable.document.id: place for place, one in enumerate(requested.documents)}
    return lambda one: (places[one.passage.hit.chunk.document], one.passage.hit.chunk.ordinal)


def _pieces(hit: Hit, room: CallCapacity, count: Callable[[str], float]) -> list[_PassagePart]:
    passage = PassageToRead(hit.chunk, hit.document_name)
    return [_PassagePart(hit, piece) for _, piece in pieces_of(passage, room, count)]


def _outlines(documents: Sequence[RequestedDocument]) -> list[object]:
    """Return the first documents with their headings, for the model."""
    usual = {1: MOST_ENTRIES, 2: _ENTRIES_OF_TWO}.get(len(documents), _ENTRIES_OF_MORE)
    told: list[object] = []
    for one in documents[:_OUTLINED]:
        outline = outline_of(one.readable, part=one.part, most=usual)
        headings = [{"heading": entry.title, "page": entry.page} for entry in outline.entries] if outline else []
        document = one.readable.document
        about = {"name": document.name, "title": document.metadata.title, "pages": document.pages}
        told.append({**about, **({"part": one.part} if one.part else {}), "outline": headings})
    return told


def _rendered(head: str, outlines: list[object], hits: Iterable[NumberedHit]) -> str:
    return _as_text(head, outlines, "passages", [result_of(one, one.hit.chunk.text) for one in hits])


def _as_text(head: str, outlines: list[object], name: str, values: Sequence[object]) -> str:
    return f"{head}\n{DATA}\n{render_references([{'documents': outlines, name: values}], ReferencesFormat.JSON)}"


def _value(finding: _PassageFinding, quotes: int) -> dict[str, object]:
    """Return a finding in the form of a search result for the model, with its quotes as the content."""
    result = result_of(finding.passage, " […] ".join(finding.quotes[:quotes]))
    return {**result, "finding": finding.text}


def _named(hits: Sequence[Hit]) -> str:
    names = list(dict.fromkeys(f"“{hit.document_name}”" for hit in hits))
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def spread(count: int) -> list[int]:
    """Return the numbers from 0 to count - 1 in an order in which each prefix is spread over the whole range.

    It is the van der Corput sequence: 0, the middle, the quarters, the eighths.
    """
    bits = max(0, count - 1).bit_length()
    mirrored = (int(f"{number:0{bits}b}"[::-1], 2) if bits else 0 for number in range(1 << bits))
    return [number for number in mirrored if number < count]


def interleaved_sections(passages: Sequence[Hit]) -> list[int]:
    """Return the indexes of a document's passages: the first of each section, then the second of each, and so on."""
    sections = [
        [place for place, _ in section]
        for _, section in groupby(enumerate(passages), key=lambda one: one[1].chunk.headings)
    ]
    order: list[int] = []
    rank = 0
    while sections:
        order += [sections[number][rank] for number in spread(len(sections))]
        rank += 1
        sections = [section for section in sections if len(section) > rank]
    return order


def evenly(documents: Sequence[Sequence[Hit]]) -> Iterator[tuple[int, int]]:
    """Yield the document number and index of every passage, one of each document in turn; short documents end early."""
    orders = [interleaved_sections(passages) for passages in documents]
    turns = spread(len(documents))
    for rank in range(max(map(len, orders), default=0)):
        yield from ((number, orders[number][rank]) for number in turns if rank < len(orders[number]))
