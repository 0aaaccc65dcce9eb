"""Answers without a model: groups of sentences, lists, tables, several topics; always word for word."""

import asyncio
import json
import re
from collections.abc import Iterable
from typing import Any

import pytest
from fakes import make_hit

from workbench.agent.citations import find_citations
from workbench.agent.offline.provider import OfflineProvider
from workbench.model.hit import NumberedHit
from workbench.model.message import Message, ModelRequest, Role, TextDelta, ToolCall, ToolSpec
from workbench.retrieval.answer_sentences import SentenceRanker

RULES = (
    "The gate is old. Stop work at once when one of the following happens:\n\n"
    "- the wind reaches force seven;\n- the radio is silent for five minutes;\n- the tide is above two metres.\n\n"
    "Call the engineer."
)
RULES_ZH = (
    "闸门很旧。出现下列情况之一时，应立即停止作业：\n\n"
    "- 风力达到七级；\n- 通信中断超过五分钟；\n- 预报潮位超过两米。\n\n请联系工程师。"
)
TABLE = (
    "Maintenance of the gate follows this plan.\n\n| Maintenance item | Period |\n| --- | --- |\n"
    "| Oil change of the gearbox | every 18 months |\n| Test of the spare winch | every 90 days |\n"
    "| Paint of the gate | every 3 years |\n"
)
BOTH = "The Corvo bridge was opened in 1931. It has three arches. The Corvo bridge is painted green."
OTHER = "Visitors like the town. The Lanta tower was built by Ida Holm. The Lanta tower has forty steps."


class Counts:
    count = 1000

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(terms, 5)


def answer(question: str, *passages: str, documents: tuple[str, ...] = (), heading: str = "") -> str:
    """Return the answer to a question for these passages, below a heading path."""
    results = [
        {
            "name": documents[index] if documents else "Manual",
            "meta_data": {"citation": index + 1, "chunk": index + 1, "heading": heading},
            "content": text,
        }
        for index, text in enumerate(passages)
    ]
    call = ToolCall("c1", "search_knowledge_base", json.dumps({"query": question}))
    messages = (
        Message(Role.USER, question),
        Message(Role.ASSISTANT, "", tool_calls=(call,)),
        Message(Role.TOOL, json.dumps(results, ensure_ascii=False), tool_call_id="c1"),
    )

    async def collect() -> list[Any]:
        provider = OfflineProvider(SentenceRanker(None, Counts()))
        tools = (ToolSpec("search_knowledge_base", "", {"type": "object"}),)
        return [event async for event in provider.stream(ModelRequest(messages, tools))]

    return "".join(event.text for event in asyncio.run(collect()) if isinstance(event, TextDelta))


def said(text: str) -> list[str]:
    """Return the texts in quotation marks in an answer, and in the cells of its tables."""
    cells = [cell.strip() for row in re.findall(r"^\|(.*)\|$", text, re.MULTILINE) for cell in row.split("|")]
    return re.findall(r"“([^”]*)”", text) + [cell for cell in cells if re.search(r"[^\W_]", cell) and "[" not in cell]


def quoted_by(text: str, *passages: str) -> list[str]:
    """Return the quote of each citation in an answer."""
    numbered = {number: NumberedHit(number, make_hit(one)) for number, one in enumerate(passages, start=1)}
    return [citation.quote for citation in find_citations(text, numbered)]


def test_a_list_is_given_whole_under_the_sentence_that_introduces_it():
    text = answer("When do I have to stop work at once?", RULES)
    assert (
        "- “Stop work at once when one of the following happens:” [1]\n  - “the wind reaches force seven;” [1]" in text
    )
    assert "\n  - “the tide is above two metres.” [1]" in text
    assert "Call the engineer" not in text


def test_a_list_is_given_whole_in_chinese():
    text = answer("什么情况下应立即停止作业？", RULES_ZH)
    assert (
        "- “出现下列情况之一时，应立即停止作业：” [1]\n  - “风力达到七级；” [1]\n  - “通信中断超过五分钟；” [1]" in text
    )
    assert "请联系工程师" not in text


