"""Stores of an open shared library."""

from collections.abc import Callable

from workbench.model.embedder import EmbedderChoice
from workbench.store.abbreviation_table import AbbreviationTable
from workbench.store.documents import DocumentStore
from workbench.store.filtering import FilterValues
from workbench.store.intake import Intake
from workbench.store.postgres.import_jobs import ImportJobs
from workbench.store.postgres.members import SharedKnowledgeBases
from workbench.store.postgres.postgres_database import PostgresDatabase
from workbench.store.postgres.shared_keywords import SharedKeywordIndex
from workbench.store.postgres.shared_metadata import SharedCustomMetadataStore, SharedMetadataStore
from workbench.store.postgres.shared_names import SharedNameIndex
from workbench.store.stored_values import state


class SharedTables:
    """Stores of an open shared library."""

    def __init__(self, database: PostgresDatabase, full_name: Callable[[str], str]) -> None:
        """Create the stores of an open database; full_name returns the name by which users know a knowledge base."""
        self.database = database
        self.documents = DocumentStore(database)
        self.keywords = SharedKeywordIndex(database)
        self.names = SharedNameIndex(database)
        self.abbreviations = AbbreviationTable(database)
        self.filter_values = FilterValues(database)
        self.intake = Intake(database)
        self.metadata = SharedMetadataStore(database)
        self.custom_metadata = SharedCustomMetadataStore(database)
        self.jobs = ImportJobs(database)
        self.knowledge_bases = SharedKnowledgeBases(database, full_name)
        with database.read() as connection:
            self.embedder_id = str(state(connection, "embedder") or "")
            self.embedder_model = str(state(connection, "embedder_model") or "")

    @property
    def embedder_choice(self) -> EmbedderChoice:
        """The embedding model that computed the vectors, with its backend."""
        return EmbedderChoice(self.embedder_model, self.embedder_id.rpartition("/")[2] or "auto")

    @property
    def dim(self) -> int:
        """Width of the vectors, from the id of the embedder: name/width/revision/backend."""
        return int(self.embedder_id.rsplit("/", 3)[1])
