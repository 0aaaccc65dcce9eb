"""Presenter of knowledge bases, fields and tags: each change is one operation, and its undo is another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from workbench import operations
from workbench.language import mark, tr, translate, trn
from workbench.model.document import Document
from workbench.model.knowledge_base import RefusedDocument, RemovedBase, Transfer
from workbench.model.metadata import CustomFields
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.operations.documents.metadata_edits import MetadataEdit

_MOVED = (mark("Moved {n:,} document to “{base}”"), "Moved {n:,} documents to “{base}”")
_COPIED = (mark("Copied {n:,} document to “{base}”"), "Copied {n:,} documents to “{base}”")


class CataloguePresenter(QObject):
    """Presenter of changes to knowledge bases, fields and tags, without a window; the last change can be undone.

    Signals:
        notified: A message for a toast, and whether the change can be undone.
        failed: An error and its details.
        base_made: Name of a knowledge base that was created or renamed.
        tags_listed: The tags in use, the most used first.
    """

    notified = Signal(str, bool)
    failed = Signal(object, str)
    base_made = Signal(str)
    tags_listed = Signal(list)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._undo: list[Any] = []
        self._pending_parts = 0
        self._transfer: tuple[tuple[int, ...], bool] = ((), False)

    def set_library(self, library: Library | None) -> None:
        """Set the library, or None; changes in the previous one can no longer be undone here."""
        self._library = library
        self._undo = []

    def undo(self) -> None:
        """Undo the last change."""
        operations_back, self._undo = self._undo, []
        for operation in operations_back:
            self._submit(operation)

    def add_base(self, name: str) -> None:
        """Create a knowledge base; base_made reports its name."""
        if self._library is not None:
            self._submit(operations.add_knowledge_base(self._library, name), done=self.base_made.emit)

    def rename_base(self, name: str, new: str) -> None:
        """Rename a knowledge base."""
        if self._library is not None and new != name:
            self._submit(operations.rename_knowledge_base(self._library, name, new), done=self.base_made.emit)

    def remove_base(self, name: str) -> None:
        """Remove a knowledge base with everything in it, and offer to undo that."""
        if self._library is not None:
            self._submit(operations.remove_knowledge_base(self._library, name), done=self._on_base_removed)

    def move(self, documents: Sequence[Document], target: str, *, copy: bool, new: bool) -> None:
        """Move or copy documents to a knowledge base, which is created first if it is new."""
        if self._library is None or not documents:
            return
        self._transfer = (tuple(document.id for document in documents), copy)
        if new:
            self._submit(operations.add_knowledge_base(self._library, target), done=self._on_target)
        else:
            self._on_target(target)

    def tag(self, documents: Sequence[Document], add: Sequence[str], remove: Sequence[str]) -> None:
        """Add tags to documents and remove others."""
        if self._library is not None and documents and (add or remove):
            numbers = [document.id for document in documents]
            self._submit(operations.tag_documents(self._library, numbers, add=add, remove=remove), done=self._on_tagged)

    def give(self, documents: Sequence[Document], metadata: Mapping[str, object]) -> None:
        """Set custom metadata of documents; None removes a key."""
        if self._library is not None and documents and metadata:
            numbers = [document.id for document in documents]
            self._submit(operations.give_metadata(self._library, numbers, metadata), done=self._on_given)

    def change(
        self,
        document: Document,
        fields: Mapping[str, object],
        add: Sequence[str],
        remove: Sequence[str],
        metadata: Mapping[str, object],
    ) -> None:
        """Set fields, tags and metadata of a document; a single undo reverts all of them."""
        self._undo = []
        self._pending_parts = bool(fields) + bool(add or remove) + bool(metadata)
        self.tag([document], add, remove)
        self.give([document], metadata)
        self.edit(document, fields)

    def edit(self, document: Document, fields: Mapping[str, object]) -> None:
        """Set fields of a document."""
        if self._library is not None and fields:
            self._submit(operations.edit_metadata(self._library, document.id, fields), done=self._on_edited)

    def list_tags(self) -> None:
        """Request the tags in use; tags_listed reports them."""
        if self._library is not None:
            self._submit(operations.list_tags(self._library), done=self.tags_listed.emit)

    def _submit(self, operation: Any, *, done: Callable[[Any], None] | None = None) -> None:
        self._bridge.submit(operation, done=done, failed=self._on_failed)

    def _announce(self, text: str, undo: Any) -> None:
        undo_steps = [undo] if undo is not None else []
        self._undo = [*self._undo, *undo_steps] if self._pending_parts else undo_steps
        self._pending_parts = max(0, self._pending_parts - 1)
        self.notified.emit(text, bool(self._undo))

    def _on_base_removed(self, removed: RemovedBase) -> None:
        if self._library is not None:
            text = trn(
                "Removed “{name}” with {n:,} document",
                "Removed “{name}” with {n:,} documents",
                len(removed.documents),
                name=removed.name,
            )
            self._announce(text, operations.restore_knowledge_base(self._library, removed))

    def _on_target(self, target: str) -> None:
        numbers, copy = self._transfer
        if self._library is not None:
            done = self._on_copied if copy else self._on_moved
            self._submit(operations.move_documents(self._library, numbers, target, copy=copy), done=done)

    def _on_moved(self, transfer: Transfer) -> None:
        undo = None
        if self._library is not None and transfer.documents:
            undo = operations.move_back(self._library, transfer)
        self._announce(_describe_transfer(transfer, _MOVED), undo)

    def _on_copied(self, transfer: Transfer) -> None:
        undo = None
        if self._library is not None and transfer.documents:
            undo = operations.remove_documents(self._library, transfer.documents)
        self._announce(_describe_transfer(transfer, _COPIED), undo)

    def _on_tagged(self, before: dict[int, tuple[str, ...]]) -> None:
        if self._library is not None:
            text = trn("Changed the tags of {n:,} document", "Changed the tags of {n:,} documents", len(before))
            self._announce(text, operations.put_tags(self._library, before))

    def _on_given(self, before: dict[int, CustomFields]) -> None:
        if self._library is not None:
            many = len(before)
            text = trn("Changed the metadata of {n:,} document", "Changed the metadata of {n:,} documents", many)
            self._announce(text, operations.put_metadata(self._library, before))

    def _on_edited(self, edit: MetadataEdit) -> None:
        if self._library is not None:
            changed = tr("Changed “{name}”", name=edit.before.name)
            self._announce(changed, operations.undo_edit(self._library, edit.before))

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


def _describe_refused(refused: Sequence[RefusedDocument]) -> str:
    reasons = {one.reason for one in refused}
    first, why = refused[0].name, translate(refused[0].reason)
    if len(refused) == 1:
        return tr("“{name}” was not moved: {reason}", name=first, reason=why)
    if len(reasons) == 1:
        return tr("{n:,} were not moved: {reason}", n=len(refused), reason=why)
    return tr("{n:,} were not moved, such as “{name}”: {reason}", n=len(refused), name=first, reason=why)


def _describe_transfer(transfer: Transfer, done: tuple[str, str]) -> str:
    moved = trn(*done, len(transfer.documents), base=transfer.target)
    if not transfer.refused:
        return moved if transfer.documents else ""
    stay = _describe_refused(transfer.refused)
    return tr("{moved}. {stay}", moved=moved, stay=stay) if transfer.documents else stay
