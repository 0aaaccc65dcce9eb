"""Claims of an answer, sentence by sentence, and their support by the cited passages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark

_LONGEST = 160


class Verdict(StrEnum):
    """Verdict on a claim."""

    SUPPORTED = mark("supported")
    WEAK = mark("weak")
    UNSUPPORTED = mark("unsupported")
    NOT_CHECKED = mark("not checked")


class Doubt(StrEnum):
    """Reason why a claim is not simply supported."""

    SAYS_OTHERWISE = "says otherwise"
    MISSING_CITATION = "missing citation"
    INVALID_CITATION = "invalid citation"
    NUMBER_NOT_IN_PASSAGE = "number not in passage"
    NAME_NOT_IN_PASSAGE = "name not in passage"
    NEGATION_DIFFERS = "negation differs"
    LITTLE_IN_PASSAGE = "little in passage"
    OTHER_LANGUAGE = "other language"
    MODEL_DISAGREES = "model disagrees"


@dataclass(frozen=True, slots=True)
class Support:
    """Passage of the library that best supports a claim: text[start:end] of that document."""

    marker: int
    document: int | None
    chunk: int | None
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of a passage, and the words of a claim that contradict them."""

    passage: str
    claim: str


@dataclass(frozen=True, slots=True)
class Claim:
    """Statement answer[start:end] that can be right or wrong.

    Attributes:
        text: Its text, without markers and surrounding Markdown marks.
        numbers: Numbers of the cited passages; those of its paragraph if it has no citation itself.
        doubts: Reasons why it is not simply supported, the gravest first.
        missing: Numbers and names that no cited passage contains, as written in the answer.
        certainty: Estimated probability that the passages support it, 0 to 1; None if it was not checked.
        support: The passage that supports it best; None if there is none.
        note: Comment of the model that checked it, if any.
        differences: Contradictions between it and the passage that supports it best.
    """

    start: int
    end: int
    text: str
    verdict: Verdict
    doubts: tuple[Doubt, ...] = ()
    missing: tuple[str, ...] = ()
    certainty: float | None = None
    support: Support | None = None
    note: str = ""
    numbers: tuple[int, ...] = ()
    differences: tuple[Difference, ...] = ()

    @property
    def reason(self) -> str:
        """Reason for the verdict, in one sentence for a person; empty for a claim that is supported without a doubt."""
        reasons = [self._describe_doubt(doubt) for doubt in self.doubts]
        return " ".join([*reasons, *([self.note] if self.note else [])])

    def _describe_doubt(self, doubt: Doubt) -> str:
        anywhere = Doubt.MISSING_CITATION in self.doubts
        match doubt:
            case Doubt.SAYS_OTHERWISE:
                return " ".join(
                    mark(f"The passage says “{one.passage}”, the claim “{one.claim}”.") for one in self.differences
                )
            case Doubt.NUMBER_NOT_IN_PASSAGE:
                return _describe_missing([one for one in self.missing if one[:1].isdigit()], anywhere=anywhere)
            case Doubt.NAME_NOT_IN_PASSAGE:
                return _describe_missing([one for one in self.missing if not one[:1].isdigit()], anywhere=anywhere)
            case Doubt.LITTLE_IN_PASSAGE:
                return _LITTLE[self.verdict is Verdict.UNSUPPORTED, anywhere]
        return _REASONS[doubt]

    @property
    def sentence(self) -> str:
        """Verdict, text and reason, in one line for a person."""
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[: _LONGEST - 1].rstrip()}…"
        why = f" – {self.reason}" if self.reason else ""
        return f"{self.verdict.value.capitalize()}: “{text}”{why}"


def doubtful(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims that are not simply supported."""
    return [claim for claim in claims if claim.verdict is not Verdict.SUPPORTED]


def summary(claims: Iterable[Claim]) -> str:
    """Return a short summary: "7 of 9 sentences supported"; empty if there are no claims."""
    verdicts = [claim.verdict for claim in claims]
    checked = [verdict for verdict in verdicts if verdict is not Verdict.NOT_CHECKED]
    left_out = len(verdicts) - len(checked)
    if not verdicts:
        return ""
    if not checked and left_out == 1:
        return mark("1 sentence could not be checked: the passages are in another language")
    if not checked:
        return mark(f"{left_out} sentences could not be checked: the passages are in another language")
    supported = sum(verdict is Verdict.SUPPORTED for verdict in checked)
    if len(checked) == 1:
        words = mark(f"{supported} of 1 sentence supported")
    else:
        words = mark(f"{supported} of {len(checked)} sentences supported")
    return mark(f"{words}, {left_out} not checked") if left_out else words


def _describe_missing(missing: Sequence[str], *, anywhere: bool) -> str:
    quoted = ", ".join(f"“{one}”" for one in missing)
    if len(missing) == 1:
        here = mark(f"{quoted} is not in the cited passage.")
        return mark(f"{quoted} is not in any passage found.") if anywhere else here
    here = mark(f"{quoted} are not in the cited passage.")
    return mark(f"{quoted} are not in any passage found.") if anywhere else here


_REASONS = {
    Doubt.MISSING_CITATION: mark("It cites no source."),
    Doubt.INVALID_CITATION: mark("It cites a source that does not exist."),
    Doubt.NEGATION_DIFFERS: mark("The sentence and the passage disagree: only one of them says “not”."),
    Doubt.OTHER_LANGUAGE: mark("The passage is in another language, which cannot be compared here."),
    Doubt.MODEL_DISAGREES: mark("The model that checked it found no support for it in the cited passages."),
}
_LITTLE = {
    (True, True): mark("Little of it appears in any passage found."),
    (True, False): mark("Little of it appears in the cited passage."),
    (False, True): mark("Only part of it appears in any passage found."),
    (False, False): mark("Only part of it appears in the cited passage."),
}
"""Reasons by whether the claim is unsupported, and whether it cites nothing."""
_SENTENCES = (
    mark("Supported: “{0}”"),
    mark("Supported: “{0}” – {1}"),
    mark("Weak: “{0}” – {1}"),
    mark("Unsupported: “{0}” – {1}"),
    mark("Not checked: “{0}” – {1}"),
)
"""Forms of Claim.sentence, for translation."""
