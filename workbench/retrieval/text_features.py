"""Features of candidates that only their text tells: headings that hold the question, years, financial statements.

Recall@10 and MRR of 34 questions to 14 annual and quarterly reports, and of 108 to 26 manuals, slides and papers,
without / with: 0.88 / 0.91 and 0.49 / 0.60; 0.83 / 0.85 and 0.63 / 0.66. The evidence found in five passages of long
texts gains 0.004, by years; sets of paragraphs, which have neither headings nor years, stay as they are.
"""

import re
from collections.abc import Sequence, Set
from itertools import pairwise

import numpy as np

from workbench.model.chunk import ChunkText
from workbench.model.document import BlockKind
from workbench.retrieval.financial_statements import Statement, is_statement
from workbench.retrieval.question import QuestionWords, words_of
from workbench.retrieval.ranking import Feature
from workbench.store.name_words import periods_in

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_RANGE = re.compile(r"\s*年?\s*(?:-|–|—|to|until|through|至|到)\s*(?:FY)?\s*", re.IGNORECASE)
_LONGEST_RANGE = 12
"""Years: a question about more asks for a history, not for each of them."""


def years_in(question: str) -> frozenset[str]:
    """Return the years of a question, four digits each: of "FY20 to FY22" 2021, too."""
    found = [(match.group(), match.start(), match.end()) for match in _YEAR.finditer(question)]
    found += [(word, start, end) for word, start, end in periods_in(question) if word.isdigit()]
    years = {word for word, _, _ in found}
    for (first, _, end), (last, start, _) in pairwise(sorted(found, key=lambda one: one[1])):
        if int(first) < int(last) <= int(first) + _LONGEST_RANGE and _RANGE.fullmatch(question[end:start]):
            years |= {str(year) for year in range(int(first), int(last))}
    return frozenset(years)


def headings_held(chunks: Sequence[ChunkText | None], words: QuestionWords) -> Feature:
    """Return which share of a question's words the title and the headings over each chunk hold, float32 [chunks].

    Args:
        chunks: None for one that is gone.
        words: Of the question, without the names of documents.
    """
    return _feature([words.share(words_of(f"{chunk.title} {chunk.headings}")) if chunk else 0.0 for chunk in chunks])


def years_held(chunks: Sequence[ChunkText | None], years: Set[str]) -> Feature:
    """Return which share of the years each chunk names, float32 [chunks]; 0 where there are none."""
    if not years:
        return np.zeros(len(chunks), np.float32)
    return _feature([sum(year in chunk.text for year in years) / len(years) if chunk else 0.0 for chunk in chunks])


def statements_held(chunks: Sequence[ChunkText | None], statements: Set[Statement]) -> Feature:
    """Return 1 for each chunk that is a table of one of the statements, else 0: float32 [chunks]."""
    return _feature(
        [
            bool(statements)
            and chunk is not None
            and chunk.kind is BlockKind.TABLE
            and is_statement(statements, chunk.headings, chunk.text)
            for chunk in chunks
        ]
    )


def _feature(values: Sequence[float]) -> Feature:
    return np.array(values, np.float32)
