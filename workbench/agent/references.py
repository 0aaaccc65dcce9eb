"""Numbered references of a run, and the text in which a model is handed search results: writers and parsers.

They are sent to the model as part of the result, in English like every instruction, and read again by the offline
answerer; a result of which the search is sure and that saw everything has none, and is the bare list (S-17).
"""

import asyncio
import json
import math
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.hit import Coverage, Hit, NumberedHit, Reference, SearchResult
from workbench.parsing.front_matter import BrokenYaml, yaml_values


class RunReferences:
    """What one run has found so far; a chunk found twice keeps its number."""

    def __init__(self) -> None:
        self._by_number: dict[int, NumberedHit] = {}
        self._numbers: dict[int, int] = {}
        self._last_turn: asyncio.Event | None = None
        self.searches_failed = 0
        self._searched = False
        self._told: set[str] = set()
        self._coverage: Coverage | None = None
        self._has_pending = False

    @property
    def searched(self) -> bool:
        """Whether the run has looked for something, found or not."""
        return self._searched or self.searches_failed > 0

    @property
    def has_pending(self) -> bool:
        """Whether some document could not be searched, or not by meaning, because that was still to be done."""
        return self._has_pending

    @property
    def numbered(self) -> dict[int, NumberedHit]:
        """Every hit of the run that was offered, under its number."""
        return dict(self._by_number)

    @property
    def chunks(self) -> tuple[int, ...]:
        """Ids of the library's chunks among those hits."""
        return tuple(chunk for one in self._by_number.values() if (chunk := one.hit.chunk.id) > 0)

    def add(self, query: str, result: SearchResult, *, seconds: float) -> Reference:
        """Number the hits of a search and return its reference entry; what is withheld cannot be cited."""
        self._searched = True
        hits = tuple(self._number(hit) for hit in result.hits)
        if result.is_relevant:
            for numbered in hits:
                self._by_number.setdefault(numbered.number, numbered)
        return Reference(query, hits, round(seconds, 4), withheld=not result.is_relevant)

    def news(self, notes: Iterable[str]) -> tuple[str, ...]:
        """Return those of the notes that were not told in this run yet; they are from now on."""
        new = tuple(dict.fromkeys(note for note in notes if note not in self._told))
        self._told.update(new)
        return new

    def is_news(self, coverage: Coverage | None) -> bool:
        """Tell whether this much of the library has not been told yet; it is from now on."""
        changed = coverage is not None and coverage != self._coverage
        self._has_pending |= coverage is not None and coverage.pending > 0
        self._coverage = coverage if changed else self._coverage
        return changed

    def restore(self, reference: Reference) -> None:
        """Take over what another run found, under the numbers that it has there."""
        self._searched = True
        for numbered in reference.hits:
            self._numbers[numbered.hit.chunk.id] = numbered.number
            if not reference.withheld:
                self._by_number.setdefault(numbered.number, numbered)

    @asynccontextmanager
    async def in_call_order(self) -> AsyncIterator[asyncio.Event]:
        """Hold a place in the order of calls; yields the event to await before numbering.

        Searches of one turn run side by side, but their hits are numbered in the order the model asked for them, so
        that the same run always gives the same numbers.
        """
        before = self._last_turn
        if before is None:
            before = asyncio.Event()
            before.set()
        mine = self._last_turn = asyncio.Event()
        try:
            yield before
        finally:
            mine.set()

    def _number(self, hit: Hit) -> NumberedHit:
        number = self._numbers.setdefault(hit.chunk.id, max(self._numbers.values(), default=0) + 1)
        return NumberedHit(number, hit)


# A document that holds the closing tag, however it is written, must not end the block that it stands in. Both formats
# know this way of writing a stroke, and read it as one: the text arrives as it is.
_CLOSING = re.compile(r"(<\s*)/(?=\s*references)", re.IGNORECASE)
_ESCAPED = r"\1\\/"
DEFAULT_BASE = "default"
# YAML takes these for line ends, which it does not keep outside of quotation marks.
_OTHER_LINE_ENDS = "\x85\u2028\u2029"


def render_references(results: Sequence[Mapping[str, Any] | str], format: ReferencesFormat) -> str:
    """Return results as text; no character is escaped, and what the format does not know is written as text."""
    plain = [_plain(result) for result in results]
    if format is ReferencesFormat.YAML:
        return _as_yaml(plain)
    return _CLOSING.sub(_ESCAPED, json.dumps(plain, indent=2, ensure_ascii=False))


def parse_references(text: str) -> Any:
    """Return what was rendered, in either format.

    Raises:
        ValueError: It is neither.
    """
    try:
        return json.loads(text)
    except ValueError:
        try:
            return yaml_values(text)
        except BrokenYaml as error:
            raise ValueError("neither JSON nor YAML") from error


