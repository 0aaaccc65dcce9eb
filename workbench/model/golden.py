"""Golden questions: questions of which people know what is right to find, and what is wrong."""

from dataclasses import dataclass, replace
from enum import StrEnum

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
