"""Abbreviations that a text defines."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.store.abbreviation_table import MOST_DEFINITIONS, definitions_in, phrase_of


def pairs(text: str) -> list[tuple[str, str]]:
    return [(one.short, one.long) for one in definitions_in(text)]


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("The free cash flow conversion (FCFC) was high.", "FCFC", "free cash flow conversion"),
        ("An ETS (the emissions trading scheme) sets a cap.", "ETS", "emissions trading scheme"),
        ("funds, among them exchange-traded funds (“ETFs”)", "ETF", "exchange-traded funds"),
        ("the Securities and Exchange Commission (the “SEC”)", "SEC", "Securities and Exchange Commission"),
        ("all research and development (R&D) costs", "R&D", "research and development"),
        ("twelve gigawatt hours (GWh)", "GWh", "gigawatt hours"),
        ("International Accounting\nStandards Board (IASB)", "IASB", "International Accounting Standards Board"),
        ("earnings before interest, taxes and amortization (EBITA)", "EBITA",
         "earnings before interest, taxes and amortization"),
        ("| AI | Artificial intelligence |\n| --- | --- |", "AI", "Artificial intelligence"),
        ("- NGO: non-governmental organisation", "NGO", "non-governmental organisation"),
    ],
)  # fmt: skip
def test_a_definition_in_english_is_recognised(text: str, short: str, long: str) -> None:
    assert pairs(text) == [(short, long)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("碳排放交易体系(以下简称“ETS”)于2021年启动。", [("ETS", "碳排放交易体系")]),
        ("国家将建立碳排放交易体系（下称“ETS”）。", [("ETS", "碳排放交易体系")]),
        ("人工智能（AI）的发展", [("AI", "人工智能")]),
        ("国家发展和改革委员会（以下简称“发改委”）", [("发改委", "发展和改革委员会")]),
        ("碳排放交易体系（Emissions Trading Scheme，ETS）",
         [("ETS", "Emissions Trading Scheme"), ("ETS", "碳排放交易体系")]),
    ],
)  # fmt: skip
def test_a_definition_in_chinese_is_recognised(text: str, expected: list[tuple[str, str]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The scheme is old (see Fig. 2).", "Foo and others (2019)", "Acme Trading Company (the “Company”)",
        "It has parts: (a) one, (ii) two, volume one (II)", "Apple (AAPL)", "a speed (in km/h)", "because of us (US)",
        "of the Association for Linguistics (TAL)", "the power of the plant (MW)", "note (Note 12)",
        "for 2019 (2019 OI)",
        "某某股份有限公司（以下简称“本公司”）", "甲乙两家公司（以下简称“双方”）", "Total | 12,000", "FY | 2019 | 2020",
    ],
)  # fmt: skip
def test_a_bracket_that_defines_nothing_is_left_alone(text: str) -> None:
    assert pairs(text) == []


def test_a_definition_is_given_once_however_it_is_written() -> None:
    text = "exchange-traded fund (ETF), then Exchange Traded Funds (ETFs)"
    assert pairs(text) == [("ETF", "exchange-traded fund")]
    assert phrase_of("Exchange Traded Funds") == phrase_of("exchange-traded fund")


@pytest.mark.parametrize("run", ["(", "()", "(a", "AB (AB) ", "A | ", "（以下简称", "A B (", "碳（A", "a "])
def test_brackets_without_end_are_looked_through_in_proportion_to_their_length(run: str) -> None:
    began = time.process_time()
    definitions_in(run * (100_000 // len(run)))
    assert time.process_time() - began < 2.0


def test_a_document_gives_a_bounded_number() -> None:
    names = (f"{chr(65 + n % 26)}{chr(65 + n // 26 % 26)}{chr(65 + n // 676)}" for n in range(5_000))
    text = "\n".join(f"{a}x {b}y {c}z ({a}{b}{c})" for a, b, c in names)
    assert len(definitions_in(text)) == MOST_DEFINITIONS


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"()（）ABab1 \n,;:|“”-&.简称", "以下简称", "ETS", "\ud800", "\x00", "the "]), max_size=60
    )
)
def test_both_forms_of_an_abbreviation_occur_in_the_text_for_any_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    for one in definitions_in(text):
        assert 2 <= len(one.short) <= 10
        assert set("".join(one.long.split())) <= set(text)
        assert (one.short + one.long).encode()
