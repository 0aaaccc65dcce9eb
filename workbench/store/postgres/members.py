"""Knowledge bases of a shared library and their members."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from workbench.egress.postgres import PostgresProblem, problem_of
from workbench.errors import LibraryError, NotFound
from workbench.language import mark
from workbench.store.postgres.import_jobs import require_access
from workbench.store.postgres.postgres_database import PostgresConnection, PostgresDatabase


class AccessLevel(IntEnum):
    """Access of a member to a knowledge base; each includes those before it."""

    NONE = 0
    READ = 1
    WRITE = 2
    MANAGE = 3

    @property
    def word(self) -> str:
        """The word for it in commands: "read", "write" or "manage"; "none" removes a member."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Member:
    """Member of a knowledge base; name is that of a user at the server."""

    name: str
    access: AccessLevel


# The method list() hides the type inside the class.
Bases = list[tuple[str, AccessLevel]]
Members = list[Member]


class SharedKnowledgeBases:
    """Knowledge bases of a shared library that the user may read, and their members."""

    def __init__(self, database: PostgresDatabase, full_name: Callable[[str], str] = str) -> None:
        """Use an open database; full_name returns the name by which users know a knowledge base, for errors."""
        self._database = database
        self._full_name = full_name

    def list(self) -> Bases:
        """Return the names, oldest first, each with the user's access."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, CASE WHEN id = ANY (accessible(3)) THEN 3 WHEN id = ANY (accessible(2)) THEN 2 ELSE 1 END"
                " FROM knowledge_bases WHERE removed = 0 ORDER BY id"
            ).fetchall()
        return [(str(name), AccessLevel(level)) for name, level in rows]

    def create(self, name: str) -> None:
        """Create a knowledge base with the user as its manager.

        Raises:
            LibraryError: The name is blank or taken.
            SharedAccessDenied: The user is neither the administrator nor a manager of another knowledge base.
        """
        if not name.strip() or "/" in name:
            raise LibraryError(
                mark("A shared knowledge base needs a name without “/”."),
                mark("Enter a name, for example “contracts”."),
            )
        try:
            with self._database.write() as connection:
                connection.execute("SELECT create_knowledge_base(?)", (name.strip(),))
        except Exception as error:
            if problem_of(error) is not PostgresProblem.TAKEN:
                raise
            raise LibraryError(
                mark(f"There is a shared knowledge base “{self._full_name(name.strip())}” already."),
                mark("Choose another name."),
            ) from error

    def require(self, knowledge_base: str) -> None:
        """Raise an error if there is no such knowledge base that the user may read.

        Raises:
            NotFound: There is none.
        """
        with self._database.read() as connection:
            self._number(connection, knowledge_base)

    def members(self, knowledge_base: str) -> Members:
        """Return the members in alphabetical order.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.read() as connection:
            base = self._number(connection, knowledge_base)
            rows = connection.execute("SELECT member, level FROM list_members(?)", (base,)).fetchall()
        return [Member(str(name), AccessLevel(level)) for name, level in rows]

    def put_member(self, knowledge_base: str, name: str, access: AccessLevel) -> None:
        """Set the access of a user; NONE removes the member.

        Raises:
            NotFound: There is no such knowledge base, or no user of that name at the server.
            SharedAccessDenied: The user is no manager.
            LibraryError: It would be left without a manager.
        """
        try:
            with self._database.write() as connection:
                base = self._number(connection, knowledge_base)
                require_access(connection, base, AccessLevel.MANAGE)
                exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = ?", (name,)).fetchone()
                if access and not exists:
                    raise NotFound(
                        mark(f"The server has no user “{name}”."),
                        mark("Its administrator creates one: CREATE ROLE … LOGIN PASSWORD …"),
                    )
                connection.execute("SELECT put_member(?, ?, ?)", (base, name, int(access)))
        except Exception as error:
            if problem_of(error) is not PostgresProblem.CHECK:
                raise
            raise LibraryError(
                mark(f"“{name}” is the only manager of “{self._full_name(knowledge_base)}”."),
                mark("Add another manager first."),
            ) from error

    def _number(self, connection: PostgresConnection, name: str) -> int:
        row = connection.execute("SELECT id FROM knowledge_bases WHERE name = ? AND removed = 0", (name,)).fetchone()
        if row is None:
            raise NotFound(
                mark(f"There is no shared knowledge base “{self._full_name(name)}”."),
                mark("“workbench shared list” shows those that you may read."),
            )
        return int(row[0])
