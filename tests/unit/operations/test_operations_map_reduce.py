"""Questions about whole documents to a model: documents passed whole, or read in parts with findings to cite."""

import asyncio
import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from model_servers import RawRequest, RawServer, Reply, chat_answer, chat_call, chat_delta, silence, sse, status

from workbench import operations
from workbench.errors import NotFound
from workbench.model.egress import Purpose
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import (
    Notice,
    Run,
    RunStatus,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
    TurnCompleted,
)
from workbench.operations import Library
from workbench.worker.job import JobContext, Operation

RunIt = Callable[[Operation[Any]], Any]
ANSWER = "The harbour is sound [1]."
YARDS = ("north", "south", "east", "west")


def pages(tmp_path: Path, name: str, count: int, what: str = "Quay") -> Path:
    """Write a PDF with one section on each page, of 150 words that differ from page to page."""
    (tmp_path / name).write_bytes(pdf_of(count, what))
    return tmp_path / name


@cache
def pdf_of(count: int, what: str) -> bytes:
    pdf = pymupdf.open()
    for number in range(1, count + 1):
        page = pdf.new_page()
        page.insert_text((72, 72), f"{number} {what} number {number}", fontsize=18)
        page.insert_text((72, 110), f"{what} {number} was built in {1900 + number} of granite.", fontsize=11)
        for line in range(20):
            yard = YARDS[(line + number) % len(YARDS)]
            page.insert_text((72, 140 + 16 * line), f"Stone {line} of {number} lies in the {yard} yard.", fontsize=11)
    data: bytes = pdf.tobytes()
    return data


@pytest.fixture
def small(library: Library) -> Library:
    """Return a library whose models have a context of 4,096 tokens."""
    library.setting_values.put("context_tokens", 4096)
    return library


def is_part(request: RawRequest) -> bool:
    return "passage by passage" in request.json["messages"][0]["content"]


def passages_of(request: RawRequest) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(request.json["messages"][-1]["content"])["passages"]
    return listed


def parts(server: RawServer) -> list[RawRequest]:
    return [one for one in server.requests if one.method == "POST" and is_part(one)]


def sent_to_answer(server: RawServer) -> str:
    text: str = next(one for one in server.requests if not is_part(one)).json["messages"][-1]["content"]
    return text


async def reading(request: RawRequest, writer: asyncio.StreamWriter) -> None:
    """Reply to a part with a finding for every passage, and to everything else with the answer."""
    said = ANSWER
    if is_part(request):
        found = [
            {"passage": one["number"], "says": "yes", "finding": "It says so.", "quotes": [first_words(one["text"])]}
            for one in passages_of(request)
        ]
        said = "\n".join(map(json.dumps, found))
    await chat_answer(said)(request, writer)


def first_words(text: str) -> str:
    return text.strip()[:60].rpartition(" ")[0]


def failing(at: int, fault: Reply) -> Reply:
    """Return a reply like `reading` that fails for the part with this number."""
    seen = 0

    async def reply(request: RawRequest, writer: asyncio.StreamWriter) -> None:
        nonlocal seen
        seen += is_part(request)
        await (fault if is_part(request) and seen == at else reading)(request, writer)

    return reply


def asked(library: Library, question: str, *replies: Reply, **more: Any) -> tuple[Run, RawServer]:
    async def scenario() -> tuple[Run, RawServer]:
        async with RawServer(*(replies or (reading,))) as server:
            library.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            return await operations.ask(library, question, profile="m", **more)(JobContext()), server

    return asyncio.run(scenario())


def events_of(run: Run, kind: type) -> list[Any]:
    return [timed.event for timed in run.events if isinstance(timed.event, kind)]


def notices(run: Run) -> str:
    return "\n".join(one.text for one in events_of(run, Notice))


def test_a_document_that_fits_is_handed_over_whole_and_numbered(library: Library, run: RunIt, tmp_path: Path) -> None:
    library.setting_values.put("context_tokens", 32000)
    run(operations.add_documents(library, [pages(tmp_path, "survey.pdf", 2)]))
    answer, server = asked(library, "Summarise the survey")
    assert parts(server) == []
    assert "Quay 2 was built in 1902 of granite." in sent_to_answer(server)
    assert [one.page for one in answer.citations if one.valid] == [1]
    assert answer.references[0].query == "all of “survey.pdf”"


