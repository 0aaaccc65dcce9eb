"""User configuration: agents, model profiles, tool servers, setting values, search configurations."""

import json
import re
import sqlite3
from contextlib import suppress
from typing import Any

from workbench.errors import LibraryDamaged, NotFound, SettingError
from workbench.model.agent import BUILT_IN_NAME, Agent, agent_of
from workbench.model.evaluation import NamedConfiguration, SearchSettings
from workbench.model.extensions import ToolServer
from workbench.model.profile import OFFLINE, ModelProfile, ToolCalling, WireApi
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.settings import Settings, declaration
from workbench.settings.declarations import PERSONAL
from workbench.settings.preferences import PreferenceFile
from workbench.store.database import Database
from workbench.store.filtering import knowledge_base_id
from workbench.store.stored_values import loaded_json, loaded_text, put_state, state, stored_json, stored_text

_LONGEST = 100
# The method list() hides the type inside the class.
Agents = list[Agent]


class AgentStore:
    """Store of the user's agents. The built-in agent is not in it, and its name is reserved."""

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
            NotFound: There is no agent of that name.
        """
        with self._database.read() as connection:
            row = connection.execute("SELECT name, fields FROM agents WHERE name = ?", (stored_text(name),)).fetchone()
        if row is None:
            names = ", ".join(f"“{one}”" for one in (BUILT_IN_NAME, *(agent.name for agent in self.list())))
            raise NotFound(f"There is no agent “{name}”.", f"The agents are {names}.")
        return _agent_of(*row)

    def put(self, agent: Agent) -> None:
        """Store an agent, replacing one of the same name.

        Raises:
                SettingError: The name is blank, too long, or that of the built-in agent.
        """
        if agent.is_built_in:
            raise SettingError(
                f"The agent “{agent.name}” is built in and cannot be changed.", "Duplicate it and edit the copy."
            )
        if agent.name != " ".join(agent.name.split()) or not 0 < len(agent.name) <= _LONGEST:
            raise SettingError(
                f"An agent cannot be called “{agent.name}”.", f"Give it a name of 1 to {_LONGEST} letters."
            )
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO agents (name, fields) VALUES (?, ?)",
                # ASCII in any case: the database modifies this JSON when a knowledge base is renamed.
                (stored_text(agent.name), json.dumps(agent.as_dict())),
            )

    def remove(self, name: str) -> Agent:
        """Delete an agent and return it, so that it can be restored.

        Raises:
            NotFound: There is no agent of that name.
            SettingError: It is the built-in agent.
        """
        if name == BUILT_IN_NAME:
            raise SettingError(f"The agent “{name}” is built in and cannot be removed.", "Remove another agent.")
        removed = self.get(name)
        with self._database.write() as connection:
            connection.execute("DELETE FROM agents WHERE name = ?", (stored_text(name),))
        return removed


def _agent_of(name: str | bytes, fields: str | bytes) -> Agent:
    values = loaded_json(fields)
    own_name = loaded_text(name)
    # The name column takes precedence, because only it is unique.
    return agent_of({**(values if isinstance(values, dict) else {}), "name": own_name})


_SELECT = "SELECT name, base_url, model, api, key_env, detected_api, tool_calling, detected_tools FROM profiles"
# The method list() hides the type inside the class.
Profiles = list[ModelProfile]


class ProfileStore:
    """Store of model profiles. The profile "offline" is built in: always first, never changed or removed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Profiles:
        """Return all profiles, OFFLINE first, the others by name."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} ORDER BY name").fetchall()
        return [OFFLINE, *(_profile_of(row) for row in rows)]

    def get(self, name: str) -> ModelProfile:
        """Return a profile.

        Raises:
            NotFound: There is no profile of that name.
        """
        if name == OFFLINE.name:
            return OFFLINE
        with self._database.read() as connection:
            row = connection.execute(f"{_SELECT} WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise NotFound(
                f"There is no model profile “{name}”.",
                f"The profiles are {', '.join(profile.name for profile in self.list())}.",
            )
        return _profile_of(row)

    def put(self, profile: ModelProfile) -> None:
        """Store a profile, replacing one of the same name.

        Raises:
            SettingError: The name is blank or that of the built-in profile.
        """
        if profile.name == OFFLINE.name or not profile.name.strip():
            raise SettingError(f"A model profile cannot be called “{profile.name}”.", "Choose another name.")
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO profiles"
                " (name, base_url, model, api, key_env, detected_api, tool_calling, detected_tools)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    profile.name,
                    profile.base_url,
                    profile.model,
                    profile.api.value,
                    profile.key_env,
                    profile.detected_api.value if profile.detected_api else None,
                    profile.tool_calling.value,
                    profile.detected_tools.value if profile.detected_tools else None,
                ),
            )

    def remove(self, name: str) -> None:
        """Delete a profile.

        Raises:
            NotFound: There is no profile of that name.
            SettingError: It is the built-in profile.
        """
        if name == OFFLINE.name:
            raise SettingError("The profile “offline” is built in and cannot be removed.", "Remove another profile.")
        self.get(name)
        with self._database.write() as connection:
            connection.execute("DELETE FROM profiles WHERE name = ?", (name,))

    def remember_api(self, name: str, api: WireApi) -> None:
        """Store the detected wire format of a profile's server; a deleted profile is ignored."""
        with self._database.write() as connection:
            connection.execute("UPDATE profiles SET detected_api = ? WHERE name = ?", (api.value, name))

    def remember_tool_calling(self, name: str, calling: ToolCalling) -> None:
        """Store the detected tool calling of a profile's model; a deleted profile is ignored."""
        with self._database.write() as connection:
            connection.execute("UPDATE profiles SET detected_tools = ? WHERE name = ?", (calling.value, name))


