"""Question -> what could be given for it, in the order of both lists and of the documents that it names.

Long reports are alike: of twelve annual reports of four companies, cover pages hold the company's name and the year of
any question, and the tables that answer it hold neither. So a document that the question names is searched by itself,
for the rest of the question, and what is found there is raised. Of 40 questions to them (tests/benchmarks/filings.py),
the page is among the first ten for 0.50 without, 0.53 raised only, 0.75 searched for the rest only, 0.90 with both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.retrieval.document_names import NameSource, Naming, naming
from workbench.retrieval.fusion import Fused, fuse
from workbench.retrieval.lists import Extent, Lists, ListSearch
from workbench.retrieval.question import QuestionWords
from workbench.retrieval.question_parts import parts_of

# What a passage of a named document gains, on the scale of the fused scores, so that a better one elsewhere still goes
# before it. 0.2 has 0.02 less MRR there; with 0.3 articles of squad2 that are called by one word ("Force") lose 0.003.
_RAISE = 0.3


@dataclass(frozen=True, slots=True)
class Candidates:
    """What one question came to.

    Attributes:
        lists: What both lists hold.
        order: Their chunks, best first.
        named: Chunk -> how surely the question names its document, 0 to 1; of those that it names.
        rest: What the question asks beside that; empty where it names none.
        rest_words: The words of the rest.
        best_of_parts: The best chunk for each part of the question, where it has parts.
    """

    lists: Lists
    order: list[Fused]
    named: Mapping[int, float] = field(default_factory=dict)
    rest: str = ""
    rest_words: QuestionWords | None = None
    best_of_parts: tuple[int, ...] = ()

    def words(self, chunk: int) -> QuestionWords:
        """Return what is asked of a passage: of a named document the rest of the question."""
        return self.rest_words if self.rest_words is not None and chunk in self.named else self.lists.words


class CandidateSearch:
    """Blocking; safe to call from several threads."""

    def __init__(self, lists: ListSearch, names: NameSource | None) -> None:
        """Take the lists, and what documents are called; without it no document is named."""
        self._lists = lists
        self._names = names

    def candidates(self, question: str, extent: Extent, *, by_name: bool, by_part: bool = False) -> Candidates:
        """Return what both lists give, fused.

        Args:
            question: As searched.
            extent: What may be found.
            by_name: Passages of documents that the question names are raised.
            by_part: A question that asks for several things is searched for each of them, too.

        Raises:
            RetrievalError: As ListSearch.lists.
            NotFound: As ListSearch.lists.
        """
        parts = parts_of(question) if by_part else ()
        if parts:
            return self._of_parts(question, extent, parts, by_name=by_name)
        if by_name and self._names is not None and (named := naming(question, self._names)) is not None:
            strengths = _strengths(named, self._names, extent)
            if strengths:
                return self._of_named(question, extent, named.rest, strengths)
        lists = self._lists.lists(question, extent)
        return Candidates(lists, _fused(lists))

    def _of_parts(self, question: str, extent: Extent, parts: Sequence[str], *, by_name: bool) -> Candidates:
        """Return what the whole question came to, with the best passage for each part as high as it is for that part.

        Of hotpot's questions 20 of 100 have two parts: nDCG@10 0.832 without, 0.836 so, and with the best two or three
        of each part. But those push the other part's best down where a question compares two long reports.
        """
        found = [self.candidates(part, replace(extent, also={}), by_name=by_name) for part in parts]
        best = {one.order[0].chunk: one.order[0].score for one in found if one.order}
        also = {chunk: one.lists.keyword.get(chunk, 0.0) for one in found for chunk in best}
        whole = self.candidates(question, replace(extent, also=also | dict(extent.also)), by_name=by_name)
        order = [replace(one, score=max(one.score, best.get(one.chunk, 0.0))) for one in whole.order]
        order.sort(key=lambda one: (-one.score, one.chunk))
        return replace(whole, order=order, best_of_parts=tuple(best))

    def _of_named(self, question: str, extent: Extent, rest: str, strengths: Mapping[int, float]) -> Candidates:
        within = replace(extent, allowed=np.array(sorted(strengths), np.int64), also={})
        there = self._lists.lists(rest or question, within)
        scores = {one.chunk: one.score for one in _fused(there)}
        counted = self._lists.keyword(question, within)
        also = {chunk: counted.get(chunk, there.keyword.get(chunk, 0.0)) for chunk in scores}
        lists = self._lists.lists(question, replace(extent, also=also | dict(extent.also)))
        order = [_raised(one, strengths.get(one.chunk, 0.0), scores, extent.depth) for one in _fused(lists)]
        order.sort(key=lambda one: (-one.score, one.chunk))
        return Candidates(lists, order, strengths, rest, there.words if rest else None)


def _strengths(named: Naming, names: NameSource, extent: Extent) -> dict[int, float]:
    """Return chunk -> strength of what may be found in the named documents."""
    chunks = names.chunks(list(named.strengths))
    if extent.allowed is not None:
        theirs = np.array(list(chunks), np.int64)
        places = np.searchsorted(extent.allowed, theirs)  # both ascend; np.isin would sort a million ids
        is_there = np.append(extent.allowed, -1)[places] == theirs
        chunks = {chunk: chunks[chunk] for chunk in theirs[is_there].tolist()}
    return {chunk: named.strengths[document] for chunk, document in chunks.items()}


def _raised(one: Fused, strength: float, there: Mapping[int, float], depth: int) -> Fused:
    """Return a passage with what its document's being named adds; a rank past the list's head is not known."""
    rank = one.keyword_rank if one.keyword_rank is not None and one.keyword_rank <= depth else None
    score = max(one.score, there.get(one.chunk, 0.0)) + _RAISE * strength if strength else one.score
    return replace(one, score=score, keyword_rank=rank)


def _fused(lists: Lists) -> list[Fused]:
    return fuse(
        lists.dense,
        lists.keyword,
        weight=lists.weight,
        understanding=lists.understanding,
        words=lists.words,
        dense_ranks=lists.dense_ranks,
    )
