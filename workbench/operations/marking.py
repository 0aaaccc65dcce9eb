"""Passages of answers marked as right or wrong: golden questions as they come up."""

import dataclasses

from workbench.errors import EvaluationError, NotFound
from workbench.model.evaluation import MARKS, GoldenQuestion, Judgement, Mark
from workbench.model.hit import Citation, Hit
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation

Passage = int | Hit | Citation
"""A chunk's id, or what a kept answer has of it."""


def mark_passage(
    library: Library,
    question: str,
    passage: Passage,
    right: bool,
    *,
    knowledge_base: str = "",
    filter: str = "",
    set: str = MARKS,
) -> Operation[Mark]:
    """Mark a passage as right or wrong to find for a question, in the place of a mark that it has.

    Args:
        library: The open library.
        question: As it was asked.
        passage: What is judged.
        right: Whether it answers the question.
        knowledge_base: The only one that was searched; empty for all.
        filter: What else the search was restricted to, as text.
        set: The set that holds the mark.

    Raises:
        NotFound: There is no such chunk (any more).
        EvaluationError: The question is empty, or the citation is of no source.
    """

    async def operation(_context: JobContext) -> Mark:
        asked = GoldenQuestion(question.strip(), knowledge_base=knowledge_base, filter=filter)
        if not asked.question:
            raise EvaluationError("A mark needs the question that it is about.")
        return await library.on_store(_marked, library, set, asked, passage, right)

    return operation


def unmark_passage(library: Library, mark: Mark) -> Operation[None]:
    """Undo mark_passage and remove_mark: what was known of the passage before is known again."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.golden.judge, mark.set, mark.question, mark.judgement, mark.before)

    return operation


def remove_mark(
    library: Library,
    question: str,
    passage: Passage,
    *,
    knowledge_base: str = "",
    filter: str = "",
    set: str = MARKS,
) -> Operation[Mark | None]:
    """Take a passage's mark away; None where it has none. unmark_passage of what this returns puts it back.

    Raises:
        NotFound: There is no such chunk (any more).
        EvaluationError: The citation is of no source.
    """

    async def operation(_context: JobContext) -> Mark | None:
        asked = GoldenQuestion(question.strip(), knowledge_base=knowledge_base, filter=filter)
        return await library.on_store(_unmarked, library, set, asked, passage)

    return operation


def marks_of(
    library: Library, question: str, *, knowledge_base: str = "", filter: str = "", set: str = MARKS
) -> Operation[tuple[Judgement, ...]]:
    """Return what was marked for a question, right and wrong; Judgement.is_at() tells which passage it was."""

    async def operation(_context: JobContext) -> tuple[Judgement, ...]:
        key = question.strip(), knowledge_base, filter
        found = await library.on_store(library.golden.find, set, key)
        return found.judgements if found else ()

    return operation


def _marked(library: Library, set: str, asked: GoldenQuestion, passage: Passage, right: bool) -> Mark:
    judgement = dataclasses.replace(_judgement(library, passage), right=right)
    before = _known(library, set, asked, judgement)
    return Mark(set, library.golden.judge(set, asked, judgement, judgement), judgement, before)


def _unmarked(library: Library, set: str, asked: GoldenQuestion, passage: Passage) -> Mark | None:
    before = _known(library, set, asked, _judgement(library, passage))
    return Mark(set, library.golden.judge(set, asked, before, None), before, before) if before else None


def _known(library: Library, set: str, asked: GoldenQuestion, judgement: Judgement) -> Judgement | None:
    kept = library.golden.find(set, asked.key)
    return next((one for one in kept.judgements if one.is_of_same(judgement)), None) if kept else None


def _judgement(library: Library, passage: Passage) -> Judgement:
    """Return a passage as it is found again after the document was cut anew, read anew, or added to another library."""
    match passage:
        case Citation() | Hit() if passage.is_outside:
            raise EvaluationError("Only passages of the library's documents can be marked.", "Mark one of those.")
        case Citation():
            if not passage.valid:
                raise EvaluationError("This citation is no source of the answer.", "Mark one that is.")
            return Judgement(
                document=passage.document_name,
                sha256=passage.sha256,
                page=passage.page,
                start=passage.start,
                end=passage.end,
                text=passage.quote,
            )
        case Hit():
            chunk, name, page = passage.chunk, passage.document_name, passage.page
            sha256 = _hash_of(library, chunk.document)
        case _:
            stored = library.documents.chunks_by_id([passage])
            if passage not in stored:
                raise NotFound("This passage is no longer in the library.", "Ask the question again.")
            chunk, document = stored[passage]
            name, page, sha256 = document.name, chunk.page, document.sha256
    return Judgement(document=name, sha256=sha256, page=page, start=chunk.start, end=chunk.end, text=chunk.slice)


def _hash_of(library: Library, document: int) -> str:
    try:
        return library.documents.get(document).sha256
    except NotFound:
        return ""  # a kept answer may speak of a document that is gone: its name and words are known