def test_each_list_item_is_cited_at_its_own_line():
    lines = quoted_by(answer("When do I have to stop work at once?", RULES), RULES)
    assert [line.removeprefix("- ") for line in lines][1:] == [
        "the wind reaches force seven;",
        "the radio is silent for five minutes;",
        "the tide is above two metres.",
    ]


def test_a_row_of_a_part_of_a_long_table_is_quoted_under_the_column_headers_of_its_headings():
    rows = "| Merchandise inventories | 5,651 | 5,140 |\n| Trade receivables | 79 | 80 |"
    text = answer("What were the merchandise inventories in 2017?", rows, heading="Sales (in millions) > | 2016 | 2017")
    assert "| (in millions) | 2016 | 2017 | |\n| --- | --- | --- | --- |\n| Merchandise inventories | 5,651" in text


def test_the_table_row_that_answers_is_quoted_under_its_column_headers():
    text = answer("How often is the oil change of the gearbox?", TABLE)
    row = "| Maintenance item | Period | |\n| --- | --- | --- |\n| Oil change of the gearbox | every 18 months | [1] |"
    assert row in text
    assert "every 90 days" not in text
    assert quoted_by(text, TABLE)[0] == "Oil change of the gearbox | every 18 months"


def test_a_question_for_the_rows_of_a_table_gets_them_all_once():
    text = answer("Which maintenance items does the gate have?", TABLE)
    assert [row in text for row in ("every 18 months", "every 90 days", "every 3 years")] == [True] * 3
    assert text.count("| Maintenance item |") == 1


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        (
            "What is shadowing?",
            "Shadowing can surprise, and shadowing needs care. Later, shadowing shadowed shadowing again.\n\n"
            "Shadowing is the reuse of a name.",
            "“Shadowing is the reuse of a name.”",
        ),
        (
            "什么是所有权？",
            "首先看所有权的规则和所有权。\n\n所有权（ownership）是一组规则。",
            "“所有权（ownership）是一组规则。”",
        ),
        ("所有权是什么？", "首先看所有权的规则和所有权。\n\n所有权是指一组规则。", "“所有权是指一组规则。”"),
        (
            "Why was the seal of the gate replaced?",
            "The seal of the gate was replaced in May.\n\nThe seal of the gate was replaced because it leaked.",
            "“The seal of the gate was replaced because it leaked.”",
        ),
    ],
)
def test_of_sentences_that_are_nearly_as_good_the_kind_that_is_asked_for_goes_first(question, text, first):
    assert said(answer(question, text))[0] == first.strip("“”")


def test_a_sentence_that_begins_with_it_comes_with_the_one_before():
    question = "How many arches of stone does it have?"
    text = answer(question, "The bridge is old. It has three arches of stone. Boats pass below.")
    assert "“The bridge is old. It has three arches of stone.” [1]" in text


def test_a_chinese_sentence_that_points_back_comes_with_the_one_before():
    text = answer("水泵的保修期有多长？", "这是一台新机器。该水泵的保修期为两年。办公室周日不开门。")
    assert "“这是一台新机器。该水泵的保修期为两年。” [1]" in text


def test_no_sentence_is_taken_along_from_another_paragraph():
    question = "How many arches of stone does it have?"
    text = answer(question, "The bridge is old.\n\nIt has three arches of stone. Boats pass below.")
    assert "“It has three arches of stone.” [1]" in text


def test_each_of_several_things_is_answered_from_its_own_source():
    text = answer("When was the Corvo bridge opened, and who built the Lanta tower?", BOTH, OTHER)
    assert re.search(r"“The Corvo bridge was opened in 1931[^”]*” \[1\]", text)
    assert re.search(r"“The Lanta tower was built by Ida Holm[^”]*” \[2\]", text)