def _profile_of(row: tuple[str, str, str, str, str, str | None, str, str | None]) -> ModelProfile:
    name, base_url, model, api, key_env, detected, calling, tools = row
    return ModelProfile(
        name,
        base_url,
        model,
        WireApi(api),
        key_env,
        WireApi(detected) if detected else None,
        ToolCalling(calling),
        ToolCalling(tools) if tools else None,
    )


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,31}")
# The method list() hides the type inside the class.
ToolServers = list[ToolServer]


class ToolServerStore:
    """Store of the configured tool servers, by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> ToolServers:
        """Return the servers, by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, command, url, variables, token_env FROM tool_servers ORDER BY name"
            ).fetchall()
        return [
            ToolServer(
                name, tuple(loaded_json(command)), loaded_text(url), tuple(loaded_json(variables)), loaded_text(token)
            )
            for name, command, url, variables, token in rows
        ]

    def get(self, name: str) -> ToolServer:
        """Return a server.

        Raises:
            NotFound: There is no server of that name.
        """
        known = self.list()
        for server in known:
            if server.name == name:
                return server
        names = ", ".join(server.name for server in known)
        raise NotFound(
            f"There is no tool server “{name}”.", f"There are {names}." if names else "There are none yet: add one."
        )

    def put(self, server: ToolServer) -> None:
        """Store a server, replacing one of the same name.

        Raises:
            SettingError: The name cannot be part of a tool's name, or the connection is missing or contradictory.
        """
        if not _NAME.fullmatch(server.name):
            raise SettingError(
                f"A tool server cannot be called “{server.name}”.",
                "Use letters from a to z, digits and “-”, at most 32: the names of its tools contain this name.",
            )
        if bool(server.command) == bool(server.url):
            raise SettingError("A tool server needs either a command or an address.", "Enter exactly one of the two.")
        if server.token_env and not server.url:
            raise SettingError(
                "A tool server that is a program cannot receive a token.",
                "Pass it the variable instead: workbench mcp-servers add --env.",
            )
        row = (
            server.name,
            stored_json(server.command),
            stored_text(server.url),
            stored_json(server.variables),
            stored_text(server.token_env),
        )
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO tool_servers (name, command, url, variables, token_env) VALUES (?, ?, ?, ?, ?)",
                row,
            )

    def remove(self, name: str) -> ToolServer:
        """Delete a server and return it, so that it can be restored.

        Raises:
            NotFound: There is no server of that name.
        """
        server = self.get(name)
        with self._database.write() as connection:
            connection.execute("DELETE FROM tool_servers WHERE name = ?", (name,))
        return server


