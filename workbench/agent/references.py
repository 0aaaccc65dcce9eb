"""Numbered references of a run, and the text of search results for a model: writers and parsers.

Remarks on a search are sent to the model as part of the result, in English like every instruction, and parsed again by
the offline answerer. A complete result of which the search is sure has none, and is the bare list (S-17).
"""

import asyncio
import json
import math
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from workbench.agent.built_in_agent import UNKNOWN_EN, UNKNOWN_ZH
from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.hit import AbbreviationReading, Coverage, Hit, NumberedHit, Reference, SearchResult
from workbench.model.run import LibrarySeen
from workbench.parsing.front_matter import BrokenYaml, yaml_values


class RunReferences:
    """Hits that one run has found so far; a chunk that is found twice keeps its number."""

    def __init__(self) -> None:
        self._by_number: dict[int, NumberedHit] = {}
        self._numbers: dict[int, int] = {}
        self._last_turn: asyncio.Event | None = None
        self.searches_failed = 0
        self._searched = False
        self._told: set[str] = set()
        self._coverage: Coverage | None = None
        self._has_unsearched = False

    @property
    def searched(self) -> bool:
        """True if the run has searched, even if it found nothing."""
        return self._searched or self.searches_failed > 0

    @property
    def has_unsearched(self) -> bool:
        """True if some document or page could not be searched, or not by meaning."""
        return self._has_unsearched

    @property
    def numbered(self) -> dict[int, NumberedHit]:
        """Every hit of the run that was offered, by number."""
        return dict(self._by_number)

    @property
    def chunks(self) -> tuple[int, ...]:
        """Ids of the library's chunks among those hits."""
        return tuple(chunk for one in self._by_number.values() if (chunk := one.hit.chunk.id) > 0)

    def add(self, query: str, result: SearchResult, *, seconds: float) -> Reference:
        """Number the hits of a search and return its reference entry; withheld hits cannot be cited."""
        self._searched = True
        hits = tuple(self._number(hit) for hit in result.hits)
        if result.is_relevant:
            for numbered in hits:
                self._by_number.setdefault(numbered.number, numbered)
        return Reference(query, hits, round(seconds, 4), withheld=not result.is_relevant)

    def news(self, notes: Iterable[str]) -> tuple[str, ...]:
        """Return the notes that this run has not reported yet, and record them as reported."""
        new = tuple(dict.fromkeys(note for note in notes if note not in self._told))
        self._told.update(new)
        return new

    def seen(self, coverage: Coverage | None) -> tuple[LibrarySeen, ...]:
        """Return the event for a coverage that differs from the one reported last; no event for another."""
        return (LibrarySeen(coverage),) if coverage is not None and self.is_news(coverage) else ()

    def is_news(self, coverage: Coverage | None) -> bool:
        """Return whether this coverage of the library differs from the one reported last, and record it as reported."""
        changed = coverage is not None and coverage != self._coverage
        self._has_unsearched |= coverage is not None and not coverage.is_complete
        self._coverage = coverage if changed else self._coverage
        return changed

    def restore(self, reference: Reference) -> None:
        """Restore the hits of another run with their numbers."""
        self._searched = True
        for numbered in reference.hits:
            self._numbers[numbered.hit.chunk.id] = numbered.number
            if not reference.withheld:
                self._by_number.setdefault(numbered.number, numbered)

    @asynccontextmanager
    async def in_call_order(self) -> AsyncIterator[asyncio.Event]:
        """Reserve a place in the order of calls; yields the event to await before numbering.

        Searches of one turn run concurrently, but their hits are numbered in the order of the model's calls, so that
        the same
        run always gives the same numbers.
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


# A document that contains the closing tag, in any spelling, must not end the block that contains it. Both formats allow
# this escape of a slash and read it as a slash: the text arrives unchanged.
_CLOSING = re.compile(r"(<\s*)/(?=\s*references)", re.IGNORECASE)
_ESCAPED = r"\1\\/"
DEFAULT_BASE = "default"
# YAML treats these as line ends, which it keeps only inside quotation marks.
_OTHER_LINE_ENDS = "\x85\u2028\u2029"


def render_references(results: Sequence[Mapping[str, Any] | str], format: ReferencesFormat) -> str:
    """Return results as text without escaping characters; values that the format lacks are written as text."""
    plain = [_plain(result) for result in results]
    if format is ReferencesFormat.YAML:
        return _as_yaml(plain)
    return _CLOSING.sub(_ESCAPED, json.dumps(plain, indent=2, ensure_ascii=False))


def parse_references(text: str) -> Any:
    """Return rendered references as values, in either format.

    Raises:
        ValueError: The text is neither JSON nor YAML.
    """
    try:
        return json.loads(text)
    except ValueError:
        try:
            return yaml_values(text)
        except BrokenYaml as error:
            raise ValueError("neither JSON nor YAML") from error


def rendered_hits(results: Iterable[tuple[NumberedHit, str]], format: ReferencesFormat) -> str:
    """Return hits as text, each with the part of its content that is sent."""
    return render_references([result_of(numbered, text) for numbered, text in results], format)


def result_of(numbered: NumberedHit, text: str) -> dict[str, Any]:
    """Return a hit as sent to a model: keys in a fixed order, no ids and no scores."""
    hit = numbered.hit
    if hit.is_outside:
        return outside_result(numbered, text)
    return {
        "name": hit.document_title or hit.document_name,
        "meta_data": {
            "citation": numbered.number,
            "document": hit.document_name,
            # Naming the knowledge base helps only if there are several: the first is called “default”.
            **({"knowledge_base": hit.knowledge_base} if hit.knowledge_base not in ("", DEFAULT_BASE) else {}),
            hit.page_kind.value: hit.page,
            **({"name": hit.label_of(hit.page)} if hit.label_of(hit.page) else {}),
            "chunk": hit.chunk.ordinal + 1,
            "heading": " > ".join(hit.headings),
        },
        "content": text,
    }


def _plain(value: Any) -> Any:
    """Return a value of which JSON and YAML support every part."""
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
    import yaml  # rarely needed

    class Writer(yaml.SafeDumper):
        """Dumper that writes multi-line texts as literal blocks."""

    def text(writer: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        quoted = value.endswith("\n") or any(sign in value for sign in _OTHER_LINE_ENDS)
        style = '"' if quoted or _CLOSING.search(value) else "|" if "\n" in value else None
        return writer.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Writer.add_representer(str, text)
    written: str = yaml.dump(
        plain, Dumper=Writer, default_flow_style=False, sort_keys=True, allow_unicode=True, width=math.inf
    )
    return _CLOSING.sub(_ESCAPED, written.rstrip("\n"))


UNSURE_NOTICE = mark("The passages found may not answer the question.")
"""Notice for the user, with the same content as the remark for the model."""

_UNSURE = (
    "The search is not sure that these passages answer the question: decide by what they say, and say that nothing was"
    " found if they do not."
)
_UNSEARCHED = "Not everything can be searched yet ("
_UNSEARCHED_END = (
    f"): what is not found here may still stand in it. If the results do not hold the answer, say “{UNKNOWN_EN}”"
    f" (in Chinese “{UNKNOWN_ZH}”) in place of the sentence that your documents hold nothing."
)

_READING = re.compile("“(?P<short>[^“”]+)” stands in no document; read as “(?P<long>[^“”]+)”[.]")
"""AbbreviationReading.note"""


@dataclass(frozen=True, slots=True)
class SearchRemarks:
    """Remarks on a search in addition to its passages.

    Attributes:
        is_unsure: True if the search is not sure that its hits answer the question.
        unsearched: Documents and pages that could not be searched, or not by meaning, in words; empty if none.
        readings: Abbreviations of the query that stand in no document, with the long forms that were searched.
    """

    is_unsure: bool = False
    unsearched: str = ""
    readings: tuple[AbbreviationReading, ...] = ()

    @classmethod
    def of(cls, result: SearchResult) -> "SearchRemarks":
        """Return the remarks on a result."""
        return cls(not result.is_sure, unsearched_of(result.coverage), result.readings)

    @property
    def text(self) -> str:
        """The remarks, one line each; empty if there are none."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from (reading.note for reading in self.readings)
        if self.is_unsure:
            yield _UNSURE
        if self.unsearched:
            yield f"{_UNSEARCHED}{self.unsearched}{_UNSEARCHED_END}"


