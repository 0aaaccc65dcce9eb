"""Golden questions: list, import, export, edit, remove; and passages of answers marked as right or wrong."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import EvaluationError, NotFound
from workbench.evaluation import golden_files
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet, Judgement, Mark, QuestionsRead
from workbench.model.hit import Citation, Hit
from workbench.operations.library.library import Library
from workbench.operations.sessions.atomic_write import write_whole
from workbench.worker.job import JobContext, Operation

_LONGEST = 100


def golden_sets(library: Library) -> Operation[tuple[GoldenSet, ...]]:
    """Return the sets of golden questions: that of the marks, then the others by name."""

    async def operation(_context: JobContext) -> tuple[GoldenSet, ...]:
        return await library.on_store(library.golden.sets)

    return operation


def golden_questions(library: Library, set: str = MARKS) -> Operation[tuple[GoldenQuestion, ...]]:
    """Return the questions of a set in the order they came.

    Raises:
        NotFound: There is no such set.
    """

    async def operation(_context: JobContext) -> tuple[GoldenQuestion, ...]:
        return await library.on_store(library.golden.questions, set)

    return operation


def read_questions(library: Library, path: Path, *, set: str = "") -> Operation[QuestionsRead]:
    """Read a file of golden questions into a set, in the place of what it held; marks are added to.

    Args:
        library: The open library.
        path: A file of JSON lines.
        set: The set's name; the file's own if empty.

    Raises:
        MissingFile: There is no such file.
        UnreadableFile: It cannot be read.
        EvaluationError: Not one line of it is a golden question, or the set cannot have that name.
    """

    async def operation(_context: JobContext) -> QuestionsRead:
        name = _checked(set or path.stem)
        return await library.on_store(_read, library, path, name)

    return operation


def _read(library: Library, path: Path, set: str) -> QuestionsRead:
    questions, bad = golden_files.read_questions(path)
    before = library.golden.replace(set, _joined(library, questions) if set == MARKS else questions)
    return QuestionsRead(set, len(questions), bad, before)


def _joined(library: Library, questions: Sequence[GoldenQuestion]) -> Sequence[GoldenQuestion]:
    """Return what was marked already with these; nobody's marks go because a file was read."""
    joined = {question.key: question for question in library.golden.questions(MARKS)}
    for question in questions:
        known = joined.get(question.key)
        judgements = (*known.judgements, *question.judgements) if known else question.judgements
        joined[question.key] = GoldenQuestion(
            question.question, tuple(dict.fromkeys(judgements)), question.knowledge_base, question.filter
        )
    return tuple(joined.values())


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST:
        raise EvaluationError("A set of golden questions needs a short name.", "Give one, for example “contracts”.")
    return name


def write_questions(library: Library, set: str, path: Path) -> Operation[Path]:
    """Write a set as JSON lines, which read_questions reads again, and return the file's path.

    Raises:
        NotFound: There is no such set.
        EvaluationError: It is empty.
        ExportError: The file cannot be written.
    """

    async def operation(_context: JobContext) -> Path:
        questions = await library.on_store(library.golden.questions, set)
        if not questions:
            raise nothing_marked()
        await library.on_store(write_whole, path, golden_files.questions_as_lines(questions), library.unfinished)
        return path

    return operation


def put_questions(library: Library, set: str, questions: Sequence[GoldenQuestion]) -> Operation[None]:
    """Let a set hold just these questions; the undo of read_questions and of remove_set.

    Raises:
        EvaluationError: The set cannot have that name.
    """

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.golden.replace, _checked(set), questions)

    return operation


def remove_set(library: Library, set: str) -> Operation[tuple[GoldenQuestion, ...]]:
    """Remove a set; returns what it held. Its runs stay.

    Raises:
        NotFound: There is no such set.
    """

    async def operation(_context: JobContext) -> tuple[GoldenQuestion, ...]:
        await library.on_store(library.golden.questions, set)
        return await library.on_store(library.golden.replace, set, ())

    return operation


def put_question(library: Library, set: str, question: GoldenQuestion) -> Operation[GoldenQuestion]:
    """Add a question to a set, or put it in the place of the one with the same words, knowledge base and filter.

    Raises:
        EvaluationError: It is empty, or nothing is judged of it; or the set cannot have that name.
    """

    async def operation(_context: JobContext) -> GoldenQuestion:
        if not question.question.strip() or not question.judgements:
            raise EvaluationError(
                "A golden question needs words and something to find.", "Mark a passage of an answer."
            )
        return await library.on_store(library.golden.put, _checked(set), question)

    return operation


def remove_question(library: Library, set: str, question: GoldenQuestion) -> Operation[GoldenQuestion]:
    """Remove a question from a set; returns it as it was: put_question is the undo.

    Raises:
        NotFound: The set does not hold it.
    """

    async def operation(_context: JobContext) -> GoldenQuestion:
        return await library.on_store(library.golden.remove, set, question)

    return operation


def nothing_marked() -> EvaluationError:
    """Return the error for a library without a single mark."""
    return EvaluationError(
        "Nothing has been marked as right or wrong yet.",
        "Mark passages below an answer, or read golden questions from a file: workbench eval --from FILE.jsonl",
    )


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
