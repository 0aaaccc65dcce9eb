"""Verdicts on claims, by words, numbers and names; tests/benchmarks/claims.py has the figures on real questions."""

from collections.abc import Iterable

import pytest
from fakes import make_hit

from workbench.agent.claims.claim_checker import ClaimChecker
from workbench.agent.offline.quotes import quote_of
from workbench.agent.offline.wording import quoted_answer
from workbench.embedding.base import Embedder
from workbench.model.claim import Claim, Doubt, Verdict
from workbench.model.hit import NumberedHit
from workbench.retrieval.answer_sentences import RankedSentence
from workbench.retrieval.quotable_spans import quotables

SURVEY = (
    "The channel was dredged to 14.2 m in 2021. Work was led by Maria Keller of the harbour office. The cost was 3.4 "
    "million euros, a quarter less than planned. Ships of more than 200 m may pass at high water only."
)
SURVEY_ZH = "该航道于2021年疏浚至14.2米深。工程由港口办公室的王丽负责。总费用为340万欧元，比计划少四分之一。"
TABLE = "Sales by region\n\n| Region | Sales |\n| --- | --- |\n| North. Coast | 12 |\n| South | 1,340 |\n"


class Counts:
    count = 1000

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(terms, 5)


def checked(answer: str, *passages: str, question: str = "", embedder: Embedder | None = None) -> tuple[Claim, ...]:
    hits = {number: make_hit(text, chunk=number, start=100) for number, text in enumerate(passages, start=1)}
    references = {number: NumberedHit(number, hit) for number, hit in hits.items()}
    return ClaimChecker(embedder, Counts()).check(question, answer, references)


@pytest.mark.parametrize(
    "answer",
    [
        "The channel was dredged to 14.2 m in 2021 [1].",
        "In 2021, the channel was dredged to **14.2 m** [1].",
        "Work was led by Maria Keller [1].",
        "Ships longer than 200 m may pass only at high water [1].",
        "该航道于2021年疏浚至14.2米深【2】。",
        "工程由港口办公室的王丽负责【2】。",
    ],
)
def test_e37_a_claim_that_the_passage_contains_is_supported(answer: str) -> None:
    (claim,) = checked(answer, SURVEY, SURVEY_ZH)
    assert (claim.verdict, claim.doubts) == (Verdict.SUPPORTED, ())


@pytest.mark.parametrize(
    ("answer", "doubt", "missing"),
    [
        ("The channel was dredged to 15.2 m in 2021 [1].", Doubt.NUMBER_NOT_IN_PASSAGE, ("15.2",)),
        ("Work was led by Peter Novak of the harbour office [1].", Doubt.NAME_NOT_IN_PASSAGE, ("Peter Novak",)),
        ("Peter Novak led the work of the harbour office [1].", Doubt.NAME_NOT_IN_PASSAGE, ("Peter Novak",)),
        ("Fishermen complained about the noise of the dredger at night [1].", Doubt.LITTLE_IN_PASSAGE, ()),
        ("该航道于2022年疏浚至14.2米深【2】。", Doubt.NUMBER_NOT_IN_PASSAGE, ("2022",)),
        ("渔民抱怨夜间挖泥船的噪音太大【2】。", Doubt.LITTLE_IN_PASSAGE, ()),
    ],
)
def test_e37_a_claim_that_the_passage_does_not_contain_is_unsupported(
    answer: str, doubt: Doubt, missing: tuple[str, ...]
) -> None:
    (claim,) = checked(answer, SURVEY, SURVEY_ZH)
    assert claim.verdict is Verdict.UNSUPPORTED
    assert doubt in claim.doubts
    assert claim.missing == missing


def test_e37_a_claim_without_a_source_is_never_quite_supported() -> None:
    true, false = checked("Work was led by Maria Keller.\n\nThe moon is made of green cheese.", SURVEY)
    assert (true.verdict, true.doubts) == (Verdict.WEAK, (Doubt.MISSING_CITATION,))
    assert (false.verdict, false.doubts[0]) == (Verdict.UNSUPPORTED, Doubt.MISSING_CITATION)


