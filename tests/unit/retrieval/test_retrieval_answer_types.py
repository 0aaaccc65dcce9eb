"""Answer types of questions, and the sentences that contain them."""

import pytest

from workbench.retrieval.answer_sentences import asks_for_several, defining_pattern, preferred_pattern


@pytest.mark.parametrize(
    ("question", "holds", "lacks"),
    [
        ("When was it opened?", "It was opened in 1931.", "It was opened late."),
        ("How many arches are there?", "There are three arches.", "There are arches."),
        ("What percentage is paid?", "A share of 12% is paid.", "A share of 12 is paid."),
        ("How much money was spent?", "It took 400 euros.", "It took 400 days."),
        ("Why was it closed?", "It was closed because it leaked.", "It was closed in May."),
        ("Where does it stand?", "It stands in Corvo.", "It stands firmly."),
        ("How is it opened?", "It is opened by turning the wheel.", "It is opened daily."),
        ("多少钱？", "价格为400元。", "价格很高。"),
        ("百分之几的人来了？", "百分之三十的人来了。", "很多人来了。"),
        ("为什么关闭？", "由于漏水而关闭。", "五月关闭。"),
        ("它位于哪里？", "它位于科沃。", "它很高。"),
        ("怎样打开？", "通过转动手轮打开。", "每天打开。"),
    ],
)
def test_a_question_prefers_sentences_that_hold_what_it_asks_for(question, holds, lacks):
    pattern = preferred_pattern(question)
    assert pattern is not None
    assert pattern.search(holds)
    assert not pattern.search(lacks)


@pytest.mark.parametrize(
    ("question", "defines", "tells"),
    [
        ("What is ownership?", "In Rust, ownership is a set of rules.", "Ownership is not new."),
        ("What are slices?", "Slices are views of arrays.", "We create slices."),
        ("Define shadowing.", "Shadowing means to use a name again.", "Shadowing is different from mutation."),
        ("什么是所有权？", "所有权（ownership）是一组规则。", "首先看所有权的规则。"),
        ("切片是什么？", "切片指的是一种引用。", "我们使用切片。"),
    ],
)
def test_a_definition_begins_with_what_it_defines(question, defines, tells):
    pattern = defining_pattern(question)
    assert pattern is not None
    assert pattern.match(defines)
    assert not pattern.match(tells)


@pytest.mark.parametrize("question", ["What is the range of an i8?", "What is the name of it?", "桥的颜色是什么？"])
def test_a_question_for_a_value_asks_for_no_definition(question):
    assert defining_pattern(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "What are the rules?",
        "Which loops does it have?",
        "List the tools of it",
        "What types are there?",
        "规则有哪些？",
        "列出工具",
    ],
)
def test_a_question_in_the_plural_asks_for_several_things(question):
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question", ["What is the rule?", "Which rule does it have?", "Who was he?", "Give an example.", "谁建造了它？"]
)
def test_a_question_for_one_fact_asks_for_one(question):
    assert not asks_for_several(question)