def test_a_long_document_is_read_in_parts_and_its_findings_are_cited_by_page(
    small: Library, run: RunIt, tmp_path: Path
) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer, server = asked(small, "Summarise the survey")
    assert 2 <= len(parts(server)) <= 8
    assert len(events_of(answer, ToolStarted)) == len(events_of(answer, ToolCompleted)) == len(parts(server))
    numbers = {one.number: one.hit.page for each in answer.references for one in each.hits}
    assert set(numbers.values()) >= {1, 8, 16}
    (citation,) = answer.citations
    assert (citation.valid, citation.page) == (True, numbers[1])
    assert '"finding": "It says so."' in sent_to_answer(server)
    assert "Quay number 16" in sent_to_answer(server)


def test_a_document_longer_than_all_calls_is_read_evenly_and_the_share_read_is_reported(
    small: Library, run: RunIt, tmp_path: Path
) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 60)]))
    answer, server = asked(small, "Summarise the survey")
    assert 6 <= len(parts(server)) <= 8
    assert "passages were read. “Read everything” reads all of them." in notices(answer)
    read = sorted({one.hit.page or 0 for each in answer.references for one in each.hits})
    assert max(later - earlier for earlier, later in pairwise(read)) <= 8


def test_a_comparison_reads_both_documents(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 40), pages(tmp_path, "audit.pdf", 2, "Crane")]))
    answer, server = asked(small, "Compare survey.pdf and audit.pdf")
    names = {one.hit.document_name for each in answer.references for one in each.hits}
    assert names == {"survey.pdf", "audit.pdf"}
    assert "Crane 2 was built" in "".join(one["text"] for part in parts(server) for one in passages_of(part))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (status(400, {"error": {"message": "no"}}), "missing in this answer"),
        (chat_answer("Well."), "could not be used"),
    ],
)
def test_a_part_that_fails_is_left_out_and_reported(
    small: Library, run: RunIt, tmp_path: Path, fault: Reply, reason: str
) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer, _server = asked(small, "Summarise the survey", failing(1, fault))
    assert (answer.status, answer.answer) == (RunStatus.COMPLETED, ANSWER)
    assert len(events_of(answer, ToolFailed)) == 1
    assert reason in notices(answer)
    assert answer.citations[0].valid


def test_where_no_part_can_be_read_the_model_is_handed_the_outline(small: Library, run: RunIt, tmp_path: Path) -> None:
    async def useless(request: RawRequest, writer: asyncio.StreamWriter) -> None:
        await chat_answer("Well." if is_part(request) else ANSWER)(request, writer)

    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer, server = asked(small, "Summarise the survey", useless)
    assert answer.references[-1].query == "outline of “survey.pdf”"
    assert '"sections"' in sent_to_answer(server)


def test_stop_while_a_part_is_read_ends_the_run_at_once(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))

    async def scenario() -> None:
        async with RawServer(failing(2, silence)) as server:
            small.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            started, told = asyncio.Event(), list[Any]()

            def emit(event: object) -> None:
                told.append(event)
                if isinstance(event, TimedEvent) and getattr(event.event, "call_id", "") == "part-2":
                    started.set()

            task = asyncio.create_task(operations.ask(small, "Summarise the survey", profile="m")(JobContext(emit)))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not any(not is_part(one) for one in server.requests)

    asyncio.run(scenario())
    (session,) = run(operations.list_sessions(small))
    (kept,) = run(operations.open_session(small, session.id)).runs
    assert kept.status is RunStatus.CANCELLED
    assert kept.references[0].hits


def test_fewer_parts_are_read_where_the_tokens_of_an_answer_are_few(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 30)]))
    small.setting_values.put("run_tokens", 14000)
    answer, server = asked(small, "Summarise the survey")
    assert 1 <= len(parts(server)) <= 3
    assert (answer.status, answer.answer) == (RunStatus.COMPLETED, ANSWER)
    assert "passages were read" in notices(answer)


def test_no_more_parts_are_read_than_the_rounds_allow(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 30)]))
    small.setting_values.put("rounds", 3)
    _answer, server = asked(small, "Summarise the survey")
    assert len(parts(server)) == 2