NO_REMARKS = SearchRemarks()


def parse_search_remarks(text: str) -> tuple[SearchRemarks, str]:
    """Return the remarks at the beginning of a tool's result, and the rest of the result."""
    is_unsure, unsearched, readings = False, "", list[AbbreviationReading]()
    line, _, rest = text.partition("\n")
    while (reading := _READING.fullmatch(line)) is not None:
        readings.append(AbbreviationReading(reading["short"], reading["long"]))
        text = rest
        line, _, rest = text.partition("\n")
    if line == _UNSURE:
        is_unsure, text = True, rest
        line, _, rest = text.partition("\n")
    if line.startswith(_UNSEARCHED) and line.endswith(_UNSEARCHED_END):
        unsearched, text = line[len(_UNSEARCHED) : -len(_UNSEARCHED_END)], rest
    return SearchRemarks(is_unsure, unsearched, tuple(readings)), text


def unsearched_of(coverage: Coverage | None) -> str:
    """Return what could not be searched, in words for a model; empty if nothing."""
    if coverage is None:
        return ""
    kinds = (
        (coverage.waiting, "document", "still to be read"),
        (coverage.by_keyword + coverage.not_embedded, "document", "still to be embedded"),
        (coverage.locked, "document", "locked by a password"),
        (coverage.failed, "document", "that could not be read"),
        (coverage.pages, "page", "without text"),
        (coverage.cut, "document", "not read to the end"),
    )
    parts = [f"{count} {what}{'' if count == 1 else 's'} {state}" for count, what, state in kinds if count]
    if coverage.unreached:
        libraries = "1 shared library" if coverage.unreached == 1 else f"{coverage.unreached} shared libraries"
        parts.append(f"{libraries} that could not be reached")
    return ", ".join(parts)


def outside_result(numbered: NumberedHit, text: str) -> dict[str, Any]:
    """Return name, meta_data and content; the citation number is ours, regardless of the passage's own metadata.

    Args:
        numbered: The hit under its number.
        text: The part of its content that is sent.
    """
    hit = numbered.hit
    said = json.loads(hit.meta_data) if hit.meta_data else {}
    others = {key: value for key, value in said.items() if key != "citation"}
    name = {"name": hit.document_title} if hit.document_title else {}
    return {**name, "meta_data": {"citation": numbered.number, "from": hit.origin, **others}, "content": text}