def test_several_things_in_chinese_are_each_answered():
    text = answer("科沃桥何时通车，兰塔塔楼由谁建造？", "科沃桥于1931年通车。", "兰塔塔楼由伊达建造。")
    assert "“科沃桥于1931年通车。” [1]" in text
    assert "“兰塔塔楼由伊达建造。” [2]" in text


def test_a_statement_shared_by_two_documents_is_quoted_once_and_cited_with_both():
    text = answer("When was the Corvo bridge opened?", BOTH, f"News. {BOTH}", documents=("a.txt", "b.txt"))
    assert text.count("opened in 1931") == 1
    assert "[1] [2]" in text
    assert all("opened in 1931" in quote for quote in quoted_by(text, BOTH, f"News. {BOTH}")[:2])


def test_an_answer_in_the_language_of_the_question_leaves_the_other_out():
    text = answer(
        "When was the Corvo bridge opened?",
        BOTH,
        "Corvo bridge opened（科沃桥）于1931年通车，桥上有三个拱，船从下面经过。",
    )
    assert "通车" not in text


QUESTIONS = [
    ("When do I have to stop work at once?", RULES),
    ("What are the rules of the gate?", RULES),
    ("什么情况下应立即停止作业？", RULES_ZH),
    ("闸门的情况有哪些？", RULES_ZH),
    ("Which maintenance items does the gate have?", TABLE),
    ("How often is the oil change of the gearbox?", TABLE),
    ("How many arches does the Corvo bridge have?", BOTH),
    ("Who built the Lanta tower?", OTHER),
]


@pytest.mark.parametrize(("question", "text"), QUESTIONS)
def test_every_quoted_text_of_an_answer_occurs_in_the_documents(question, text):
    found = answer(question, text, BOTH, OTHER)
    assert said(found)
    everything = " ".join(f"{text} {BOTH} {OTHER}".split())
    assert [one for one in said(found) if one not in everything] == []


@pytest.mark.parametrize(("question", "text"), QUESTIONS)
def test_every_quoted_line_of_an_answer_has_a_citation(question, text):
    lines = [line for line in answer(question, text, BOTH, OTHER).splitlines() if "“" in line or line.endswith("|")]
    assert [line for line in lines if not re.search(r"\[\d\]", line) and not re.search(r"---|\| \|$", line)] == []


def test_a_numbered_list_in_a_quotation_is_read_as_one():
    rules = "> 1. 每一个值都有一个**所有者**。\n> 2. 同时只有一个所有者。"
    found = answer("所有权的规则有哪些？", f"首先看所有权的规则。请记住这些规则：\n\n{rules}\n\n别的内容在后面。")
    assert "- “首先看所有权的规则。请记住这些规则：” [1]\n" in found
    assert "  - “1. 每一个值都有一个所有者。” [1]\n  - “2. 同时只有一个所有者。” [1]" in found


def test_a_sentence_that_introduces_a_list_is_not_quoted_without_the_list():
    text = (
        "The seal of the gate was replaced as it leaked.\n\nWhen the seal of the gate is replaced:\n\n- wait;\n- test."
    )
    assert "is replaced:" not in answer("Why was the seal of the gate replaced?", text)


def test_the_sentences_behind_the_last_item_of_a_list_are_no_part_of_it():
    items = "\n• The first of the answers is short.\n• The union wrote a letter about the crane."
    more = "".join(f" Another sentence of the report, number {one}, goes on at length about it." for one in range(9))
    found = answer("Which letters are there about the crane?", f"The answers are:{items}{more}")
    assert "number 1," in found
    assert "number 8," not in found


def test_a_passage_whose_sentence_contains_more_text_is_not_cited_as_a_second_source():
    other = "It is untrue that the Corvo bridge was opened in 1931. Boats pass below it every day of the year."
    text = answer("When was the Corvo bridge opened?", "The Corvo bridge was opened in 1931.", other)
    assert "“The Corvo bridge was opened in 1931.” [1]\n" in text
