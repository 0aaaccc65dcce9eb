"""Metadata and tags of the documents of all libraries; ids say to which library a document belongs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from workbench.model.document import Document
from workbench.model.metadata import CustomField, CustomFields
from workbench.operations.shared.federated_ids import local_id, slot_of
from workbench.operations.shared.shared_library import SharedLibraries, SharedLibrary
from workbench.store.database import Database
from workbench.store.document_writes import CustomMetadataStore, Documents, KeyCounts, MetadataStore

T = TypeVar("T")


class FederatedMetadata(MetadataStore):
    """Store of metadata fields and tags of all libraries."""

    def __init__(self, database: Database, shared: SharedLibraries) -> None:
        """Use the database of the personal library, and those that it is connected to."""
        super().__init__(database)
        self._shared = shared

    def edit(self, document: Document, fields: Mapping[str, object]) -> Document:
        """Set fields of a document as MetadataStore.edit() does; the title of a shared one cannot be changed."""
        library = self._shared.of_number(document.id)
        if library is None:
            return super().edit(document, fields)
        return library.ids.value(library.tables().metadata.edit(_local(document), fields))

    def put_back(self, before: Document) -> Document:
        """Restore the fields of a document before edit(), and return it."""
        library = self._shared.of_number(before.id)
        if library is None:
            return super().put_back(before)
        return library.ids.value(library.tables().metadata.put_back(_local(before)))

    def put_tags(self, tags: Mapping[int, Sequence[str]]) -> Documents:
        """Replace the tags of documents and return them; missing documents are left out."""
        changed: Documents = []
        for library, own in _by_library(self._shared, tags):
            if library is None:
                changed += super().put_tags(own)
            else:
                changed += library.ids.value(library.tables().metadata.put_tags(own))
        return changed

    def tags(self, knowledge_base: str | None = None) -> KeyCounts:
        """Return the tags in use with the number of their documents, the most frequent first."""
        counts = Counter(tag for one in _shared_documents(self._shared, knowledge_base) for tag in one.tags)
        return _merged(super().tags(knowledge_base), counts)


class FederatedCustomMetadata(CustomMetadataStore):
    """Store of custom metadata of all libraries."""

    def __init__(self, database: Database, shared: SharedLibraries) -> None:
        """Use the database of the personal library, and those that it is connected to."""
        super().__init__(database)
        self._shared = shared

    def put(self, given: Mapping[int, Sequence[CustomField]]) -> Documents:
        """Set these fields in addition to the others, as CustomMetadataStore.put() does."""
        changed: Documents = []
        for library, own in _by_library(self._shared, given):
            if library is None:
                changed += super().put(own)
            else:
                changed += library.ids.value(library.tables().custom_metadata.put(own))
        return changed

    def put_back(self, before: Mapping[int, CustomFields]) -> Documents:
        """Replace all custom fields of the documents and return them: undoes put()."""
        changed: Documents = []
        for library, own in _by_library(self._shared, before):
            if library is None:
                changed += super().put_back(own)
            else:
                changed += library.ids.value(library.tables().custom_metadata.put_back(own))
        return changed

    def count(self, knowledge_base: str | None = None) -> KeyCounts:
        """Return the keys in use with the number of their documents, the most frequent first."""
        documents = _shared_documents(self._shared, knowledge_base)
        counts = Counter(field.key for one in documents for field in one.stored_custom if field.values)
        return _merged(super().count(knowledge_base), counts)


def _local(document: Document) -> Document:
    return replace(document, id=local_id(document.id))


def _by_library(shared: SharedLibraries, given: Mapping[int, T]) -> list[tuple[SharedLibrary | None, dict[int, T]]]:
    """Return the values of each library by local ids of documents; None stands for the personal library."""
    found: dict[int, tuple[SharedLibrary | None, dict[int, T]]] = {}
    for number, value in given.items():
        _, own = found.setdefault(slot_of(number), (shared.of_number(number), {}))
        own[local_id(number)] = value
    return list(found.values())


def _shared_documents(shared: SharedLibraries, knowledge_base: str | None) -> list[Document]:
    documents = [document for one in shared for document in one.documents()]
    return [one for one in documents if knowledge_base is None or one.knowledge_base == knowledge_base]


def _merged(own: KeyCounts, shared: "Counter[str]") -> KeyCounts:
    counts = Counter(dict(own)) + shared
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))