def test_a_reply_without_end_leaves_tokens_for_the_answer(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    small.setting_values.put("run_tokens", 30000)
    endless = chat_answer(*["word " * 200] * 300)
    answer, server = asked(small, "Summarise the survey", failing(2, endless))
    assert len(parts(server)) == 2
    assert "Reading stopped here" in notices(answer)
    assert (answer.status, answer.answer) == (RunStatus.COMPLETED, ANSWER)


def test_half_of_the_time_is_left_for_the_answer(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    small.setting_values.put("run_seconds", 10)
    answer, server = asked(small, "Summarise the survey", failing(2, silence))
    assert len(parts(server)) == 2
    assert "Reading stopped here" in notices(answer)
    assert answer.citations[0].valid


def test_a_chinese_request_is_read_in_parts_in_its_language(small: Library, run: RunIt, tmp_path: Path) -> None:
    sections = [
        f"## 第{n}节 第{n}号闸门\n\n" + f"第{n}号闸门建于{1900 + n}年，由花岗岩砌成。" * 20 for n in range(1, 16)
    ]
    (tmp_path / "规程.md").write_text("# 闸门规程\n\n" + "\n\n".join(sections) + "\n", "utf-8")
    run(operations.add_documents(small, [tmp_path / "规程.md"]))
    answer, server = asked(small, "总结这份规程")
    assert len(parts(server)) >= 2
    assert "总结这份规程" in parts(server)[0].json["messages"][-1]["content"]
    assert answer.citations[0].valid


def test_an_ordinary_question_makes_no_call_for_parts(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer, server = asked(small, "When was quay 3 built?")
    assert len([one for one in server.requests if one.method == "POST"]) == 1
    assert answer.references == ()


def test_offline_a_request_is_answered_from_structure_alone(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer = run(operations.ask(small, "Summarise the survey", profile="offline"))
    assert [one.query for one in answer.references] == ["outline of “survey.pdf”"]


def test_the_ledger_records_which_passages_were_sent_with_each_part(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer, server = asked(small, "Summarise the survey")
    ledger = run(operations.list_network_requests(small)).requests
    calls = sorted((one for one in ledger if one.purpose is Purpose.ANSWER), key=lambda one: one.id)
    assert {one.run for one in calls} == {answer.id}
    assert [len(one.chunks) for one in calls[: len(parts(server))]] == [len(passages_of(one)) for one in parts(server)]


def test_the_tokens_of_the_parts_are_counted_with_the_answer(small: Library, run: RunIt, tmp_path: Path) -> None:
    async def counted(request: RawRequest, writer: asyncio.StreamWriter) -> None:
        found = (
            [{"passage": one["number"], "says": "nothing"} for one in passages_of(request)] if is_part(request) else ()
        )
        said = "\n".join(map(json.dumps, found)) or ANSWER
        usage = {**chat_delta(), "choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 10}}
        await sse(chat_delta(content=said), chat_delta("stop"), usage)(request, writer)

    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    answer, server = asked(small, "Summarise the survey", counted)
    (end,) = [
        timed.event for timed in answer.events if hasattr(timed.event, "usage") and hasattr(timed.event, "certainty")
    ]
    assert end.usage.input_tokens == 900 * len(server.requests)
    assert len(events_of(answer, TurnCompleted)) == 1


def test_a_run_forked_from_a_later_step_reads_no_part_again(small: Library, run: RunIt, tmp_path: Path) -> None:
    run(operations.add_documents(small, [pages(tmp_path, "survey.pdf", 16)]))
    calls = iter([sse(chat_call(0, "a", "list_documents", "{}"), chat_delta("tool_calls"))])

    async def reply(request: RawRequest, writer: asyncio.StreamWriter) -> None:
        await (reading if is_part(request) else next(calls, reading))(request, writer)

    async def scenario() -> tuple[Run, Run, int, int]:
        async with RawServer(reply) as server:
            small.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            first = await operations.ask(small, "Summarise the survey", profile="m")(JobContext())
            before = len(parts(server))
            step = [one for one in first.events if getattr(one.event, "call_id", "") == "a"][-1]
            second = await operations.fork_run(small, first.id, step.number, result="None.")(JobContext())
            early = next(one for one in first.events if isinstance(one.event, ToolCompleted))
            with pytest.raises(NotFound, match="before the model was asked"):
                await operations.fork_run(small, first.id, early.number, result="None.")(JobContext())
            return first, second, before, len(parts(server))

    first, second, before, after = asyncio.run(scenario())
    assert before == after > 0
    assert second.references == first.references
    assert second.citations[0].valid
