"""Golden questions with their judgements, and evaluations: how well a way of searching finds what they ask for."""

from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.model.search_configuration import SearchConfiguration


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What one search made of one golden question.

    Attributes:
        question: As it was asked.
        knowledge_base: The only one that was searched; empty for all.
        filter: What else the search was restricted to, as text.
        ranks: For each right passage that the library holds the rank of the first hit that meets it, 1-based; None
            where no hit does.
        lost: Right passages that the library does not hold (any more): no search can find them, so none is a miss.
        wrong: Ranks of the hits that were judged wrong.
        score: nDCG@10; None where there was nothing to find.
        milliseconds: How long the search took.
        found: Name and page of the first hits, for people.
        problem: Why it was not searched or not measured; mostly empty.
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
        """What the question is: the same in two runs."""
        return self.question, self.knowledge_base, self.filter

    @property
    def is_measured(self) -> bool:
        """Whether there was something to find."""
        return bool(self.ranks)

    @property
    def best(self) -> int | None:
        """The rank of the first right hit; None where there is none."""
        return min((rank for rank in self.ranks if rank is not None), default=None)


@dataclass(frozen=True, slots=True)
class Metrics:
    """How well the questions of a run were answered, each from 0 to 1, averaged over the measured ones.

    Attributes:
        k: The number of hits that recall and hit look at.
        questions: How many questions were measured.
        recall: recall@k: the share of a question's right passages among its first k hits.
        hit: hit@k: the share of questions with a right passage among their first k hits.
        mrr: The mean of 1 / rank of the first right hit, 0 where there is none.
        ndcg: nDCG@10.
        wrong: How many hits that were judged wrong stand among the first k, a question.
        p50: Milliseconds that half of the searches took at most.
        p95: Milliseconds that 95 of 100 searches took at most.
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
class Circumstances:
    """What a run's figures rest on, so that it can be told when they are out of date.

    Attributes:
        version: Of the program.
        embedder: Id of the embedder; empty where there is none.
        documents: How many documents the library held.
        chunks: How many chunks.
        embedded: How many of them had their vector.
        contents: A digest of what the documents hold.
        settings: The settings that change what is found, as text by name.
        questions: A digest of the golden questions.
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
    """A kept run as it stands in a list.

    Attributes:
        id: The library's own number.
        set: The name of the set of golden questions.
        began: ISO 8601, UTC.
        seconds: How long it took.
        configuration: How was searched.
        name: What the configuration is called; empty where it has no name.
        metrics: How well it went.
        circumstances: What it rests on.
        lost: How many right passages the library does not hold.
        unmeasured: How many questions could not be measured.
        as_searched: Each question was asked as searches of its knowledge base went then; configuration is what all
            used.
        by_itself: Nobody asked for it: what the run before it rested on had changed.
    """

    id: int
    set: str
    began: str
    seconds: float
    configuration: SearchConfiguration
    name: str
    metrics: Metrics
    circumstances: Circumstances
    lost: int = 0
    unmeasured: int = 0
    as_searched: bool = False
    by_itself: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A run with all its questions.

    Attributes:
        summary: What the list says of it.
        outcomes: One a question, in the order of the set.
        missing: Names of documents that judgements name and the library does not hold.
        notes: Sentences for the user, e.g. that only keywords were searched.
        changed: What changed since the run before it of the same set and configuration, in words; empty where nothing
            did, or there was none.
        previous: That run's number; 0 where there was none.
    """

    summary: EvaluationSummary
    outcomes: tuple[QuestionOutcome, ...]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    previous: int = 0


@dataclass(frozen=True, slots=True)
class Movement:
    """One question under two configurations.

    Attributes:
        question: As it was asked.
        before: What the first made of it.
        after: What the second made of it.
        change: The second's score (nDCG@10) less the first's: above 0 it is better.
    """

    question: str
    before: QuestionOutcome
    after: QuestionOutcome
    change: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the same questions, side by side.

    Attributes:
        first: The one that is compared with.
        second: The one that is compared.
        movements: The questions that both measured, the most improved first, the worst last.
        improved: For how many the second is better.
        worse: For how many it is worse.
        equal: For how many neither.
        p_value: How often chance alone would make two equally good ways differ so much; a two-sided sign test.
        sentence: All that in plain words.
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
    """How far an evaluation is; seconds_left is None until it can be told."""

    done: int
    questions: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class EvaluatedAgain:
    """An evaluation that was out of date was made again by itself; an event."""

    summary: EvaluationSummary


@dataclass(frozen=True, slots=True)
class NamedConfiguration:
    """A configuration that the user keeps under a name."""

    name: str
    configuration: SearchConfiguration


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a knowledge base is searched.

    Attributes:
        knowledge_base: Its name; None for a search of all at once.
        configuration: What a search of it uses.
        is_own: Whether it was promoted for just this; else it is what all use.
    """

    knowledge_base: str | None
    configuration: SearchConfiguration
    is_own: bool


