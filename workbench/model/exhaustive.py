"""Exhaustive reading: a question asked of every passage that passes a filter, and its results by document."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Citation


class PassageVerdict(StrEnum):
    """Result for a passage: YES (or an answer to a question that is not yes-or-no), NO, or NOTHING.

    UNREADABLE: the reader's output could not be used, so the result is unknown.
    """

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    UNREADABLE = "unreadable"


class DocumentVerdict(StrEnum):
    """Verdict on a document.

    NOT_SAID is used only for a document that was read completely. UNREADABLE: nothing was found, and some passages
    could not be read. UNFINISHED: nothing was found so far.
    """

    YES = "yes"
    NO = "no"
    NOT_SAID = "not said"
    UNREADABLE = "unreadable"
    UNFINISHED = "unfinished"


class ReadingStatus(StrEnum):
    """Status of a reading; one that was stopped, failed or was killed is PAUSED and can be continued."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class PassageReading:
    """Result of reading one passage.

    Attributes:
        chunk: Its id; document and ordinal are its position.
        sha256: Hash of the text that was read.
        finding: The answer in a short sentence.
        quotes: Verbatim quotes; at least one for YES and NO.
        thrown_out: Number of quotes that do not occur in it.
        problem: Reason why it is UNREADABLE.
        score: Confidence of the offline reader, 0 to 1; 0 for a model.
    """

    chunk: int
    document: int
    ordinal: int
    sha256: str
    says: PassageVerdict
    finding: str = ""
    quotes: tuple[Citation, ...] = ()
    thrown_out: int = 0
    problem: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """Row of the result table.

    Attributes:
        answer: Short answer; empty offline, where the quotes are the answer.
        citations: Supporting quotes, best first.
        relevant: Number of passages with a finding.
        differs: Some passages answer yes and some no.
        passages: Number of passages to read; read: number that were read, including unreadable ones.
        problem: Problem of the first unreadable passage.
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
    """Price of a million tokens, in any currency, as given by the user."""

    input: float
    output: float

    def of(self, input_tokens: float, output_tokens: float) -> float:
        """Return the price of a number of tokens."""
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class ReadingMeter:
    """Progress counters of a reading."""

    passages: int = 0
    read: int = 0
    documents: int = 0
    documents_read: int = 0
    unreadable: int = 0

    @property
    def sentence(self) -> str:
        """Progress in words: "Read 812 of 812 passages, 14 of 14 documents, 3 unreadable"."""
        passages = f"{self.read:,} of {_counted(self.passages, 'passage')}"
        documents = f"{self.documents_read:,} of {_counted(self.documents, 'document')}"
        unreadable = f", {self.unreadable:,} unreadable" if self.unreadable else ""
        return f"Read {passages}, {documents}{unreadable}"


@dataclass(frozen=True, slots=True)
class ReadingInfo:
    """Description of a reading without its results.

    Attributes:
        knowledge_base: The only one that is read; None means all.
        filter: Filter as typed.
        profile: Profile of the model; model is its name there, empty offline.
        mode: Description of the reader, as a sentence.
        reason: Reason why it is PAUSED; hint describes a remedy.
        seconds: Time in which it was running.
        calls: Number of model calls.
        thrown_out: Number of quotes that do not occur in their passages.
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
        """True if the built-in reader is used, which only finds passages and does not distinguish yes from no."""
        return not self.model

    @property
    def is_complete(self) -> bool:
        """True if nothing is left to be read."""
        return self.status is ReadingStatus.COMPLETE

    @property
    def cost(self) -> float | None:
        """Cost so far; None without a price."""
        return None if self.price is None else self.price.of(self.input_tokens, self.output_tokens)


@dataclass(frozen=True, slots=True)
class Reading:
    """Reading with its table, sorted by document, and its conclusion.

    Attributes:
        notes: Messages about documents that changed before it was continued, or since.
        outdated: Documents changed since, so that passages must be read or removed.
    """

    info: ReadingInfo
    documents: tuple[DocumentReading, ...]
    conclusion: str = ""
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    outdated: bool = False

    def count(self, verdict: DocumentVerdict) -> int:
        """Return the number of documents with a verdict."""
        return sum(one.verdict is verdict for one in self.documents)


class PaceSource(StrEnum):
    """Basis of a time estimate."""

    READINGS = mark("earlier readings with this model")
    ANSWERS = mark("earlier answers of this model")
    SAMPLE = mark("a sample of passages read just now")
    ASSUMED = mark("an assumption; nothing was measured yet")
    UNKNOWN = mark("nothing: this model has not answered yet")


@dataclass(frozen=True, slots=True)
class ReadingEstimate:
    """Estimate for a reading before it begins.

    Attributes:
        seconds: Estimated time; None if unknown.
        cost: Estimated cost; None without a price.
        host: Host to which the passages would be sent; empty if they stay on this machine.
        mode: Description of the reader, as a sentence.
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
        """Data that would leave the machine, in a sentence."""
        if not self.host:
            return "Nothing leaves this computer."
        passages = _counted(self.passages, "passage")
        return f"{passages} and the question would be sent to {self.host}."


@dataclass(frozen=True, slots=True)
class ReadingOffer:
    """Proposal of a read_all that would be better than an answer: its arguments and its estimate."""

    question: str
    filter: ChunkFilter
    profile: str
    estimate: ReadingEstimate


@dataclass(frozen=True, slots=True)
class ReadingBegan:
    """Event: a reading was created or continued; notes describe changes since it was stopped."""

    info: ReadingInfo
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """Progress of a reading.

    Attributes:
        seconds_left: None until it can be estimated.
        concluding: All passages are read, and the conclusion is being written.
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
    """Event: more passages of a document were read; row is its current row of the table."""

    reading: int
    row: DocumentReading


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
