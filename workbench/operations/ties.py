"""Files of one import that wait for another of its files, because both hold the same."""

from workbench.operations.reading_task import ReadingTask


class Ties:
    """Who waits for which document."""

    def __init__(self) -> None:
        self._waits_for: dict[int, int] = {}
        self._waiting: dict[int, dict[int, ReadingTask]] = {}

    def is_circle(self, task: ReadingTask, other: int) -> bool:
        """Return whether the other document waits for this one already: two files that changed places."""
        number: int | None = other
        while number is not None and number != task.document.id:
            number = self._waits_for.get(number)
        return number is not None

    def tie(self, task: ReadingTask, other: int) -> None:
        """Let a file wait for a document."""
        self._waits_for[task.document.id] = other
        self._waiting.setdefault(other, {})[task.document.id] = task

    def drop(self, number: int) -> bool:
        """Let a file wait no longer; False when it did not."""
        other = self._waits_for.pop(number, None)
        if other is not None:
            del self._waiting[other][number]
        return other is not None

    def loose(self, number: int) -> list[ReadingTask]:
        """Return the files that waited for a document, which wait no longer."""
        tasks = list(self._waiting.pop(number, {}).values())
        for task in tasks:
            del self._waits_for[task.document.id]
        return tasks