class SettingStore:
    """Store of changed settings only, so that a better default of a later version takes effect.

    Personal settings are in the user's preference file and not in the library.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._preferences = PreferenceFile()

    def load(self) -> Settings:
        """Return the settings in force; a stored value that is no longer allowed is replaced by the default."""
        stored = self._stored()
        of_library = {key: stored[key] for key in stored.keys() - PERSONAL}
        return Settings.from_stored({**of_library, **self._preferences.values()})

    def hand_over_preferences(self) -> None:
        """Move personal settings, which earlier versions stored in the library, to the user's preference file.

        A value that the user has set or reset in the file stays as it is.

        Raises:
            SettingError: The file cannot be written; the library keeps the values.
        """
        stored = self._stored()
        personal = {key: stored[key] for key in stored.keys() & PERSONAL}
        if personal:
            self._preferences.adopt(personal)
            with self._database.write() as connection:
                rows = ((key,) for key in personal)
                connection.executemany("DELETE FROM remembered WHERE scope = 'setting' AND key = ?", rows)

    def _stored(self) -> dict[str, Any]:
        with self._database.read() as connection:
            rows = connection.execute("SELECT key, value FROM remembered WHERE scope = 'setting'").fetchall()
        stored = {}
        for key, value in rows:
            # An unreadable value must not block the library: the default is in force until a repair.
            with suppress(LibraryDamaged):
                stored[key] = loaded_json(value)
        return stored

    def put(self, key: str, value: Any) -> None:
        """Change a setting.

        Raises:
            SettingError: There is no such setting, the value is not allowed, or the preference file cannot be written.
        """
        declared = declaration(key)
        checked = declared.check(value)
        if declared.personal:
            self._preferences.put(declared.key, checked)
        else:
            self._put("setting", declared.key, stored_json(checked))

    def reset(self, key: str) -> None:
        """Reset a setting to its default.

        Raises:
            SettingError: There is no such setting.
        """
        declared = declaration(key)
        if declared.personal:
            self._preferences.put(key, None)
            return
        with self._database.write() as connection:
            connection.execute("DELETE FROM remembered WHERE scope = 'setting' AND key = ?", (declared.key,))

    def state(self, key: str, default: str = "") -> str:
        """Return the text stored under key, for example the positions of the window's docks."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT value FROM remembered WHERE scope = 'window' AND key = ?", (key,)
            ).fetchone()
        return loaded_text(row[0]) if row else default

    def set_state(self, key: str, value: str) -> None:
        """Store a text under key."""
        self._put("window", key, stored_text(value))

    def _put(self, scope: str, key: str, value: str | bytes) -> None:
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO remembered (scope, key, value) VALUES (?, ?, ?)", (scope, key, value)
            )


_OF_ALL = "search_configuration"


class SearchConfigurationStore:
    """Store of promoted configurations only, so that a better default of a later version takes effect."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def named(self) -> tuple[NamedConfiguration, ...]:
        """Return the named configurations, by name."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT name, configuration FROM search_configurations ORDER BY name").fetchall()
        return tuple(NamedConfiguration(loaded_text(name), _load_configuration(kept)) for name, kept in rows)

    def keep(self, name: str, configuration: SearchConfiguration) -> None:
        """Store a configuration, replacing one of the same name.

        Raises:
            SettingError: The name is blank, or looks like a configuration itself.
        """
        name = " ".join(name.split())
        if not name or len(name) > _LONGEST or "=" in name:
            raise SettingError(f"A configuration cannot be called “{name}”.", "Choose a short name without “=”.")
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO search_configurations (name, configuration) VALUES (?, ?)",
                (stored_text(name), stored_json(configuration.as_dict())),
            )

    def remove(self, name: str) -> None:
        """Delete a named configuration.

        Raises:
            NotFound: There is no configuration of that name.
        """
        with self._database.write() as connection:
            cursor = connection.execute("DELETE FROM search_configurations WHERE name = ?", (stored_text(name),))
            if not cursor.rowcount:
                raise NotFound(f"There is no configuration “{name}”.")

    def in_force(self, knowledge_base: str | None) -> SearchSettings:
        """Return the search settings of a knowledge base; None means all at once.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.read() as connection:
            own = _promoted(connection, knowledge_base)
            if own is not None:
                return SearchSettings(knowledge_base, own, is_own=True)
            of_all = _promoted(connection, None) or DEFAULT_SEARCH
        return SearchSettings(knowledge_base, of_all, is_own=False)

    def own(self, knowledge_base: str | None) -> SearchConfiguration | None:
        """Return the configuration promoted for a knowledge base, or for all (None); None if there is none.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.read() as connection:
            return _promoted(connection, knowledge_base)

    def promote(self, knowledge_base: str | None, configuration: SearchConfiguration | None) -> None:
        """Search a knowledge base (None: all) with this configuration from now on; None removes the promotion.

        Raises:
            NotFound: There is no such knowledge base.
        """
        value = stored_json(configuration.as_dict()) if configuration is not None else ""
        with self._database.write() as connection:
            if knowledge_base is not None:
                number = knowledge_base_id(connection, knowledge_base)
                connection.execute("UPDATE knowledge_bases SET configuration = ? WHERE id = ?", (value, number))
            else:
                put_state(connection, _OF_ALL, value)


def _load_configuration(value: str | bytes) -> SearchConfiguration:
    return SearchConfiguration.of(loaded_json(value))


def _promoted(connection: sqlite3.Connection, knowledge_base: str | None) -> SearchConfiguration | None:
    if knowledge_base is None:
        kept = state(connection, _OF_ALL)
    else:
        number = knowledge_base_id(connection, knowledge_base)
        (kept,) = connection.execute("SELECT configuration FROM knowledge_bases WHERE id = ?", (number,)).fetchone()
    return _load_configuration(kept) if kept else None
