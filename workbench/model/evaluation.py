"""Golden questions with their judgements, and evaluations of search configurations by them."""

from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.model.search_configuration import SearchConfiguration


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """Result of a search for one golden question.

    Attributes:
        question: The question.
        knowledge_base: The only one that was searched; empty for all.
        filter: Further restriction of the search, as text.
        ranks: For each right passage in the library the rank of the first hit that meets it, 1-based; None if no hit
            does.
        lost: Number of right passages that the library does not contain (any more): not counted as misses.
        wrong: Ranks of the hits that were judged wrong.
        score: nDCG@10; None if there was nothing to find.
        milliseconds: Duration of the search.
        found: Name and page of the first hits, for users.
        problem: Reason why it was not searched or not measured; mostly empty.
    """

    question: str
    knowledge_base: str = ""
    filter: str = ""
    ranks: tuple[int | None, ...] = ()
    lost: int = 0
    wrong: tuple[int, ...] = ()
    score: float | None = None
    milliseconds: float = 0.0
    found: tuple[str, ...] = ()
    problem: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity of the question across runs."""
        return self.question, self.knowledge_base, self.filter

    @property
    def is_measured(self) -> bool:
        """True if there was something to find."""
        return bool(self.ranks)

    @property
    def best(self) -> int | None:
        """The rank of the first right hit; None if there is none."""
        return min((rank for rank in self.ranks if rank is not None), default=None)


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of a run, averaged over the measured questions; all but the counts and times are from 0 to 1.

    Attributes:
        k: Number of hits used for recall and hit.
        questions: Number of questions measured.
        recall: recall@k: the share of a question's right passages among its first k hits.
        hit: hit@k: the share of questions with a right passage among their first k hits.
        mrr: Mean of 1 / rank of the first right hit, 0 if there is none.
        ndcg: nDCG@10.
        wrong: Number of hits among the first k that were judged wrong, per question.
        p50: Median duration of a search in milliseconds.
        p95: 95th percentile of the duration in milliseconds.
    """

    k: int
    questions: int
    recall: float
    hit: float
    mrr: float
    ndcg: float
    wrong: float
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class EvaluationConditions:
    """Conditions of a run, used to detect outdated results.

    Attributes:
        version: Version of the program.
        embedder: Id of the embedder; empty if there is none.
        documents: Number of documents in the library.
        chunks: Number of chunks.
        embedded: Number of chunks that had a vector.
        contents: Digest of the contents of the documents.
        settings: The settings that influence searches, as text by name.
        questions: Digest of the golden questions.
    """

    version: str
    embedder: str
    documents: int
    chunks: int
    embedded: int
    contents: str
    settings: tuple[tuple[str, str], ...]
    questions: str


@dataclass(frozen=True, slots=True)
class EvaluationSummary:
    """Summary of a stored run, as shown in a list.

    Attributes:
        id: The library's own number.
        set: Name of the set of golden questions.
        began: ISO 8601, UTC.
        seconds: Duration.
        configuration: The search configuration.
        name: Name of the configuration; empty if it has no name.
        metrics: The results.
        conditions: Conditions of the run.
        lost: Number of right passages missing from the library.
        unmeasured: Number of questions that could not be measured.
        as_searched: Each question used the search settings of its knowledge base at that time; configuration is the
            general one.
        by_itself: The run was started automatically, because the conditions of the run before it had changed.
    """

    id: int
    set: str
    began: str
    seconds: float
    configuration: SearchConfiguration
    name: str
    metrics: Metrics
    conditions: EvaluationConditions
    lost: int = 0
    unmeasured: int = 0
    as_searched: bool = False
    by_itself: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Run with all its questions.

    Attributes:
        summary: Its summary.
        outcomes: One per question, in the order of the set.
        missing: Names of documents in judgements that the library does not contain.
        notes: Sentences for the user, e.g. that only keywords were searched.
        changed: Changes since the previous run of the same set and configuration, in words; empty if nothing changed or
            there was none.
        previous: Number of that run; 0 if there was none.
    """

    summary: EvaluationSummary
    outcomes: tuple[QuestionOutcome, ...]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    previous: int = 0


@dataclass(frozen=True, slots=True)
class Movement:
    """Comparison of one question under two configurations.

    Attributes:
        question: The question.
        before: Outcome with the first configuration.
        after: Outcome with the second configuration.
        change: The second score (nDCG@10) minus the first: above 0 it is better.
    """

    question: str
    before: QuestionOutcome
    after: QuestionOutcome
    change: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two runs over the same questions.

    Attributes:
        first: The baseline.
        second: The run compared with it.
        movements: The questions that both measured, the most improved first, the worst last.
        improved: Number of questions with a better score in the second run.
        worse: Number of questions with a worse score.
        equal: Number of questions with equal scores.
        p_value: Probability of such a difference by chance between equally good configurations; a two-sided sign test.
        sentence: The result in plain words.
    """

    first: Evaluation
    second: Evaluation
    movements: tuple[Movement, ...]
    improved: int
    worse: int
    equal: int
    p_value: float
    sentence: str


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """Progress of an evaluation; seconds_left is None until it can be estimated."""

    done: int
    questions: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class EvaluatedAgain:
    """Event: an outdated evaluation was automatically repeated."""

    summary: EvaluationSummary


