"""Why a passage was found, or at which step of the search it was lost."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.chunk import Chunk
from workbench.model.hit import SearchMode


class Stage(StrEnum):
    """The first step at which a passage was lost, in the order in which it goes through them; or FOUND."""

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
        """Whether the search could see the passage, so that there are ranks to tell."""
        return self in (Stage.NO_VECTOR, Stage.BEYOND, Stage.FOLDED, Stage.BELOW_FLOOR, Stage.FOUND)


@dataclass(frozen=True, slots=True)
class DocumentSpot:
    """Which part of a document is meant; nothing at all means the whole of it.

    Attributes:
        start: First character, an offset into the document's text; with end.
        end: One past the last.
        page: A page, 1-based.
        quote: Words that stand there; white space and upper or lower case do not matter.
    """

    start: int | None = None
    end: int | None = None
    page: int | None = None
    quote: str = ""


class ListKind(StrEnum):
    """The lists of a search."""

    MEANING = "meaning"
    WORDS = "words"


class WordStanding(StrEnum):
    """Where a word of the question stands."""

    IN_TEXT = "in the text"
    ABOVE = "in the title or a heading"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word of the question and what a passage has of it.

    Attributes:
        text: As the question writes it.
        share: Of the question's whole weight, 0 to 1: rare words weigh more.
        chunks: In how many chunks of the library it stands.
        standing: Whether the passage has it.
    """

    text: str
    share: float
    chunks: int
    standing: WordStanding

    @property
    def is_held(self) -> bool:
        """Whether the passage has it, in its text or above it."""
        return self.standing is not WordStanding.MISSING


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where a passage stands in one list of the search, all of the admitted library counted.

    Attributes:
        kind: Which list.
        rank: 1-based; None where the list does not hold it.
        size: How many chunks the list holds.
        looked_at: So many from its head were compared with the other list's.
        given: The ranks in this list of the passages that were given, ascending.
        score: The passage's own: a cosine, or BM25.
        best: The score at the head of the list.
        last: The score of the last one compared.
        weight: The list's share of the say, 0 to 1.
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
    """A passage that was given in the place of another one.

    Attributes:
        chunk: Its id.
        document_name: Of its document.
        place: Its page in words, or nothing.
        rank: Its place among those given; None where it was not given either.
    """

    chunk: int
    document_name: str
    place: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one chunk in one search.

    Attributes:
        chunk: The chunk.
        place: Its page in words, or nothing.
        stage: Where it was lost.
        lists: Where it stands in each list; empty where the search could not see it.
        words: The question's words.
        rank: Its place in the final order, had nothing been cut off; None where it was not compared.
        compared: How many chunks were compared.
        fused: Its score in that order.
        fused_last: The lowest of the passages given.
        relevance: How sure we are that it is about the question, 0 to 1.
        certainty: How sure we are that its best sentence answers; None where that was not looked at.
        floor: Below this certainty no answer is given; where there is no certainty, the relevance that at least one of
            the passages given has to have.
        rerank: What the reranker gave it; None where there is none or it did not get so far.
        rerank_rank: Its place in the reranker's order.
        rerank_last: The lowest of the passages given.
        named: How surely the question names its document, 0 to 1; that raises its score.
        same_as: The passage of the same text that was given in its place.
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
        """Return where it stands in a list; None where that list was not asked."""
        return next((one for one in self.lists if one.kind is kind), None)


class AdviceKind(StrEnum):
    """What would help; the window has a button for some."""

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
    """One thing that would help.

    Attributes:
        kind: What kind of thing.
        text: A sentence.
        question: For ASK_WITH: the question that finds the passage.
        pages: For OCR: the pages to be read; none for all that need it.
    """

    kind: AdviceKind
    text: str
    question: str = ""
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the passage at a place of a document was found, or was not.

    Attributes:
        question: What was asked.
        mode: The lists that were searched.
        wanted: How many passages were to be given.
        given: How many were.
        document: The document's id.
        document_name: Its name.
        start: First character of the place, an offset into the document's text.
        end: One past the last.
        stage: Of the account that came furthest; or why there is none.
        sentence: What happened, for people.
        advice: What would help.
        accounts: One a chunk that holds the place, the one that came furthest first.
        notes: What the search itself had to say, e.g. that only keywords were searched.
        milliseconds: How long it took to find out.
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