@dataclass(frozen=True, slots=True)
class Promotion:
    """A configuration became a knowledge base's own; promoting `before` undoes it.

    Attributes:
        knowledge_base: Its name; None for what all use.
        before: What it had of its own; None for nothing.
        now: What it has of its own; None for nothing.
    """

    knowledge_base: str | None
    before: SearchConfiguration | None
    now: SearchConfiguration | None


MARKS = "marks"
"""The set that holds what was marked in answers; it is always there."""


class JudgementKind(StrEnum):
    """How precisely a judgement names what it judges."""

    PASSAGE = "passage"
    PAGE = "page"
    DOCUMENT = "document"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A place in the documents that is right to find for a question, or wrong.

    It names no chunk and no row of the library: it is found again after documents were cut, read or embedded anew, and
    in another library.

    Attributes:
        right: Whether it answers the question.
        document: Name of the document; empty for whichever holds the text.
        sha256: Of the document's bytes when it was judged; empty where not known.
        page: 1-based page, slide, sheet...; None where that is not known or there is none.
        start: First character of the passage in the document's text, as it was when it was judged.
        end: One past the last.
        text: The passage's own words; without them its characters are believed while the document is the same.
        answers: Any of these words in a passage makes it the one; only where nothing more is known.
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
        """How precisely it names what it judges: the most precise that it says."""
        if self.text.strip() or (self.start is not None and self.end is not None):
            return JudgementKind.PASSAGE
        if self.document and self.page is not None:
            return JudgementKind.PAGE
        return JudgementKind.ANSWER if self.answers else JudgementKind.DOCUMENT

    def is_at(self, sha256: str, start: int, end: int) -> bool:
        """Tell whether it was made of just this passage."""
        return (self.sha256, self.start, self.end) == (sha256, start, end)

    def is_of_same(self, other: "Judgement") -> bool:
        """Tell whether both judge the same passage, whatever they say of it."""
        return replace(self, right=other.right) == other


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question with what is known of its answer; the same words under another filter are another question.

    Attributes:
        question: As it is asked.
        judgements: What is right to find, and what is wrong.
        knowledge_base: The only one that is searched; empty for all.
        filter: What else the search is restricted to, as text; empty for nothing.
        id: The library's own number; 0 before it is stored.
    """

    question: str
    judgements: tuple[Judgement, ...] = ()
    knowledge_base: str = ""
    filter: str = ""
    id: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is: the same in two sets, two runs, two libraries."""
        return self.question, self.knowledge_base, self.filter

    @property
    def right(self) -> tuple[Judgement, ...]:
        """What is right to find."""
        return tuple(one for one in self.judgements if one.right)

    @property
    def wrong(self) -> tuple[Judgement, ...]:
        """What is wrong to find."""
        return tuple(one for one in self.judgements if not one.right)


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """A set of golden questions, as it stands in a list; right and wrong count its judgements."""

    name: str
    questions: int = 0
    right: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of a file that is no golden question: its 1-based number, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class QuestionsRead:
    """What became of a file of golden questions: the set they are in now, how many, and the lines left out.

    Attributes:
        set: The name of the set.
        questions: How many questions were read.
        bad_lines: What could not be read; the rest was.
        before: What the set held before, for an undo.
    """

    set: str
    questions: int
    bad_lines: tuple[BadLine, ...] = ()
    before: tuple[GoldenQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage was marked; unmarking puts back what was known of it before.

    Attributes:
        set: The set that holds it.
        question: The question, as it is kept now.
        judgement: What was marked.
        before: What it replaced; None where the passage had no mark.
    """

    set: str
    question: GoldenQuestion
    judgement: Judgement
    before: Judgement | None = None
