"""Linear ranking of candidates, with weights read from ranking.json.

Each feature has a scale on which 0 is nothing and 1 the maximum (a cosine is scaled so that an answer has 1). Scores of
different questions are therefore comparable, and the parts of the reranker can be added to them. The weights of the
keyword features add up to 1, and so do those of the dense features; the share of each of the two lists is measured for
each question (embedder_calibration.py).

"Net PP&E" occurs in the balance sheet, in a note, in ten sentences of the discussion and in a table of each segment,
but a question about it mostly means the balance sheet. For 34 questions to 14 annual and quarterly reports, without /
with a preference for the statements, the page is among the first five for 0.62 / 0.74, and MRR is 0.49 / 0.58.

Headings, years and statements, without / with: 34 questions to 14 annual and quarterly reports, recall@10 0.88 / 0.91
and MRR 0.49 / 0.60; 108 questions to 26 manuals, slides and papers, recall@10 0.83 / 0.85 and MRR 0.63 / 0.66. The
evidence found in five passages of long texts rises by 0.004, because of years; sets of paragraphs, which have neither
headings nor years, do not change.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.model.chunk import ChunkText
from workbench.model.document import BlockKind
from workbench.retrieval.asked_rows import AskedRow
from workbench.retrieval.embedder_calibration import EmbedderCalibration
from workbench.retrieval.question_words import QuestionWords, words_of
from workbench.store.name_words import periods_in

Feature = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """Weights by feature; see Features for the values that they multiply.

    Attributes:
        keyword: Weights of "question", "rest" and "page".
        dense: Weight of the question's cosine.
        expansions: Weights of "chunk", "page" and "dense".
        named: Weight of a document that the question names.
        texts: Weights of "headings", "years", "statement" and "rows".
        locators: Weights of "page", "front", "contents", "mentioned" and "captioned".
        reranking: Weights of the reranker's parts: "tokens", "letters", "characters", "topics" and "neighbours".
    """

    keyword: dict[str, float]
    dense: float
    expansions: dict[str, float]
    named: float
    texts: dict[str, float]
    locators: dict[str, float]
    reranking: dict[str, float]


@dataclass(slots=True)
class Features:
    """Features of the candidates, one value per candidate: each float32 [candidates].

    Attributes:
        keyword: BM25 share of the question in the chunk.
        keyword_rest: BM25 share, in the chunk, of the question without the names of documents.
        page: The same share on the chunk's whole page.
        dense: Scaled cosine of the question; the median of the others if a chunk has no vector yet.
        expansions: Mean BM25 share of the expansions in the chunk.
        expansions_page: The same share on its page; 0 in a document without pages.
        expansions_dense: Mean scaled cosine of the expansions; 0 if there are none.
        named: Certainty that the question names its document, 0 to 1.
        located: How well it matches the places that the question names, weighted.
        headings: Share of the question, without document names, that its document's title and its headings contain.
        years: Share of the question's years that it contains.
        statement: 1 if it is a financial statement that contains the requested quantities.
        rows: 1 if it has a table row whose name is what the question asks for.
    """

    keyword: Feature
    keyword_rest: Feature
    page: Feature
    dense: Feature
    expansions: Feature
    expansions_page: Feature
    expansions_dense: Feature
    named: Feature
    located: Feature
    headings: Feature
    years: Feature
    statement: Feature
    rows: Feature


@cache
def ranking_weights() -> RankingWeights:
    """Return the weights that ship with the program."""
    kept = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return RankingWeights(**{field.name: kept[field.name] for field in fields(RankingWeights)})


def scaled_cosines(
    cosines: Mapping[int, float], chunks: Sequence[int], understanding: EmbedderCalibration | None
) -> Feature:
    """Return the cosines of chunks on the embedder's own scale, float32 [chunks]: 0 unrelated, 1 an answer.

    A chunk without a vector gets the median of the others; otherwise it would be hidden while an import runs.

    Args:
        cosines: Chunk -> cosine.
        chunks: Ids, in the order of the result.
        understanding: The scale; None if the vectors were not searched: all values are then 0.
    """
    if understanding is None or not cosines:
        return np.zeros(len(chunks), np.float32)
    values = np.fromiter((cosines.get(chunk, np.nan) for chunk in chunks), np.float32, len(chunks))
    scaled = (values - understanding.floor) / understanding.spread
    is_missing = np.isnan(scaled)
    if is_missing.any():
        scaled[is_missing] = np.median(scaled[~is_missing])
    return scaled.astype(np.float32)


def rank_scores(features: Features, dense_share: float, weights: RankingWeights) -> Feature:
    """Return the score of each candidate, float32 [candidates]; higher is better.

    Args:
        features: Features of the candidates.
        dense_share: Weight of the dense list, 0 to 1.
        weights: Weights of the features.
    """
    keyword, expansions = weights.keyword, weights.expansions
    by_words = (
        keyword["question"] * features.keyword
        + keyword["rest"] * features.keyword_rest
        + keyword["page"] * features.page
        + expansions["chunk"] * features.expansions
        + expansions["page"] * features.expansions_page
    )
    by_meaning = weights.dense * features.dense + expansions["dense"] * features.expansions_dense
    by_text = (
        weights.texts["headings"] * features.headings
        + weights.texts["years"] * features.years
        + weights.texts["statement"] * features.statement
        + weights.texts["rows"] * features.rows
    )
    by_place = weights.named * features.named + features.located
    scores: Feature = ((1 - dense_share) * by_words + dense_share * by_meaning + by_text + by_place).astype(np.float32)
    return scores


class FinancialStatement(Enum):
    """Primary financial statement, with a pattern for its title (IFRS and US GAAP, English and Chinese)."""

    BALANCE_SHEET = (
        r"balance sheets?|statements? of (?:consolidated )?(?:financial (?:position|condition)|condition)|资产负债表"
    )
    INCOME = (
        r"statements? of (?:consolidated )?(?:comprehensive )?(?:income|operations|earnings|profit (?:or|and) loss)"
        r"|(?:income|profit and loss) (?:statements?|accounts?)|利润表|损益表"
    )
    CASH_FLOWS = r"statements? of (?:consolidated )?cash ?flows?|cash ?flows? statements?|现金流量表"


_TITLES = {statement: re.compile(statement.value, re.IGNORECASE) for statement in FinancialStatement}

# Leading characters of a table and trailing characters of its headings that are searched for the title.
_TITLE = 300
_HEADINGS = 120

_LINE_ITEMS: dict[FinancialStatement, tuple[str, ...]] = {
    FinancialStatement.BALANCE_SHEET: (
        "property, plant and equipment, net", "property and equipment, net", "total current assets",
        "total current liabilities", "inventories", "accounts receivable", "accounts receivable, net",
        "trade receivables", "accounts payable", "total assets", "total liabilities", "total stockholders' equity",
        "total shareholders' equity", "total equity", "long-term debt", "total debt", "short-term borrowings",
        "cash and cash equivalents", "retained earnings", "consolidated balance sheets",
        "statements of financial position",
    ),
    FinancialStatement.INCOME: (
        "net sales", "total revenues", "cost of goods sold", "cost of sales", "cost of revenue", "gross profit",
        "operating expenses", "selling, general and administrative", "selling, general and administrative expenses",
        "research and development", "operating income", "income from operations", "interest expense",
        "provision for income taxes", "effective income tax rate", "net income", "net earnings", "earnings per share",
        "diluted earnings per share", "consolidated statements of income", "consolidated statements of operations",
        "consolidated statements of earnings",
    ),
    FinancialStatement.CASH_FLOWS: (
        "net cash provided by operating activities", "net cash used in investing activities",
        "net cash used in financing activities", "capital expenditures", "purchases of property, plant and equipment",
        "depreciation and amortization", "dividends paid", "repurchases of common stock",
        "consolidated statements of cash flows",
    ),
}  # fmt: skip
_STATEMENT_OF = {item: statement for statement, items in _LINE_ITEMS.items() for item in items}


def statements_of(phrases: Iterable[str]) -> frozenset[FinancialStatement]:
    """Return the statements that contain some of these line items, spelled as in query_expansion.py."""
    return frozenset(_STATEMENT_OF[phrase] for phrase in phrases if phrase in _STATEMENT_OF)


def is_statement(statements: Iterable[FinancialStatement], headings: str, table: str) -> bool:
    """Return True if a table is one of these statements, judged by its first lines and its headings."""
    titles = f"{headings[-_HEADINGS:]} {table[:_TITLE]}"
    return any(_TITLES[statement].search(titles) for statement in statements)


_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_RANGE = re.compile(r"\s*年?\s*(?:-|–|—|to|until|through|至|到)\s*(?:FY)?\s*", re.IGNORECASE)
_LONGEST_RANGE = 12
"""Maximum range in years: a question about more asks for a history, not for each year."""


def years_in(question: str) -> frozenset[str]:
    """Return the years of a question, four digits each; for "FY20 to FY22" also 2021."""
    found = [(match.group(), match.start(), match.end()) for match in _YEAR.finditer(question)]
    found += [(word, start, end) for word, start, end in periods_in(question) if word.isdigit()]
    years = {word for word, _, _ in found}
    for (first, _, end), (last, start, _) in pairwise(sorted(found, key=lambda one: one[1])):
        if int(first) < int(last) <= int(first) + _LONGEST_RANGE and _RANGE.fullmatch(question[end:start]):
            years |= {str(year) for year in range(int(first), int(last))}
    return frozenset(years)


def heading_matches(chunks: Sequence[ChunkText | None], words: QuestionWords) -> Feature:
    """Return the share of the question's words that the title and the headings of each chunk contain, float32 [chunks].

    Args:
        chunks: Texts of the chunks; None for a deleted chunk.
        words: Words of the question without the names of documents.
    """
    return _feature([words.share(words_of(f"{chunk.title} {chunk.headings}")) if chunk else 0.0 for chunk in chunks])


def year_matches(chunks: Sequence[ChunkText | None], years: Set[str]) -> Feature:
    """Return the share of the years that each chunk contains, float32 [chunks]; 0 if there are no years."""
    if not years:
        return np.zeros(len(chunks), np.float32)
    return _feature([sum(year in chunk.text for year in years) / len(years) if chunk else 0.0 for chunk in chunks])


def statement_matches(chunks: Sequence[ChunkText | None], statements: Set[FinancialStatement]) -> Feature:
    """Return 1 for each chunk that is a table of one of the statements, else 0, float32 [chunks]."""
    return _feature(
        [
            bool(statements)
            and chunk is not None
            and chunk.kind is BlockKind.TABLE
            and is_statement(statements, chunk.headings, chunk.text)
            for chunk in chunks
        ]
    )


def row_matches(chunks: Sequence[ChunkText | None], row: AskedRow) -> Feature:
    """Return 1 for each chunk that has a table row with the name that a question asks for, else 0, float32 [chunks]."""
    return _feature([chunk is not None and row.is_in(chunk.text) for chunk in chunks])


def _feature(values: Sequence[float]) -> Feature:
    return np.array(values, np.float32)
