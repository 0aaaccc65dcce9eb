"""Configurations of searches: those kept under a name, and those that knowledge bases are searched with."""

from workbench.errors import NotFound, SettingError
from workbench.model.evaluation import NamedConfiguration, SearchSettings
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.store.database import Database
from workbench.store.filtering import knowledge_base_id
from workbench.store.state import put_state, state
from workbench.store.values import loaded_json, loaded_text, stored_json, stored_text

_OF_ALL = "search_configuration"
_LONGEST = 100


class SearchConfigurationStore:
    """What was never promoted is not stored: a default that gets better in a later version takes effect."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def named(self) -> tuple[NamedConfiguration, ...]:
        """Return the named ones, by name."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT name, configuration FROM search_configurations ORDER BY name").fetchall()
        return tuple(NamedConfiguration(loaded_text(name), _loaded(kept)) for name, kept in rows)

    def keep(self, name: str, configuration: SearchConfiguration) -> None:
        """Keep a configuration, in the place of one of the same name.

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
        """Forget a named configuration.

        Raises:
            NotFound: There is none of that name.
        """
        with self._database.write() as connection:
            gone = connection.execute("DELETE FROM search_configurations WHERE name = ?", (stored_text(name),))
            if not gone.rowcount:
                raise NotFound(f"There is no configuration “{name}”.")

    def in_force(self, knowledge_base: str | None) -> SearchSettings:
        """Return how a knowledge base is searched; None stands for all at once.

        Raises:
            NotFound: There is no such knowledge base.
        """
        own = self.own(knowledge_base)
        if own is not None:
            return SearchSettings(knowledge_base, own, is_own=True)
        return SearchSettings(knowledge_base, self.own(None) or DEFAULT_SEARCH, is_own=False)

    def own(self, knowledge_base: str | None) -> SearchConfiguration | None:
        """Return what was promoted for a knowledge base, or for all; None where nothing was.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.read() as connection:
            if knowledge_base is None:
                kept = state(connection, _OF_ALL)
            else:
                number = knowledge_base_id(connection, knowledge_base)
                (kept,) = connection.execute(
                    "SELECT configuration FROM knowledge_bases WHERE id = ?", (number,)
                ).fetchone()
        return _loaded(kept) if kept else None

    def promote(self, knowledge_base: str | None, configuration: SearchConfiguration | None) -> None:
        """Search a knowledge base (None: all) with this from now on; None takes it back.

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


def _loaded(value: str | bytes) -> SearchConfiguration:
    return SearchConfiguration.of(loaded_json(value))
