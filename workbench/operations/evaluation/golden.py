"""Golden questions: list, import, export, edit, remove; and mark passages of answers as right or wrong."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import EvaluationError, NotFound
from workbench.evaluation import golden_files
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet, Judgement, Mark, QuestionsRead
from workbench.model.hit import Citation, Hit
from workbench.operations.library.library import Library
from workbench.operations.sessions.atomic_write import write_atomically
from workbench.worker.job import JobContext, Operation

_LONGEST = 100


def golden_sets(library: Library) -> Operation[tuple[GoldenSet, ...]]:
    """Return the sets of golden questions: the set of marks first, then the others by name."""

    async def operation(_context: JobContext) -> tuple[GoldenSet, ...]:
        return await library.on_store(library.golden.sets)

    return operation


def golden_questions(library: Library, set: str = MARKS) -> Operation[tuple[GoldenQuestion, ...]]:
    """Return the questions of a set in the order in which they were added.

    Raises:
        NotFound: No set has that name.
    """

    async def operation(_context: JobContext) -> tuple[GoldenQuestion, ...]:
        return await library.on_store(library.golden.questions, set)

    return operation


def read_questions(library: Library, path: Path, *, set: str = "") -> Operation[QuestionsRead]:
    """Replace the questions of a set by those of a file; the set of marks is extended instead.

    Args:
        library: The open library.
        path: A file of JSON lines.
        set: Name of the set; if empty, the file's name without its suffix.

    Raises:
        MissingFile: The file does not exist.
        UnreadableFile: The file cannot be read.
        EvaluationError: No line of the file is a golden question, or the name is not valid for a set.
    """

    async def operation(_context: JobContext) -> QuestionsRead:
        name = _valid_name(set or path.stem)
        return await library.on_store(_read, library, path, name)

    return operation


def _read(library: Library, path: Path, set: str) -> QuestionsRead:
    questions, bad = golden_files.read_questions(path)
    before = library.golden.replace(set, _joined(library, questions) if set == MARKS else questions)
    return QuestionsRead(set, len(questions), bad, before)


def _joined(library: Library, questions: Sequence[GoldenQuestion]) -> Sequence[GoldenQuestion]:
    """Return the existing marks merged with these questions, so that reading a file deletes no mark."""
    joined = {question.key: question for question in library.golden.questions(MARKS)}
    for question in questions:
        known = joined.get(question.key)
        judgements = (*known.judgements, *question.judgements) if known else question.judgements
        joined[question.key] = GoldenQuestion(
            question.question, tuple(dict.fromkeys(judgements)), question.knowledge_base, question.filter
        )
    return tuple(joined.values())


def _valid_name(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST:
        raise EvaluationError("A set of golden questions needs a short name.", "Enter a name, for example “contracts”.")
    return name


def write_questions(library: Library, set: str, path: Path) -> Operation[Path]:
    """Write a set as JSON lines for read_questions, and return the file's path.

    Raises:
        NotFound: No set has that name.
        EvaluationError: The set is empty.
        ExportError: The file cannot be written.
    """

    async def operation(_context: JobContext) -> Path:
        questions = await library.on_store(library.golden.questions, set)
        if not questions:
            raise nothing_marked()
        await library.on_store(write_atomically, path, golden_files.questions_as_lines(questions), library.unfinished)
        return path

    return operation


def put_questions(library: Library, set: str, questions: Sequence[GoldenQuestion]) -> Operation[None]:
    """Replace the questions of a set; the undo of read_questions and remove_set.

    Raises:
        EvaluationError: The name is not valid for a set.
    """

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.golden.replace, _valid_name(set), questions)

    return operation


def remove_set(library: Library, set: str) -> Operation[tuple[GoldenQuestion, ...]]:
    """Delete a set and return its questions. Its runs stay stored.

    Raises:
        NotFound: No set has that name.
    """

    async def operation(_context: JobContext) -> tuple[GoldenQuestion, ...]:
        await library.on_store(library.golden.questions, set)
        return await library.on_store(library.golden.replace, set, ())

    return operation


def put_question(library: Library, set: str, question: GoldenQuestion) -> Operation[GoldenQuestion]:
    """Add a question to a set, replacing one with the same words, knowledge base and filter.

    Raises:
        EvaluationError: The question is empty or has no judgements, or the name is not valid for a set.
    """

    async def operation(_context: JobContext) -> GoldenQuestion:
        if not question.question.strip() or not question.judgements:
            raise EvaluationError(
                "A golden question needs words and something to find.", "Mark a passage of an answer."
            )
        return await library.on_store(library.golden.put, _valid_name(set), question)

    return operation


def remove_question(library: Library, set: str, question: GoldenQuestion) -> Operation[GoldenQuestion]:
    """Remove a question from a set and return it; put_question is the undo.

    Raises:
        NotFound: The set does not contain the question.
    """

    async def operation(_context: JobContext) -> GoldenQuestion:
        return await library.on_store(library.golden.remove, set, question)

    return operation


def nothing_marked() -> EvaluationError:
    """Return the error for a set without questions."""
    return EvaluationError(
        "Nothing has been marked as right or wrong yet.",
        "Mark passages below an answer, or read golden questions from a file: workbench eval --from FILE.jsonl",
    )


Passage = int | Hit | Citation
"""Id of a chunk, or the hit or citation of it in a stored answer."""


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
    """Mark a passage as a right or wrong hit for a question, replacing an earlier mark of the passage.

    Args:
        library: The open library.
        question: The question as the user asked it.
        passage: The passage to mark.
        right: Whether it answers the question.
        knowledge_base: The only one that was searched; empty for all.
        filter: Text form of the filter of the search.
        set: The set that contains the mark.

    Raises:
        NotFound: The chunk does not exist, or not any more.
        EvaluationError: The question is empty, the citation is not valid, or the passage is from outside the library.
    """

    async def operation(_context: JobContext) -> Mark:
        asked = GoldenQuestion(question.strip(), knowledge_base=knowledge_base, filter=filter)
        if not asked.question:
            raise EvaluationError("A mark must name its question.")
        return await library.on_store(_mark, library, set, asked, passage, right)

    return operation


def unmark_passage(library: Library, mark: Mark) -> Operation[None]:
    """Undo mark_passage or remove_mark: restore the judgement that the passage had before."""

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
    """Remove the mark of a passage and return it for unmark_passage, the undo; return None if there was none.

    Raises:
        NotFound: The chunk does not exist, or not any more.
        EvaluationError: The citation is not valid, or the passage is from outside the library.
    """

    async def operation(_context: JobContext) -> Mark | None:
        asked = GoldenQuestion(question.strip(), knowledge_base=knowledge_base, filter=filter)
        return await library.on_store(_remove_mark, library, set, asked, passage)

    return operation


def marks_of(
    library: Library, question: str, *, knowledge_base: str = "", filter: str = "", set: str = MARKS
) -> Operation[tuple[Judgement, ...]]:
    """Return the judgements of a question, right and wrong; Judgement.is_at() compares one with a passage."""

    async def operation(_context: JobContext) -> tuple[Judgement, ...]:
        key = question.strip(), knowledge_base, filter
        found = await library.on_store(library.golden.find, set, key)
        return found.judgements if found else ()

    return operation


def _mark(library: Library, set: str, asked: GoldenQuestion, passage: Passage, right: bool) -> Mark:
    judgement = dataclasses.replace(_judgement(library, passage), right=right)
    before = _known(library, set, asked, judgement)
    return Mark(set, library.golden.judge(set, asked, judgement, judgement), judgement, before)


def _remove_mark(library: Library, set: str, asked: GoldenQuestion, passage: Passage) -> Mark | None:
    before = _known(library, set, asked, _judgement(library, passage))
    return Mark(set, library.golden.judge(set, asked, before, None), before, before) if before else None


def _known(library: Library, set: str, asked: GoldenQuestion, judgement: Judgement) -> Judgement | None:
    kept = library.golden.find(set, asked.key)
    return next((one for one in kept.judgements if one.is_of_same(judgement)), None) if kept else None


def _judgement(library: Library, passage: Passage) -> Judgement:
    """Return a judgement that identifies a passage even after its document was chunked or parsed again, or moved.

    Raises:
        NotFound: The chunk does not exist, or not any more.
        EvaluationError: The citation is not valid, or the passage is from outside the library.
    """
    match passage:
        case Citation() | Hit() if passage.is_outside:
            raise EvaluationError(
                "Only passages of the library's documents can be marked.",
                "Mark a passage of a document in the library.",
            )
        case Citation():
            if not passage.valid:
                raise EvaluationError(
                    "This citation is not a source of the answer.", "Mark a citation that is a source of the answer."
                )
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
        return ""  # a stored answer may cite a deleted document, identified by its name and text alone
