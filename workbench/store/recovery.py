"""Whether files in the library folder are all that is left of documents that its database does not know (any more)."""

from workbench.store.database import Database
from workbench.store.state import FILES_WANTED, forget_state, state


def files_wanted(database: Database) -> bool:
    """Return whether such files are to be kept, and added again by a repair."""
    with database.read() as connection:
        return state(connection, FILES_WANTED) is not None


def settle_files(database: Database) -> None:
    """Note that what was left of lost documents is in the library again."""
    with database.write() as connection:
        forget_state(connection, FILES_WANTED)
