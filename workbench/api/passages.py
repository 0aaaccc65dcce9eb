"""The passages of an open library: listed, with what stands around them, changed by hand. Part of AsyncLibrary."""

from workbench import operations
from workbench.api.arguments import DocumentRef, document_number
from workbench.api.sources import Texts
from workbench.api.waiting import Awaited
from workbench.model.chunk import Chunk
from workbench.model.chunk_edit import ChunkEdit
from workbench.model.options import known_options, texts_of
from workbench.model.stretch import Stretch
from workbench.worker.job import JobContext


@known_options
class AsyncPassages(Awaited):
    """The verbs of AsyncLibrary that are about passages."""

    async def chunks(self, document: DocumentRef) -> list[Chunk]:
        """Return the passages of a document in order; hit.chunk of a search is one of them, too.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.list_chunks(self._opened, number)(JobContext())

    async def neighbours(self, chunk: Chunk, *, before: int = 1, after: int = 1) -> Stretch:
        """Return a passage with so many before and after it, as they stand in the document.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.neighbours(self._opened, chunk, before=before, after=after)(JobContext())

    async def section(self, chunk: Chunk) -> Stretch:
        """Return the section in which a passage stands; of a very long one the part around the passage.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.section(self._opened, chunk)(JobContext())

    async def edit_chunk(self, chunk: int, text: str) -> ChunkEdit | None:
        """Give a passage another text; the file is not changed, and a citation shows what stands there.

        This and the next five return what was done, None where there was nothing to do. Passages of another text or
        other ends have new numbers, in its `after`; undo_chunk_edit takes it back.

        Raises:
            NotFound: There is no such passage.
            ChunkError: There is no text or too much, or the document is just being read.
        """
        return await operations.edit_chunk(self._opened, chunk, text)(JobContext())

    async def merge_chunks(self, chunk: int, *, other: int = 1) -> ChunkEdit | None:
        """Make one passage of a passage and those beside it: the next (1), the one before (-1), the next two (2)...

        Raises:
            NotFound: There is no such passage.
            ChunkError: There is none beside it.
        """
        return await operations.merge_chunks(self._opened, chunk, other=other)(JobContext())

    async def split_chunk(self, chunk: int, at: int) -> ChunkEdit | None:
        """Make two passages of one; at is the first character of the second, in the passage's text.

        Raises:
            NotFound: There is no such passage.
            ChunkError: One of them would be empty.
        """
        return await operations.split_chunk(self._opened, chunk, at)(JobContext())

    async def disable_chunk(self, chunk: int, *, disabled: bool = True) -> ChunkEdit | None:
        """Have a passage found by no search any more, or again."""
        return await operations.disable_chunk(self._opened, chunk, disabled=disabled)(JobContext())

    async def tag_chunk(self, chunk: int, tags: Texts) -> ChunkEdit | None:
        """Give a passage these tags in the place of its own; a filter asks for them by “passage_tag:”.

        Raises:
            MetadataError: A tag is blank or too long.
        """
        return await operations.tag_chunk(self._opened, chunk, texts_of("tags", tags))(JobContext())

    async def reset_chunk(self, chunk: int) -> ChunkEdit | None:
        """Give back what a passage was made of; what was merged or split together goes back together."""
        return await operations.reset_chunk(self._opened, chunk)(JobContext())

    async def undo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Undo an edit of a document, the last one that can be undone if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: A later edit was built upon it.
        """
        number = await document_number(self._opened, document)
        return await operations.undo_chunk_edit(self._opened, number, edit)(JobContext())

    async def redo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Do an edit again that was undone, the one undone last if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: What it changed is not there as it was.
        """
        number = await document_number(self._opened, document)
        return await operations.redo_chunk_edit(self._opened, number, edit)(JobContext())

    async def chunk_edits(self, document: DocumentRef) -> list[ChunkEdit]:
        """Return the edits of a document, oldest first: in force, undone, and not to be applied again."""
        number = await document_number(self._opened, document)
        return await operations.list_chunk_edits(self._opened, number)(JobContext())
