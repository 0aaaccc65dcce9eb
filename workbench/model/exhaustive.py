"""A question asked of every passage that a filter lets through: what each said, what that makes of each document."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Citation


class Says(StrEnum):
    """What a passage says to the question: yes, or where it is no yes-or-no question an answer; no; or nothing.

    UNREADABLE: what the reader made of it could not be used, so that nobody knows.
    """

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    UNREADABLE = "unreadable"


class DocumentVerdict(StrEnum):
    """What a document says to the question.

    NOT_SAID is said only of a document that was read whole. UNREADABLE: nothing was found, and some passages could not
    be read. UNFINISHED: nothing was found so far.
    """

    YES = "yes"
    NO = "no"
    NOT_SAID = "not said"
    UNREADABLE = "unreadable"
    UNFINISHED = "unfinished"


class ReadingStatus(StrEnum):
    """How far a reading is; one that was stopped, failed or was killed is PAUSED and can be continued."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class PassageReading:
    """What one passage said.

    Attributes:
        chunk: Its id; document and ordinal say where it stood.
        sha256: Of the text that was read.
        finding: In a short sentence.
        quotes: Stretches of it, word for word; of YES and NO at least one.
        thrown_out: Quotes that do not stand in it.
        problem: Why it is UNREADABLE.
        score: How sure the offline reader is, 0 to 1; 0 of a model.
    """

    chunk: int
    document: int
    ordinal: int
    sha256: str
    says: Says
    finding: str = ""
    quotes: tuple[Citation, ...] = ()
    thrown_out: int = 0
    problem: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """A row of the table.

    Attributes:
        answer: Short; empty offline, where the quotes are the answer.
        citations: What bears it out, best first.
        relevant: Passages that say something.
        differs: Some passages say yes and some no.
        passages: That are to be read; read: that were, the unreadable ones included.
        problem: Why the first of its unreadable passages is unreadable.
    """

    document: int
    name: str
    verdict: DocumentVerdict
    answer: str
    citations: tuple[Citation, ...]
    passages: int
    read: int
    relevant: int = 0
    unreadable: int = 0
    differs: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in whatever money; the user says so."""

    input: float
    output: float

    def of(self, input_tokens: float, output_tokens: float) -> float:
        """Return what so many tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class ReadingMeter:
    """How much was read."""

    passages: int = 0
    read: int = 0
    documents: int = 0
    documents_read: int = 0
    unreadable: int = 0

    @property
    def sentence(self) -> str:
        """It in words: "Read 812 of 812 passages, 14 of 14 documents, 3 unreadable"."""
        passages = f"{self.read:,} of {_counted(self.passages, 'passage')}"
        documents = f"{self.documents_read:,} of {_counted(self.documents, 'document')}"
        unreadable = f", {self.unreadable:,} unreadable" if self.unreadable else ""
        return f"Read {passages}, {documents}{unreadable}"


@dataclass(frozen=True, slots=True)
class ReadingInfo:
    """A reading without what was read.

    Attributes:
        knowledge_base: The only one that is read; None means all.
        filter: As it is typed.
        profile: Of the model that reads; model is its name there, empty offline.
        mode: Who reads, in a sentence.
        reason: Why it is PAUSED; hint says what to do.
        seconds: In which it was under way.
        calls: Of the model.
        thrown_out: Quotes that stand nowhere in their passages.
    """

    id: int
    name: str
    question: str
    knowledge_base: str | None
    filter: str
    profile: str
    model: str
    mode: str
    status: ReadingStatus
    reason: str
    hint: str
    created: str
    changed: str
    seconds: float
    calls: int
    input_tokens: int
    output_tokens: int
    meter: ReadingMeter
    thrown_out: int = 0
    price: Price | None = None

    @property
    def is_offline(self) -> bool:
        """Whether the built-in reader reads, which finds or finds not, and does not tell yes from no."""
        return not self.model

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be read."""
        return self.status is ReadingStatus.COMPLETE

    @property
    def cost(self) -> float | None:
        """What it has cost; None where nobody said a price."""
        return None if self.price is None else self.price.of(self.input_tokens, self.output_tokens)


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading with its table, sorted by document, and what is concluded from it.

    Attributes:
        notes: Tell of documents that changed before it went on, or since.
        outdated: Some changed since, so that there is something to be read, or to be taken out.
    """

    info: ReadingInfo
    documents: tuple[DocumentReading, ...]
    conclusion: str = ""
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    outdated: bool = False

    def count(self, verdict: DocumentVerdict) -> int:
        """Return how many documents have a verdict."""
        return sum(one.verdict is verdict for one in self.documents)


class PaceSource(StrEnum):
    """What the time of an estimate rests on."""

    READINGS = mark("earlier readings with this model")
    ANSWERS = mark("earlier answers of this model")
    SAMPLE = mark("passages that were read just now to find out")
    ASSUMED = mark("an assumption; nothing was measured yet")
    UNKNOWN = mark("nothing: this model has not answered yet")


@dataclass(frozen=True, slots=True)
class ReadingEstimate:
    """What a reading would take, before it begins.

    Attributes:
        seconds: None where nobody can know.
        cost: None where nobody said a price.
        host: Where the passages would be sent; empty where they stay on this machine.
        mode: Who reads, in a sentence.
    """

    documents: int
    passages: int
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float | None
    pace: PaceSource
    cost: float | None = None
    host: str = ""
    mode: str = ""

    @property
    def leaves(self) -> str:
        """What would leave the machine, in a sentence."""
        if not self.host:
            return "Nothing leaves this machine."
        passages = _counted(self.passages, "passage")
        return f"{passages} and the question would be sent to {self.host}."


@dataclass(frozen=True, slots=True)
class ReadingOffer:
    """The arguments of a read_all that would do better than an answer, and its estimate."""

    question: str
    filter: ChunkFilter
    profile: str
    estimate: ReadingEstimate


@dataclass(frozen=True, slots=True)
class ReadingBegan:
    """A reading is kept under a number now, or goes on; notes say what has changed since it was stopped."""

    info: ReadingInfo
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """How far a reading is.

    Attributes:
        seconds_left: None until it can be told.
        concluding: All is read, and the conclusion is being written.
    """

    reading: int
    meter: ReadingMeter
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds_left: float | None = None
    concluding: bool = False


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """Something more was read of a document: its row of the table."""

    reading: int
    row: DocumentReading


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
