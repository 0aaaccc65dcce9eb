"""What the user changed by hand about the chunks of a document, one change at a time."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark
from workbench.model.chunk import Chunk


class EditKind(StrEnum):
    """What was done."""

    TEXT = "text"
    MERGE = "merge"
    SPLIT = "split"
    DISABLE = "disable"
    ENABLE = "enable"
    TAG = "tag"
    RESET = "reset"


WORDS = {
    EditKind.TEXT: mark("Text edited"),
    EditKind.MERGE: mark("Merged"),
    EditKind.SPLIT: mark("Split"),
    EditKind.DISABLE: mark("Disabled"),
    EditKind.ENABLE: mark("Enabled"),
    EditKind.TAG: mark("Tags changed"),
    EditKind.RESET: mark("Reset to the original"),
}


@dataclass(frozen=True, slots=True)
class ChunkChange:
    """Chunks that are to stand in the place of others.

    Attributes:
        document: That holds them.
        kind: What is done.
        before: Chunks as they are, neighbours, in order.
        after: What they become: a chunk of other text or other ends has the id 0 until it is stored, any other keeps
            its own. Together they cover what those before do.
    """

    document: int
    kind: EditKind
    before: tuple[Chunk, ...]
    after: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class ChunkEdit:
    """A change that was made.

    Attributes:
        id: Its number.
        document: That holds the chunks.
        kind: What was done.
        made: ISO 8601, UTC.
        before: The chunks as they were.
        after: What they became.
        undone: 0 while it is in force; the higher the later it was undone.
        lost: The document's file no longer holds the text that was changed: nothing stands for it any more.
        can_undo: Nothing was built upon it since.
        can_redo: It was undone, and what it changed is there as it was.
    """

    id: int
    document: int
    kind: EditKind
    made: str
    before: tuple[Chunk, ...]
    after: tuple[Chunk, ...]
    undone: int = 0
    lost: bool = False
    can_undo: bool = False
    can_redo: bool = False

    @property
    def words(self) -> str:
        """What was done, in words."""
        if self.kind is EditKind.MERGE:
            return mark(f"{len(self.before)} merged into one")
        if self.kind is EditKind.SPLIT:
            return mark(f"Split into {len(self.after)}")
        return WORDS[self.kind]

    @property
    def text_before(self) -> str:
        """The text of the chunks before."""
        return "\n".join(chunk.text for chunk in self.before)

    @property
    def text_after(self) -> str:
        """The text of the chunks after."""
        return "\n".join(chunk.text for chunk in self.after)

    @property
    def is_of_text(self) -> bool:
        """Whether another text is found since."""
        return self.text_before.split() != self.text_after.split()


@dataclass(frozen=True, slots=True)
class ChunksEdited:
    """Chunks of a document were changed, or a change was undone: its lists are to be read anew."""

    edit: ChunkEdit

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """What stands there now."""
        return self.edit.before if self.edit.undone else self.edit.after