def test_e37_a_number_that_is_no_source_is_named() -> None:
    (claim,) = checked("Work was led by Maria Keller [7].", SURVEY)
    assert (claim.verdict, claim.doubts) == (Verdict.WEAK, (Doubt.INVALID_CITATION,))


def test_e37_a_claim_that_contradicts_the_passage_is_unsupported_and_shows_the_contradiction() -> None:
    (claim,) = checked("The channel was not dredged to 14.2 m in 2021 [1].", SURVEY)
    assert (claim.verdict, claim.doubts) == (Verdict.UNSUPPORTED, (Doubt.SAYS_OTHERWISE,))
    assert claim.reason == "The passage says “was dredged to”, the claim “was not dredged to”."


def test_a_claim_in_another_language_than_its_passage_is_not_checked() -> None:
    (claim,) = checked("该航道于2021年疏浚至14.2米深【1】。", SURVEY)
    assert (claim.verdict, claim.doubts, claim.certainty) == (Verdict.NOT_CHECKED, (Doubt.OTHER_LANGUAGE,), None)
    german = (
        "Die Fahrrinne wurde im Jahr 2021 auf eine Tiefe von 14,2 m ausgebaggert und kostete weniger als geplant [1]."
    )
    assert [claim.verdict for claim in checked(german, SURVEY)] == [Verdict.NOT_CHECKED]


def test_names_of_the_question_are_the_users_own() -> None:
    answer = "The channel of Sel was dredged to 14.2 m [1]."
    assert checked(answer, SURVEY)[0].doubts == (Doubt.NAME_NOT_IN_PASSAGE,)
    assert checked(answer, SURVEY, question="How deep is the channel of Sel?")[0].verdict is Verdict.SUPPORTED


def test_the_support_of_a_claim_is_the_sentence_that_contains_it() -> None:
    (claim,) = checked("Work was led by Maria Keller [1].", SURVEY)
    assert claim.support is not None
    assert claim.support.quote.startswith("Work was led by")
    assert SURVEY[claim.support.start - 100 : claim.support.end - 100] == claim.support.quote


@pytest.mark.parametrize("text", [SURVEY, SURVEY_ZH, TABLE])
def test_the_offline_answer_is_supported_throughout(text: str) -> None:
    sentences = [
        RankedSentence(1, one.start, one.end, one.text, 1.0, one.header, one.is_code, one.cells, one.reads)
        for one in quotables(text)
        if one.is_statement
    ]
    claims = checked(
        "".join(quoted_answer("What? 什么" if "航" in text else "What?", [quote_of(one) for one in sentences])), text
    )
    assert len(claims) >= 2
    assert {claim.verdict for claim in claims} == {Verdict.SUPPORTED}


def test_e37_an_answer_of_a_run_that_found_nothing_is_unsupported() -> None:
    (claim,) = checked("The moon is made of green cheese.")
    assert (claim.verdict, claim.doubts) == (Verdict.UNSUPPORTED, (Doubt.MISSING_CITATION,))


def test_a_cancelled_claim_check_ends_without_results() -> None:
    references = {1: NumberedHit(1, make_hit(SURVEY))}
    checker = ClaimChecker(None, Counts())
    assert checker.check("", "Work was led by Maria Keller [1].", references, stop=lambda: True) == ()


@pytest.mark.parametrize(
    "answer", ["*" * 5000, "[1] " * 2000, "- " * 3000, "a. " * 3000, "“" * 999, "\ud800 [1]", "|a|\n|-|\n|"]
)
def test_any_answer_can_be_checked(answer: str) -> None:
    assert isinstance(checked(answer, SURVEY, "", "\ud800"), tuple)


def test_meaning_counts_where_the_embedder_understands(embedder: Embedder) -> None:
    # No word of either is in the passage, so that words alone cannot distinguish them.
    answer = "The expenses stayed under budget [1]. The violins played under moonlight [1]."
    (same, other), (same_by_words, other_by_words) = checked(answer, SURVEY, embedder=embedder), checked(answer, SURVEY)
    assert same_by_words.certainty == other_by_words.certainty
    assert (same.certainty or 0) > (other.certainty or 0)