@dataclass(frozen=True, slots=True)
class NamedConfiguration:
    """Configuration that the user stored under a name."""

    name: str
    configuration: SearchConfiguration


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Search settings of a knowledge base.

    Attributes:
        knowledge_base: Its name; None for a search of all at once.
        configuration: The configuration used for it.
        is_own: Whether it was promoted for this knowledge base; otherwise it is the general one.
    """

    knowledge_base: str | None
    configuration: SearchConfiguration
    is_own: bool


@dataclass(frozen=True, slots=True)
class Promotion:
    """Promotion of a configuration for a knowledge base; promoting `before` undoes it.

    Attributes:
        knowledge_base: Its name; None for the general configuration.
        before: Its former own configuration; None for none.
        now: Its current own configuration; None for none.
    """

    knowledge_base: str | None
    before: SearchConfiguration | None
    now: SearchConfiguration | None


MARKS = "marks"
"""Name of the set that contains the marks made in answers; it always exists."""


class JudgementKind(StrEnum):
    """Precision with which a judgement identifies its target."""

    PASSAGE = "passage"
    PAGE = "page"
    DOCUMENT = "document"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Place in the documents that is right or wrong to find for a question.

    It refers to no chunk and no row of the library, so that it can be located after documents were chunked, parsed or
    embedded again, and in another library.

    Attributes:
        right: Whether it answers the question.
        document: Name of the document; empty for any document that contains the text.
        sha256: Hash of the document's bytes when it was judged; empty if unknown.
        page: 1-based page, slide, sheet...; None if unknown or there is none.
        start: First character of the passage in the document's text, as it was when it was judged.
        end: One past the last.
        text: Text of the passage; without it the character positions are used while the document is unchanged.
        answers: A passage with any of these texts matches; used only if nothing more is known.
    """

    right: bool = True
    document: str = ""
    sha256: str = ""
    page: int | None = None
    start: int | None = None
    end: int | None = None
    text: str = ""
    answers: tuple[str, ...] = ()

    @property
    def kind(self) -> JudgementKind:
        """The most precise kind for which it has data."""
        if self.text.strip() or (self.start is not None and self.end is not None):
            return JudgementKind.PASSAGE
        if self.document and self.page is not None:
            return JudgementKind.PAGE
        return JudgementKind.ANSWER if self.answers else JudgementKind.DOCUMENT

    def is_at(self, sha256: str, start: int, end: int) -> bool:
        """Return whether it was made for exactly this passage."""
        return (self.sha256, self.start, self.end) == (sha256, start, end)

    def is_of_same(self, other: "Judgement") -> bool:
        """Return whether both judge the same passage, right or wrong."""
        return replace(self, right=other.right) == other


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """Question with its judgements; the same text under another filter is another question.

    Attributes:
        question: The question.
        judgements: Right and wrong places.
        knowledge_base: The only one that is searched; empty for all.
        filter: Further restriction of the search, as text; empty for none.
        id: The library's own number; 0 before it is stored.
    """

    question: str
    judgements: tuple[Judgement, ...] = ()
    knowledge_base: str = ""
    filter: str = ""
    id: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity of the question across sets, runs and libraries."""
        return self.question, self.knowledge_base, self.filter

    @property
    def right(self) -> tuple[Judgement, ...]:
        """Judgements of places that are right to find."""
        return tuple(one for one in self.judgements if one.right)

    @property
    def wrong(self) -> tuple[Judgement, ...]:
        """Judgements of places that are wrong to find."""
        return tuple(one for one in self.judgements if not one.right)


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Summary of a set of golden questions; right and wrong count its judgements."""

    name: str
    questions: int = 0
    right: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class BadLine:
    """Line of a file that is not a golden question: its 1-based number, and the reason."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionsRead:
    """Result of reading a file of golden questions.

    Attributes:
        set: Name of the set that now contains them.
        questions: Number of questions read.
        bad_lines: Lines that could not be read; the others were.
        before: Former questions of the set, for an undo.
    """

    set: str
    questions: int
    bad_lines: tuple[BadLine, ...] = ()
    before: tuple[GoldenQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark of a passage; removing the mark restores the former judgement.

    Attributes:
        set: The set that contains it.
        question: The question, as stored now.
        judgement: The judgement made by the mark.
        before: The replaced judgement; None if the passage had no mark.
    """

    set: str
    question: GoldenQuestion
    judgement: Judgement
    before: Judgement | None = None
