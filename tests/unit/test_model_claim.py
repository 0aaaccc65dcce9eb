"""Verdicts on claims, in words."""

import pytest

from workbench.model.claim import Claim, Difference, Doubt, Verdict, doubtful, summary

GOOD = Claim(0, 5, "So.", Verdict.SUPPORTED)
WEAK = Claim(0, 5, "So.", Verdict.WEAK, (Doubt.LITTLE_IN_PASSAGE,))
BAD = Claim(0, 5, "So.", Verdict.UNSUPPORTED, (Doubt.NUMBER_NOT_IN_PASSAGE, Doubt.NAME_NOT_IN_PASSAGE), ("12", "Ann"))
OTHER = Claim(0, 5, "So.", Verdict.NOT_CHECKED, (Doubt.OTHER_LANGUAGE,))


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ((), ""),
        ((GOOD,), "1 of 1 sentence supported"),
        ((GOOD, WEAK, BAD), "1 of 3 sentences supported"),
        ((GOOD, OTHER), "1 of 1 sentence supported, 1 not checked"),
        ((OTHER, OTHER), "2 sentences could not be checked: the passages are in another language"),
    ],
)
def test_the_summary_counts(claims: tuple[Claim, ...], said: str) -> None:
    assert summary(claims) == said


def test_e37_a_doubtful_claim_shows_its_reason() -> None:
    assert GOOD.reason == ""
    assert WEAK.sentence == "Weak: “So.” – Only part of it appears in the cited passage."
    assert BAD.reason == ("“12” is not in the cited passage. “Ann” is not in the cited passage.")
    assert doubtful([GOOD, WEAK, BAD]) == [WEAK, BAD]


@pytest.mark.parametrize("doubt", list(Doubt))
def test_every_doubt_has_a_sentence(doubt: Doubt) -> None:
    claim = Claim(
        0,
        5,
        "So.",
        Verdict.UNSUPPORTED,
        (Doubt.MISSING_CITATION, doubt),
        ("12", "Ann"),
        differences=(Difference("high", "low"),),
    )
    assert claim.reason.endswith(".")
    assert "{" not in claim.reason
