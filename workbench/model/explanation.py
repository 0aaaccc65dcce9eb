"""Explanation of why a passage was found, or at which step of the search it was lost."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.chunk import Chunk
from workbench.model.hit import SearchMode


class Stage(StrEnum):
    """Step at which a passage was first lost, in the order of the steps; or FOUND."""

    BINNED = "in the bin"
    NOT_READ = "not read yet"
    LOCKED = "locked"
    FAILED = "could not be read"
    NO_TEXT = "no text there"
    NO_CHUNK = "in no chunk"
    DISABLED = "disabled"
    FILTERED = "outside the filter"
    NO_VECTOR = "no vector yet"
    BEYOND = "beyond the last one given"
    FOLDED = "same text as another"
    BELOW_FLOOR = "below the floor"
    FOUND = "found"

    @property
    def is_searched(self) -> bool:
        """True if the search could see the passage, so that it has ranks."""
        return self in (Stage.NO_VECTOR, Stage.BEYOND, Stage.FOLDED, Stage.BELOW_FLOOR, Stage.FOUND)


@dataclass(frozen=True, slots=True)
class DocumentSpot:
    """Part of a document; without values, the whole document.

    Attributes:
        start: First character, an offset into the document's text; with end.
        end: One past the last.
        page: A page, 1-based.
        quote: Words in the text; white space and case are ignored.
    """

    start: int | None = None
    end: int | None = None
    page: int | None = None
    quote: str = ""


class ListKind(StrEnum):
    """List of a search."""

    MEANING = "meaning"
    WORDS = "words"


class WordStanding(StrEnum):
    """Place of a word of the question."""

    IN_TEXT = "in the text"
    ABOVE = "in the title or a heading"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """Word of the question and its occurrence in a passage.

    Attributes:
        text: As written in the question.
        share: Share of the question's total weight, 0 to 1: rare words weigh more.
        chunks: Number of chunks of the library that contain it.
        standing: Its place in the passage.
    """

    text: str
    share: float
    chunks: int
    standing: WordStanding

    @property
    def is_held(self) -> bool:
        """True if the passage contains it, in its text or above it."""
        return self.standing is not WordStanding.MISSING


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Place of a passage in one list of the search, among all admitted chunks of the library.

    Attributes:
        kind: The list.
        rank: 1-based; None if the list does not contain it.
        size: Number of chunks in the list.
        looked_at: Number of chunks at its head that were compared with the other list's.
        given: Ranks in this list of the returned passages, ascending.
        score: Score of the passage: a cosine, or BM25.
        best: The score at the head of the list.
        last: The score of the last chunk compared.
        weight: Weight of the list, 0 to 1.
    """

    kind: ListKind
    rank: int | None
    size: int
    looked_at: int
    given: tuple[int, ...] = ()
    score: float | None = None
    best: float | None = None
    last: float | None = None
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class StandIn:
    """Passage that was returned in place of another one.

    Attributes:
        chunk: Its id.
        document_name: Name of its document.
        place: Its page in words, or empty.
        rank: Its rank among the returned passages; None if it was not returned either.
    """

    chunk: int
    document_name: str
    place: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Account:
    """Outcome of one search for one chunk.

    Attributes:
        chunk: The chunk.
        place: Its page in words, or empty.
        stage: Step at which it was lost.
        lists: Its place in each list; empty if the search could not see it.
        words: The question's words.
        rank: Its rank in the final order without a limit; None if it was not compared.
        compared: Number of chunks compared.
        fused: Its score in that order.
        fused_last: The lowest score of the returned passages.
        relevance: Estimated probability that it is about the question, 0 to 1.
        certainty: Estimated probability that its best sentence is an answer; None if not computed.
        floor: Threshold of the certainty, below which no answer is given; without a certainty, threshold of the
            relevance that at least one of the returned passages must reach.
        rerank: Its score from the reranker; None if there is none or it was not reranked.
        rerank_rank: Its rank in the reranker's order.
        rerank_last: The lowest reranker score of the returned passages.
        named: Confidence that the question names its document, 0 to 1; it raises the score.
        same_as: The passage with the same text that was returned in its place.
        left_out_by: The conditions of the filter that it does not meet, in words.
    """

    chunk: Chunk
    place: str
    stage: Stage
    lists: tuple[ListPlace, ...] = ()
    words: tuple[QuestionWord, ...] = ()
    rank: int | None = None
    compared: int = 0
    fused: float | None = None
    fused_last: float | None = None
    relevance: float | None = None
    certainty: float | None = None
    floor: float = 0.0
    rerank: float | None = None
    rerank_rank: int | None = None
    rerank_last: float | None = None
    named: float = 0.0
    same_as: StandIn | None = None
    left_out_by: tuple[str, ...] = ()

    def in_list(self, kind: ListKind) -> ListPlace | None:
        """Return its place in a list; None if that list was not searched."""
        return next((one for one in self.lists if one.kind is kind), None)


class AdviceKind(StrEnum):
    """Kind of remedy; the window has a button for some."""

    RESTORE = "restore"
    WAIT = "wait"
    UNLOCK = "unlock"
    READ_AGAIN = "read again"
    ENABLE = "enable"
    OCR = "ocr"
    WIDEN = "widen"
    MORE = "more passages"
    ASK_WITH = "ask with"
    ASK_OTHERWISE = "ask otherwise"


@dataclass(frozen=True, slots=True)
class Advice:
    """Remedy that would help to find the passage.

    Attributes:
        kind: Kind of remedy.
        text: A sentence.
        question: For ASK_WITH: the question that finds the passage.
        pages: For OCR: the pages to be read; empty for all that need it.
    """

    kind: AdviceKind
    text: str
    question: str = ""
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of why the passage at a place of a document was found, or was not.

    Attributes:
        question: The question.
        mode: The lists that were searched.
        wanted: Number of passages requested.
        given: Number of passages returned.
        document: The document's id.
        document_name: Its name.
        start: First character of the place, an offset into the document's text.
        end: One past the last.
        stage: Stage of the account that came furthest; or the reason why there is none.
        sentence: Summary for users.
        advice: Remedies.
        accounts: One per chunk that contains the place, the one that came furthest first.
        notes: Messages of the search itself, e.g. that only keywords were searched.
        milliseconds: Duration of the analysis.
    """

    question: str
    mode: SearchMode
    wanted: int
    given: int
    document: int
    document_name: str
    start: int
    end: int
    stage: Stage
    sentence: str
    advice: tuple[Advice, ...] = ()
    accounts: tuple[Account, ...] = ()
    notes: tuple[str, ...] = ()
    milliseconds: float = 0.0
