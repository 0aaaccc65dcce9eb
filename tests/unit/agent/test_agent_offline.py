"""Answerer without a model: it runs the loop, quotes word for word, refuses honestly."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from workbench.agent.agent_loop import AgentLoop
from workbench.agent.built_in_agent import CLOSEST_EN, CLOSEST_ZH, certainty_of
from workbench.agent.offline.conversation import read_conversation
from workbench.agent.offline.provider import OfflineProvider, is_refusal
from workbench.agent.offline.quotes import sentences_to_quote
from workbench.agent.prompt import LAST_ROUND
from workbench.agent.references import RunReferences, SearchRemarks
from workbench.agent.tools.reasoning import AnalyzeTool, ReasoningSteps, ThinkTool
from workbench.agent.tools.search import SearchTool
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind
from workbench.model.hit import AbbreviationReading, Hit, Scores, SearchMode, SearchResult
from workbench.model.message import Message, ModelRequest, Role, TextDelta, ToolCall, ToolSpec, TurnEnd
from workbench.model.run import Certainty, ReasoningStep, RunCompleted, ToolStarted
from workbench.retrieval.answer_sentences import RankedSentence, Ranking, SentenceRanker
from workbench.retrieval.relevance import ANSWER_FLOOR, CLOSEST_FLOOR

PUMP = "The pump has a warranty of two years. It starts on the day of purchase. Shipping takes nine days."
PUMP_ZH = "水泵的保修期为两年。办公室周日不开门。"
SEARCH = ToolSpec("search_knowledge_base", "", {"type": "object"})
THINK = ToolSpec("think", "", {"type": "object"})
ANALYZE = ToolSpec("analyze", "", {"type": "object"})


class Counts:
    count = 1000

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(terms, 5)


@pytest.fixture
def provider() -> OfflineProvider:
    return OfflineProvider(SentenceRanker(None, Counts()))


def turn(provider: OfflineProvider, messages: Sequence[Message], tools: Sequence[ToolSpec] = (SEARCH,)) -> Any:
    async def collect() -> list[Any]:
        return [event async for event in provider.stream(ModelRequest(tuple(messages), tuple(tools)))]

    events = asyncio.run(collect())
    assert isinstance(events[-1], TurnEnd)
    return "".join(event.text for event in events if isinstance(event, TextDelta)), events[-1]


def result(number: int, text: str) -> dict[str, Any]:
    about = {"citation": number, "document": "manual.md", "page": None, "chunk": 1, "heading": ""}
    return {"name": "Manual", "meta_data": about, "content": text}


def after_search(question: str, results: object) -> list[Message]:
    call = ToolCall("c1", "search_knowledge_base", json.dumps({"query": question}))
    text = results if isinstance(results, str) else json.dumps(results, ensure_ascii=False)
    return [
        Message(Role.USER, question),
        Message(Role.ASSISTANT, "", tool_calls=(call,)),
        Message(Role.TOOL, text, tool_call_id="c1"),
    ]


def test_the_first_turn_thinks_and_searches_for_the_question(provider):
    text, end = turn(provider, [Message(Role.USER, "How long is the warranty?")], (THINK, SEARCH, ANALYZE))
    assert text == ""
    assert [call.name for call in end.tool_calls] == ["think", "search_knowledge_base"]
    assert json.loads(end.tool_calls[1].arguments) == {"query": "How long is the warranty?"}
    assert end.finish == "tool_calls"


def test_the_answer_quotes_word_for_word_with_the_number_of_the_result(provider):
    text, end = turn(provider, after_search("How long is the warranty of the pump?", [result(5, PUMP)]))
    assert "“The pump has a warranty of two years.” [5]" in text
    assert end.tool_calls == ()
    assert not is_refusal(text)


def test_results_are_judged_before_the_answer_where_that_tool_is_there(provider):
    messages = after_search("How long is the warranty of the pump?", [result(5, PUMP)])
    _, end = turn(provider, messages, (SEARCH, ANALYZE))
    assert [call.name for call in end.tool_calls] == ["analyze"]
    arguments = json.loads(end.tool_calls[0].arguments)
    assert arguments["next_action"] == "final_answer"
    assert 0 <= arguments["confidence"] <= 1


def test_the_last_round_answers_without_another_call(provider):
    messages = [Message(Role.SYSTEM, LAST_ROUND), *after_search("warranty of the pump", [result(5, PUMP)])]
    text, end = turn(provider, messages, (SEARCH, ANALYZE))
    assert "[5]" in text
    assert end.tool_calls == ()


def test_an_empty_search_result_leads_to_a_refusal(provider):
    text, _ = turn(provider, after_search("Who wrote the concerto?", "No documents found"))
    assert is_refusal(text)


class Unsure:
    """Ranker with half the certainty that an answer requires."""

    def rank(self, question: str, passages: Any, **context: Any) -> Ranking:
        found = SentenceRanker(None, Counts()).rank(question, passages, **context)
        return replace(found, certainty=(CLOSEST_FLOOR + ANSWER_FLOOR) / 2)


@pytest.mark.parametrize(
    ("question", "passage", "start", "quote"),
    [
        ("How long is the warranty of the pump?", PUMP, CLOSEST_EN, "“The pump has a warranty of two years.” [5]"),
        ("水泵的保修期有多长？", PUMP_ZH, CLOSEST_ZH, "“水泵的保修期为两年。” [5]"),
    ],
)
def test_e32_an_uncertain_answer_is_quoted_as_the_closest_passages(question, passage, start, quote):
    text, _ = turn(OfflineProvider(Unsure()), after_search(question, [result(5, passage)]))
    assert text.startswith(start)
    assert quote in text
    assert certainty_of(text) is Certainty.CLOSEST


PENDING = SearchRemarks(unsearched="2 documents still to be read").text.rstrip()


@pytest.mark.parametrize("found", ["No documents found", json.dumps([result(1, PUMP)])])
def test_e32_while_documents_wait_it_is_not_known_yet_instead_of_not_found(provider, found):
    results = f"{found}\n{PENDING}" if found.startswith("No") else f"{PENDING}\n{found}"
    text, _ = turn(provider, after_search("Which violin concerto did Sibelius write?", results))
    assert certainty_of(text) is Certainty.UNKNOWN
    assert text.startswith("Not found in what was read so far.")
    assert "[1]" not in text


def test_e32_the_closest_passages_note_that_the_answer_may_be_in_documents_not_yet_read():
    results = f"{PENDING}\n{json.dumps([result(5, PUMP)])}"
    text, _ = turn(OfflineProvider(Unsure()), after_search("How long is the warranty?", results))
    assert text.endswith("the answer may be in the rest.")


def test_e32_that_the_search_is_not_sure_does_not_keep_the_passages_from_being_read(provider):
    results = f"{SearchRemarks(is_unsure=True).text}{json.dumps([result(5, PUMP)])}"
    text, _ = turn(provider, after_search("How long is the warranty of the pump?", results))
    assert "“The pump has a warranty of two years.” [5]" in text


def test_an_abbreviation_that_the_search_read_is_read_in_the_answer_too(provider):
    remarks = SearchRemarks(readings=(AbbreviationReading("WOP", "warranty of the pump"),)).text
    messages = after_search("How long is the WOP?", f"{remarks}{json.dumps([result(5, PUMP)])}")
    assert read_conversation(messages).readings == [AbbreviationReading("WOP", "warranty of the pump")]
    text, _ = turn(provider, messages)
    assert "“The pump has a warranty of two years.” [5]" in text
    assert is_refusal(turn(provider, after_search("How long is the WOP?", [result(5, PUMP)]))[0])


def test_near_misses_are_named_but_not_quoted(provider):
    text, _ = turn(provider, after_search("Which violin concerto did Sibelius write?", [result(1, PUMP)]))
    assert is_refusal(text)
    assert "loosely related" in text
    assert "[1]" not in text


def test_a_chinese_question_is_refused_in_chinese(provider):
    text, _ = turn(provider, after_search("谁创作了小提琴协奏曲？", [result(1, PUMP_ZH)]))
    assert "暂无相关知识" in text
    assert is_refusal(text)


def test_a_chinese_question_is_answered_in_chinese(provider):
    text, _ = turn(provider, after_search("水泵的保修期有多长？", [result(2, PUMP_ZH)]))
    assert "“水泵的保修期为两年。” [2]" in text
    assert text.startswith("以下")


def test_s23_a_failed_search_is_never_reported_as_nothing_found(provider):
    text, _ = turn(provider, after_search("warranty", "Error searching knowledge base: RetrievalError"))
    assert "did not work" in text
    assert not is_refusal(text)


@pytest.mark.parametrize("question", ["Hello!", "thank you", "你好", "Summarise everything", "总结全部文档", "?"])
def test_a_message_that_cannot_be_searched_for_gets_an_explanation_of_answers_without_a_model(provider, question):
    text, end = turn(provider, [Message(Role.USER, question)], (THINK, SEARCH))
    assert end.tool_calls == ()
    assert "quote" in text or "引用" in text
    assert not is_refusal(text)


@pytest.mark.parametrize("question", ["Summarise the warranty terms", "Help desk opening hours?", "总结保修条款"])
def test_a_question_that_only_begins_like_small_talk_is_searched(provider, question):
    _, end = turn(provider, [Message(Role.USER, question)])
    assert [call.name for call in end.tool_calls] == ["search_knowledge_base"]


def earlier(question: str, follow_up: str) -> list[Message]:
    return [Message(Role.USER, question), Message(Role.ASSISTANT, "…"), Message(Role.USER, follow_up)]


def test_a_follow_up_searches_with_the_question_before_it(provider):
    _, end = turn(provider, earlier("Where is the Aster bridge?", "And how long is it?"))
    assert json.loads(end.tool_calls[0].arguments)["query"] == "Where is the Aster bridge? And how long is it?"


def test_a_new_question_is_searched_without_the_previous_question(provider):
    _, end = turn(provider, earlier("Where is the Aster bridge?", "Which metal covers the roof of the old town hall?"))
    assert json.loads(end.tool_calls[0].arguments)["query"] == "Which metal covers the roof of the old town hall?"


def test_a_number_in_brackets_in_a_document_does_not_become_a_citation(provider):
    text, _ = turn(
        provider, after_search("warranty of the pump", [result(5, "The pump has a warranty [12] of two years.")])
    )
    assert "\\[12]" in text
    assert text.count("[5]") == 1


def test_the_same_sentence_from_two_passages_is_quoted_once(provider):
    text, _ = turn(provider, after_search("warranty of the pump", [result(1, PUMP), result(2, PUMP)]))
    assert text.count("The pump has a warranty") == 1


def test_sentences_far_below_the_best_are_not_quoted():
    ranked = [RankedSentence(1, 0, 1, f"s{score}", score) for score in (2.0, 1.9, 1.7, 1.65, 1.62, 0.3)]
    assert [one.score for one in sentences_to_quote(ranked)] == [2.0, 1.9, 1.7, 1.65]
    assert [one.score for one in sentences_to_quote([ranked[0], ranked[-1]])] == [2.0]


def hit(text: str) -> Hit:
    chunk = Chunk(0, 0, len(text), text, None, None, (), BlockKind.PARAGRAPH, 9, id=8, document=3)
    return Hit(1, chunk, "manual.md", "Manual", "/manual.md", "default", Scores())


def test_a_complete_run_ends_with_a_citation_of_the_exact_sentence(provider):
    async def search(query: str) -> SearchResult:
        return SearchResult(query, SearchMode.HYBRID, (hit(PUMP),), 1.0)

    references, steps = RunReferences(), ReasoningSteps()
    tools = (ThinkTool(steps), AnalyzeTool(steps), SearchTool(search, references))
    events: list[Any] = []
    runner = AgentLoop(provider, tools, references=references)
    end = asyncio.run(
        runner.run("How long is the warranty of the pump?", emit=lambda timed: events.append(timed.event))
    )
    assert isinstance(end, RunCompleted)
    assert [citation.quote for citation in end.citations] == ["The pump has a warranty of two years."]
    assert [event.tool for event in events if isinstance(event, ToolStarted)] == [
        "think",
        "search_knowledge_base",
        "analyze",
    ]
    assert len([event for event in events if isinstance(event, ReasoningStep)]) == 2


def test_a_run_that_finds_nothing_is_marked_as_refused(provider):
    async def search(query: str) -> SearchResult:
        return SearchResult(query, SearchMode.HYBRID, (), 1.0)

    references = RunReferences()
    runner = AgentLoop(provider, (SearchTool(search, references),), references=references)
    end = asyncio.run(runner.run("Who wrote the concerto?", emit=lambda _: None))
    assert isinstance(end, RunCompleted)
    assert end.refused
    assert end.citations == ()


def test_the_name_of_the_answerer_includes_that_no_model_answers(provider):
    assert "no model" in provider.mode
