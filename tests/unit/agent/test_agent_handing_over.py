"""Results of a search for a model: complete if they fit, otherwise compressed to its context, by its own count."""

import asyncio
import json

from fakes import NoWords, Recorder, ScriptedProvider, calls, make_hit, says, search_call, searching

from workbench.agent.agent_loop import AgentLoop
from workbench.agent.references import RunReferences
from workbench.agent.search_step import ContextPacker, PackedContext, texts_of
from workbench.agent.token_budget import DEFAULT_CONTEXT, ContextWindow
from workbench.agent.tools.search import NO_ROOM
from workbench.agent.tools.toolbox import run_tools
from workbench.model.hit import Hit
from workbench.model.message import Message, ModelRequest, Role, TurnEnd, Usage
from workbench.model.run import Notice, ReferencesFound, RunCompleted, ToolCompleted
from workbench.retrieval.answer_sentences import SentenceRanker

ANSWER = "The pump of type C has a warranty of two years."


class Server:
    """Server that counts a token for three characters, with a context of this size."""

    def __init__(self, size: int | None = 3000) -> None:
        self.size = size
        self.asked: list[str] = []

    async def count(self, text: str) -> int | None:
        self.asked.append("count")
        return len(text) // 3

    async def context(self) -> int | None:
        self.asked.append("context")
        return self.size


def long_hit(number: int, *, answers: bool = False, sentences: int = 30) -> Hit:
    filler = [f"Sentence {number}.{index} of this chapter tells of roofs and birds." for index in range(sentences)]
    filler[sentences // 2 : sentences // 2] = [ANSWER] if answers else []
    return make_hit(" ".join(filler), chunk=number, rank=number, start=1000 * number, document=number)


HITS = [long_hit(number, answers=number == 2) for number in range(1, 9)]


def as_text(texts: dict[int, str]) -> str:
    return json.dumps(list(texts.values()))


def fit(window: ContextWindow, hits: list[Hit]) -> PackedContext:
    over = ContextPacker(window, SentenceRanker(None, NoWords()))
    return asyncio.run(over.fit("How long is the warranty of the pump of type C?", hits, as_text))


def test_e31_results_that_fit_are_passed_to_the_model_whole_without_asking_the_server() -> None:
    server = Server()
    made = fit(ContextWindow(server), HITS[:3])
    assert list(made.texts.values()) == [hit.chunk.text for hit in HITS[:3]]
    assert not made.is_compressed
    assert server.asked == []


def test_e31_the_models_own_count_is_what_has_to_fit() -> None:
    window = ContextWindow(Server(3000))
    made = fit(window, HITS)
    room = (3000 - 750) * 2 / 3
    assert made.is_compressed
    assert 0.8 * room < len(as_text(made.texts)) // 3 == made.after <= room
    assert any(ANSWER in text for text in made.texts.values())


def test_the_estimate_is_the_fallback_for_a_server_that_cannot_count_tokens() -> None:
    made = fit(ContextWindow(None, size=1500), HITS)
    assert 0 < ContextWindow(None).estimate(as_text(made.texts)) <= 750
    assert made.before > 1500
    assert made.note.startswith(f"The passages found were compressed from {made.before:,} to {made.after:,} tokens")


def test_a_server_that_does_not_report_its_context_size_gets_the_default_size() -> None:
    window = ContextWindow(Server(None), answer=0)
    assert asyncio.run(window.room(10**6)) == DEFAULT_CONTEXT * 2 / 3


def test_a_second_search_of_the_same_turn_has_less_room() -> None:
    window = ContextWindow(None, size=2000)
    assert fit(window, HITS).after > fit(window, HITS).after


def test_the_window_learns_from_what_the_server_counted() -> None:
    window = ContextWindow(None, size=4000)
    request = ModelRequest((Message(Role.USER, "word " * 1000),))
    before = window.estimate("word " * 100)
    window.sent(request, Usage(input_tokens=2000, output_tokens=10))
    assert window.estimate("word " * 100) > 1.7 * before
    assert asyncio.run(window.room(1)) < 1000


def run_with(window: ContextWindow, answer: str, *hits: Hit) -> tuple[RunCompleted, Recorder]:
    references = RunReferences()
    over = ContextPacker(window, SentenceRanker(None, NoWords()))
    tools = run_tools(searching(*hits), references, over)
    provider = ScriptedProvider(calls(search_call("warranty of the pump of type C")), says(answer))
    recorder = Recorder()
    runner = AgentLoop(provider, tools, references=references, window=window)
    end = asyncio.run(runner.run("How long?", emit=recorder))
    assert isinstance(end, RunCompleted)
    return end, recorder


def test_e31_a_citation_of_a_compressed_passage_lands_on_its_true_place() -> None:
    first = long_hit(1, answers=True)
    end, recorder = run_with(ContextWindow(None, size=3200), f"“{ANSWER}” [1]", first, *HITS[1:])
    (citation,) = end.citations
    start = first.chunk.start + first.chunk.text.index(ANSWER)
    assert (citation.start, citation.end, citation.quote) == (start, start + len(ANSWER), ANSWER)
    (reference,) = recorder.of(ReferencesFound)
    assert reference.reference.hits[0].hit.chunk.text == first.chunk.text
    (handed,) = [event for event in recorder.of(ToolCompleted) if event.tool == "search_knowledge_base"]
    own = json.loads(handed.result)[0]
    assert list(own) == ["name", "meta_data", "content"]
    assert "[…]" in own["content"]
    assert any("compressed from" in notice.text for notice in recorder.of(Notice))


def test_a_quotation_across_the_mark_is_found_in_the_whole_passage() -> None:
    text = "The pump is guaranteed. It was built in Oslo by us. It lasts for two years."
    end, _ = run_with(ContextWindow(None), "“The pump is guaranteed. […] It lasts for two years.” [1]", make_hit(text))
    assert end.citations[0].quote == text


def test_no_room_at_all_is_reported_and_not_treated_as_missing_knowledge() -> None:
    window = ContextWindow(None, size=1000)
    _, recorder = run_with(window, "I cannot say.", *[long_hit(1, sentences=1)] * 3)
    handed = [event.result for event in recorder.of(ToolCompleted)]
    assert handed == [NO_ROOM]


def test_a_turn_end_without_a_count_is_estimated() -> None:
    window = ContextWindow(None, size=4096)
    window.sent(ModelRequest((Message(Role.USER, "word " * 1000),)), TurnEnd().usage)
    assert asyncio.run(window.room(1)) < (4096 - 1024 - 1000) * 2 / 3


def test_text_shared_by_two_chunks_is_passed_once_and_each_chunk_keeps_the_rest() -> None:
    first = make_hit("One stands here. Two stands here.", chunk=1, start=100)
    second = make_hit("Two stands here. Three.", chunk=2, start=117)
    within = make_hit("Three.", chunk=3, start=134)
    elsewhere = make_hit("Three.", chunk=4, start=134, document=8)
    assert texts_of([first, second, within, elsewhere]) == {
        0: "One stands here. Two stands here.",
        1: " Three.",
        3: "Three.",
    }


def test_different_texts_are_both_passed_regardless_of_their_position() -> None:
    assert texts_of([make_hit("Old words.", chunk=1), make_hit("New words, edited.", chunk=2)]) == {
        0: "Old words.",
        1: "New words, edited.",
    }
