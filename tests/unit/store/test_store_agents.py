"""Agents: stored, replaced, removed."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.errors import NotFound, SettingError
from workbench.model.agent import Agent
from workbench.store.configuration import AgentStore
from workbench.store.database import FILE_NAME, Database
from workbench.store.knowledge_bases import KnowledgeBaseStore


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path)
    yield database
    database.close()


@pytest.fixture
def agents(database: Database) -> AgentStore:
    return AgentStore(database)


def test_an_agent_is_kept_and_replaced_under_its_name(agents: AgentStore) -> None:
    agents.put(Agent("小王", role="clerk"))
    agents.put(Agent("小王", role="judge"))
    assert agents.list() == [Agent("小王", role="judge")]
    assert agents.get("小王").role == "judge"


def test_a_removed_agent_is_given_back_as_it_was(agents: AgentStore) -> None:
    agents.put(Agent("Clerk", role="clerk"))
    assert agents.remove("Clerk") == Agent("Clerk", role="clerk")
    with pytest.raises(NotFound, match="no agent “Clerk”"):
        agents.get("Clerk")


@pytest.mark.parametrize("name", ["", " ", "default", "a\nb", "x" * 101])
def test_some_names_cannot_be_had(agents: AgentStore, name: str) -> None:
    with pytest.raises(SettingError):
        agents.put(Agent(name))


def test_the_built_in_agent_stays(agents: AgentStore) -> None:
    with pytest.raises(SettingError, match="built in"):
        agents.remove("default")


def test_an_agent_follows_a_knowledge_base_that_is_renamed(agents: AgentStore, database: Database) -> None:
    bases = KnowledgeBaseStore(database)
    for name in ("Papers", "Letters"):
        bases.add(name)
    agents.put(Agent("Clerk", role="\udc80", knowledge_bases=("Letters", "Papers")))
    agents.put(Agent("Other", knowledge_bases=()))
    bases.rename("Papers", "论文")
    assert [agent.knowledge_bases for agent in agents.list()] == [("Letters", "论文"), ()]


def test_an_agent_with_a_corrupt_definition_is_still_loaded_as_an_agent_with_defaults(tmp_path: Path) -> None:
    Database.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("INSERT INTO agents VALUES ('Clerk', '[1]')")
    connection.commit()
    connection.close()
    database = Database.open(tmp_path)
    assert AgentStore(database).list() == [Agent("Clerk")]
    database.close()
