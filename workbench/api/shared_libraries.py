"""Shared libraries in PostgreSQL for scripts: connections, members, and reading the documents that wait."""

from collections.abc import Callable

from workbench import operations
from workbench.api.arguments import context
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.options import known_options
from workbench.model.shared_library import (
    SharedImportProgress,
    SharedLibraryState,
    SharedMember,
    SharedReadingStarted,
)
from workbench.worker.job import JobContext

SharedReadingEvent = SharedReadingStarted | SharedImportProgress

# Aliases, because the method named “list” below shadows the type in its class.
States = list[SharedLibraryState]
Members = list[SharedMember]


@known_options
class AsyncSharedLibraries(Awaited):
    """Shared libraries, whose knowledge bases are used like the library's own: library.shared_libraries.

    The name of a shared knowledge base begins with that of its library: add(file, knowledge_base="team/papers").
    """

    async def list(self) -> States:
        """Return the connected shared libraries with their state, those included that cannot be reached."""
        return await operations.list_shared_libraries(self._opened)(JobContext())

    async def create(self, url: str, password: str = "") -> None:
        """Set up a shared library in a PostgreSQL database with pgvector, for the embedding model of this library.

        Args:
            url: Address of the database: "postgresql://name@server/database". The user must be allowed to create a
                schema in it.
            password: Password; empty for the stored one, or for none.

        Raises:
            SharedLibraryUnreachable: The server cannot be reached.
            LibraryError: The database contains a shared library already, or lacks pgvector.
            EmbeddingError: The embedding model of this library cannot be loaded.
        """
        await operations.create_shared_library(self._opened, url, password)(JobContext())

    async def connect(self, name: str, url: str, password: str = "") -> SharedLibraryState:
        """Connect to a shared library under a name of your choice, and return its state.

        Raises:
            LibraryError: The name is taken, or the database is no shared library.
            SharedLibraryUnreachable: The server cannot be reached.
        """
        return await operations.connect_shared_library(self._opened, name, url, password)(JobContext())

    async def disconnect(self, name: str) -> None:
        """Remove the connection to a shared library; nothing in it is changed.

        Raises:
            NotFound: There is none of that name.
        """
        await operations.disconnect_shared_library(self._opened, name)(JobContext())

    async def set_password(self, name: str, password: str) -> bool:
        """Store the password for a shared library in the system's keyring.

        Returns:
            True if it is kept after the program ends.

        Raises:
            NotFound: There is none of that name.
        """
        return await operations.put_shared_key(self._opened, name, password)(JobContext())

    async def add_knowledge_base(self, knowledge_base: str) -> None:
        """Create a knowledge base in a shared library, with yourself as its manager.

        Args:
            knowledge_base: Full name: "team/papers".

        Raises:
            NotFound: There is no such shared library.
            LibraryError: The name is taken.
            SharedAccessDenied: You may not create any.
        """
        await operations.add_shared_base(self._opened, knowledge_base)(JobContext())

    async def members(self, knowledge_base: str) -> Members:
        """Return the members of a shared knowledge base with their access, in alphabetical order.

        Raises:
            NotFound: There is no such knowledge base.
        """
        return await operations.list_shared_members(self._opened, knowledge_base)(JobContext())

    async def set_member(self, knowledge_base: str, member: str, access: str) -> None:
        """Set the access of a user of the server to a shared knowledge base.

        Args:
            knowledge_base: Full name: "team/papers".
            member: Name of the user at the server.
            access: "read", "write", "manage", or "none" to remove the member.

        Raises:
            NotFound: There is no such knowledge base or user.
            SharedAccessDenied: You are no manager of it.
            LibraryError: It would be left without a manager, or there is no such access.
        """
        await operations.put_shared_member(self._opened, knowledge_base, member, access)(JobContext())

    async def read_documents(
        self, name: str, *, until_empty: bool = True, on_event: Callable[[SharedReadingEvent], object] | None = None
    ) -> int:
        """Read the documents that wait in a shared library, as a worker does, and return their number.

        Any number of programs on any machines may do so at the same time.

        Args:
            name: Name of the shared library.
            until_empty: End when no document waits; otherwise wait for further ones until the task is cancelled.
            on_event: Called when reading starts and after each document.

        Raises:
            NotFound: There is none of that name.
            EmbeddingError: Its embedding model cannot be loaded here.
            SharedLibraryUnreachable: The server cannot be reached.
        """
        read = operations.read_shared_documents(self._opened, name, until_empty=until_empty)
        return await read(context(on_event))


class SharedLibraries(Waiting[AsyncSharedLibraries]):
    """Shared libraries, whose knowledge bases are used like the library's own: library.shared_libraries."""

    list = waited(AsyncSharedLibraries.list)
    create = waited(AsyncSharedLibraries.create)
    connect = waited(AsyncSharedLibraries.connect)
    disconnect = waited(AsyncSharedLibraries.disconnect)
    set_password = waited(AsyncSharedLibraries.set_password)
    add_knowledge_base = waited(AsyncSharedLibraries.add_knowledge_base)
    members = waited(AsyncSharedLibraries.members)
    set_member = waited(AsyncSharedLibraries.set_member)
    read_documents = waited(AsyncSharedLibraries.read_documents)
