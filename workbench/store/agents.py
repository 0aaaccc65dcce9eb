"""The agents that the user made."""

import json

from workbench.errors import NotFound, SettingError
from workbench.model.agent import BUILT_IN_NAME, Agent, agent_of
from workbench.store.database import Database
from workbench.store.values import loaded_json, loaded_text, stored_text

_LONGEST = 100
# The method list() hides the type inside the class.
Agents = list[Agent]


class AgentStore:
    """The built-in agent is not among them, and none can take its name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Agents:
        """Return the agents, by name."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT name, fields FROM agents ORDER BY name").fetchall()
        return [_agent_of(*row) for row in rows]

    def get(self, name: str) -> Agent:
        """Return an agent.

        Raises:
            NotFound: There is none of that name.
        """
        with self._database.read() as connection:
            row = connection.execute("SELECT name, fields FROM agents WHERE name = ?", (stored_text(name),)).fetchone()
        if row is None:
            names = ", ".join(f"“{one}”" for one in (BUILT_IN_NAME, *(agent.name for agent in self.list())))
            raise NotFound(f"There is no agent “{name}”.", f"The agents are {names}.")
        return _agent_of(*row)

    def put(self, agent: Agent) -> None:
        """Keep an agent, in the place of one of the same name.

        Raises:
            SettingError: Its name is blank, too long, or that of the built-in agent.
        """
        if agent.is_built_in:
            raise SettingError(f"The agent “{agent.name}” is built in and stays as it is.", "Change a copy of it.")
        if agent.name != " ".join(agent.name.split()) or not 0 < len(agent.name) <= _LONGEST:
            raise SettingError(
                f"An agent cannot be called “{agent.name}”.", f"Give it a name of 1 to {_LONGEST} letters."
            )
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO agents (name, fields) VALUES (?, ?)",
                # ASCII, whatever is in it: the database reads into it when a knowledge base is renamed.
                (stored_text(agent.name), json.dumps(agent.as_dict())),
            )

    def remove(self, name: str) -> Agent:
        """Forget an agent; returns it as it was, so that it can be put back.

        Raises:
            NotFound: There is none of that name.
            SettingError: It is the built-in one.
        """
        if name == BUILT_IN_NAME:
            raise SettingError(f"The agent “{name}” is built in and stays.", "Remove another agent.")
        gone = self.get(name)
        with self._database.write() as connection:
            connection.execute("DELETE FROM agents WHERE name = ?", (stored_text(name),))
        return gone


def _agent_of(name: str | bytes, fields: str | bytes) -> Agent:
    values = loaded_json(fields)
    called = loaded_text(name)
    # The row's own name counts: nothing else is unique.
    return agent_of({**(values if isinstance(values, dict) else {}), "name": called})
