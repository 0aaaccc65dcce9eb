"""Golden questions: listed, read from files and written to them, put and removed; every change can be undone."""

from collections.abc import Sequence
from pathlib import Path

from workbench.errors import EvaluationError
from workbench.evaluation import golden_files
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet, QuestionsRead
from workbench.operations.library import Library
from workbench.operations.whole_file import write_whole
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
