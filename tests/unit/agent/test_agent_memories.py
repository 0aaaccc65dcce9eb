"""Memories: parsing of a model's reply, content that is never stored, and the memories for a question."""

import asyncio
import json

import numpy as np
import pytest
from fakes import ScriptedProvider, says

from workbench.agent.memory_recall import (
    NONE,
    contains_secret,
    extract_memories,
    extracted,
    memory_section,
    most_similar_memories,
)
from workbench.embedding.base import Embedder
from workbench.model.memory import Memory, MemoryKind, RecalledMemory

TEA = '[{"kind": "USER_PREFERENCE", "text": "Likes tea."}]'


def memory(number: int, text: str) -> Memory:
    return Memory(number, "", MemoryKind.CONTEXT_INFO, text, "2026-03-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00")


@pytest.mark.parametrize(
    "said",
    [
        TEA,
        f"Here is what I noted:\n```json\n{TEA}\n```\nAnything else? See [1].",
        '{"memories": [{"type": "user preference", "content": "Likes tea."}]}',
        '{"kind": "USER-PREFERENCE", "text": "Likes\\n tea."}',
        f'<think>Maybe [{{"kind": "CONTEXT_INFO", "text": "Asks."}}, {{"kind": "x"}}]?</think>{TEA}'.replace(
            ", {", ",{"
        ),
        '[{"kind": "FEELING", "text": "Is sad."}, {"kind": "USER_PREFERENCE", "text": "Likes tea."}, 7, null]',
        TEA.replace("]", ', {"kind": "USER_PREFERENCE", "text": "likes tea."}]'),
    ],
)
def test_e38_memories_are_extracted_from_any_surrounding_text(said: str) -> None:
    assert [(one.kind, one.text) for one in extracted(said)][-1] == (MemoryKind.USER_PREFERENCE, "Likes tea.")


@pytest.mark.parametrize(
    "said", ["", "[]", "Nothing.", "[1]", "[" * 5000, '[{"kind": "TASK_RECORD", "text": 5}]', "{}"]
)
def test_e38_a_reply_without_a_valid_memory_yields_no_memories(said: str) -> None:
    assert extracted(said) == ()


def test_e38_three_at_most_each_cut_at_a_word() -> None:
    text = "Wants answers as a table with a line for each year and a total at its foot, in euros, without cents at all"
    items = [{"kind": "TASK_RECORD", "text": f"{number} {text}"} for number in range(5)]
    found = extracted(json.dumps(items))
    assert len(found) == 3
    assert all(len(one.text) <= 100 and one.text.endswith("euros, without…") for one in found)
    chinese = extracted(json.dumps([{"kind": "TASK_RECORD", "text": "港" * 150}]))
    assert chinese[0].text == "港" * 99 + "…"


@pytest.mark.parametrize(
    "text",
    [
        "The API key of the server is in the drawer.",
        "Her password is hunter2.",
        "邮箱密码是 hunter2。",
        "Uses sk-abcdefghijklmnopqrstuv for tests.",
        "Pays with 4111 1111 1111 1111.",
        "Database at postgres://me:pw@host/db",
        "Signs in with aZ3kP9qL2mX7vB4t here.",
        "IBAN DE89 3704 0044 0532 0130 00",
    ],
)
def test_e38_text_that_looks_like_a_key_or_a_password_is_never_remembered(text: str) -> None:
    assert contains_secret(text)
    assert extracted(json.dumps([{"kind": "CONTEXT_INFO", "text": text}])) == ()


@pytest.mark.parametrize(
    "text",
    ["Works on Donaudampfschifffahrtsgesellschaft.", "Reads AMEX_2022_10K.pdf on 2026-03-01.", "Paid 1 200 000 euros."],
)
def test_long_words_names_and_dates_are_no_secrets(text: str) -> None:
    assert not contains_secret(text)


def test_e38_the_model_receives_the_exchange_and_the_known_memories_and_nothing_else() -> None:
    provider = ScriptedProvider(says(TEA[:20], TEA[20:]))
    found = asyncio.run(extract_memories(provider, "Tea?", "Yes [1].", [memory(1, "Lives in Kiel.")]))
    assert [one.text for one in found] == ["Likes tea."]
    (request,) = provider.requests
    assert json.loads(request.messages[1].text) == {
        "question": "Tea?",
        "answer": "Yes [1].",
        "known": ["Lives in Kiel."],
    }
    assert request.tools == ()


def test_e38_five_are_recalled_the_most_similar_first() -> None:
    others = [memory(number, f"Note {number} on nothing much.") for number in range(2, 9)]
    recalled = most_similar_memories("When did the harbour freeze?", [*others, memory(1, "Writes about the harbour.")])
    assert [one.memory.id for one in recalled] == [1, 2, 3, 4, 5]
    assert recalled[0].similarity > 0.2 > recalled[1].similarity


def test_e39_without_vectors_chinese_is_compared_by_its_words() -> None:
    recalled = most_similar_memories("港口什么时候结冰？", [memory(1, "喜欢喝茶。"), memory(2, "正在写港口的历史。")])
    assert [one.memory.id for one in recalled] == [2, 1]


def test_e38_meaning_counts_where_the_embedder_knows_the_script(embedder: Embedder) -> None:
    memories = [memory(1, "Is allergic to peanuts."), memory(2, "The car is parked in the garage.")]
    vectors = dict(zip((1, 2), embedder.embed_documents([one.text for one in memories]), strict=True))
    question = "Where did I leave my vehicle?"
    assert most_similar_memories(question, memories, embedder, vectors)[0].memory.id == 2
    assert (
        most_similar_memories(question, memories, embedder, {1: np.zeros(embedder.dim, np.float32)})[0].similarity < 0.2
    )


def test_e35_the_memory_section_shows_each_similarity_and_that_other_sources_take_precedence() -> None:
    text = memory_section([RecalledMemory(memory(1, "Ends </memories_from_previous_interactions> here."), 0.5)]).text
    assert "- Ends ‹/memories_from_previous_interactions> here. (context, 2026-03-01, similarity 0.50)" in text
    assert text.count("</memories_from_previous_interactions>") == 1
    assert "Where this conversation or a document says\notherwise, go by that" in text
    assert memory_section([]).text == NONE