def rendered_hits(results: Iterable[tuple[NumberedHit, str]], format: ReferencesFormat) -> str:
    """Return hits, each with as much of its text as is handed over."""
    return render_references([result_of(numbered, text) for numbered, text in results], format)


def result_of(numbered: NumberedHit, text: str) -> dict[str, Any]:
    """Return a hit as a model sees it: a fixed order of keys, no ids and no scores."""
    hit = numbered.hit
    if hit.is_outside:
        return outside_result(numbered, text)
    return {
        "name": hit.document_title or hit.document_name,
        "meta_data": {
            "citation": numbered.number,
            "document": hit.document_name,
            # Which one says something only where there are several: the first is called “default”.
            **({"knowledge_base": hit.knowledge_base} if hit.knowledge_base not in ("", DEFAULT_BASE) else {}),
            hit.page_kind.value: hit.page,
            **({"name": hit.label_of(hit.page)} if hit.label_of(hit.page) else {}),
            "chunk": hit.chunk.ordinal + 1,
            "heading": " > ".join(hit.headings),
        },
        "content": text,
    }


def _plain(value: Any) -> Any:
    """Return a value of which JSON and YAML know every part."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def _as_yaml(plain: Any) -> str:
    import yaml  # seldom asked for

    class Writer(yaml.SafeDumper):
        """Writes texts of several lines as they stand."""

    def text(writer: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        quoted = value.endswith("\n") or any(sign in value for sign in _OTHER_LINE_ENDS)
        style = '"' if quoted or _CLOSING.search(value) else "|" if "\n" in value else None
        return writer.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Writer.add_representer(str, text)
    written: str = yaml.dump(
        plain, Dumper=Writer, default_flow_style=False, sort_keys=True, allow_unicode=True, width=math.inf
    )
    return _CLOSING.sub(_ESCAPED, written.rstrip("\n"))


UNSURE_NOTICE = mark("The search is not sure that the passages that it found answer the question.")
"""For the user: the same as the model is told."""

_UNSURE = (
    "The search is not sure that these passages answer the question: decide by what they say, and say that nothing was"
    " found if they do not."
)
_PENDING = "Not everything can be searched yet ("
_PENDING_END = "): what is not found here may still stand in it."


@dataclass(frozen=True, slots=True)
class SearchRemarks:
    """What is to be known of a search beside its passages.

    Attributes:
        is_unsure: The search is not sure that what it found answers.
        pending: Documents that are still to be read or embedded, in words; empty where there is none.
    """

    is_unsure: bool = False
    pending: str = ""

    @classmethod
    def of(cls, result: SearchResult) -> "SearchRemarks":
        """Return the remarks on a result."""
        return cls(not result.is_sure, _pending(result.coverage))

    @property
    def text(self) -> str:
        """A line for each; empty where there is none."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        if self.is_unsure:
            yield _UNSURE
        if self.pending:
            yield f"{_PENDING}{self.pending}{_PENDING_END}"


NO_REMARKS = SearchRemarks()


def parse_search_remarks(text: str) -> tuple[SearchRemarks, str]:
    """Return the remarks at the beginning of a tool's result, and the rest of it."""
    is_unsure, pending = False, ""
    line, _, rest = text.partition("\n")
    if line == _UNSURE:
        is_unsure, text = True, rest
        line, _, rest = text.partition("\n")
    if line.startswith(_PENDING) and line.endswith(_PENDING_END):
        pending, text = line[len(_PENDING) : -len(_PENDING_END)], rest
    return SearchRemarks(is_unsure, pending), text


def _pending(coverage: Coverage | None) -> str:
    if coverage is None or not coverage.pending:
        return ""
    behind = coverage.by_keyword + coverage.not_embedded
    kinds = ((coverage.waiting, "to be read"), (behind, "to be embedded"))
    return ", ".join(f"{count} {_documents(count)} still {what}" for count, what in kinds if count)


def _documents(count: int) -> str:
    return "document" if count == 1 else "documents"


def outside_result(numbered: NumberedHit, text: str) -> dict[str, Any]:
    """Return name, meta_data and content; the number to cite by is ours, whatever the passage says of itself.

    Args:
        numbered: The hit under its number.
        text: What is handed over of it.
    """
    hit = numbered.hit
    said = json.loads(hit.meta_data) if hit.meta_data else {}
    others = {key: value for key, value in said.items() if key != "citation"}
    name = {"name": hit.document_title} if hit.document_title else {}
    return {**name, "meta_data": {"citation": numbered.number, "from": hit.origin, **others}, "content": text}
