"""Tour: the complete workflow on the sample documents, in the real window, with exports and a screenshot."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractButton

from workbench import operations
from workbench.app import application, build_window
from workbench.errors import WorkbenchError
from workbench.files.changes import temporary_folder
from workbench.language import counted
from workbench.model.hit import Citation
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.run import Run, RunStatus
from workbench.resources import resource
from workbench.ui.app_controller import AppController
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.garbage_collector import GarbageCollector
from workbench.worker.job import Operation

FORMATS = ("md", "html", "json")
SIZE = (1440, 900)
PATIENCE = 120.0
"""Time limit of a step in seconds; the first one may export the embedding model, about 10 s."""


class Tour:
    """Driver that operates the window like a user and reports the results to `say`."""

    def __init__(self, out: Path, say: Callable[[str], None], show: Callable[[Run], None]) -> None:
        self._out = out
        self._say = say
        self._show = show
        self._problems: list[str] = []

    def run(self) -> list[str]:
        """Run the tour and return the problems found; empty on success.

        Raises:
            WorkbenchError: A step failed or took too long.
        """
        self._out.mkdir(parents=True, exist_ok=True)
        application()
        collector = GarbageCollector()
        collector.start()
        with temporary_folder("workbench-tour-") as place:
            shell = build_window(place / "library", appearance="light")
            try:
                self._walk(shell)
            finally:
                shell.shut_down()
                collector.stop()
        return self._problems

    def _walk(self, shell: AppController) -> None:
        shell.window.resize(*SIZE)
        shell.window.arrange()
        shell.window.show()
        self._wait(lambda: shell.library is not None, "the library to open")
        self._add_samples(shell)
        questions = [json.loads(line) for line in resource("sample_questions.jsonl").read_text("utf-8").splitlines()]
        runs = [self._ask(shell, question) for question in questions]
        cited = next((c for run in runs for c in run.citations if c.valid and c.page is not None), None)
        for format in FORMATS:
            path = self._do(
                shell, operations.export_session(_library(shell), runs[0].session, format, self._out / f"tour.{format}")
            )
            self._say(f"Exported: {path}")
        if cited is None:
            self._problems.append("No answer cited a page.")
        self._take_screenshot(shell, runs[0], cited)

    def _add_samples(self, shell: AppController) -> None:
        started = time.perf_counter()
        samples = sorted(resource("sample").iterdir())
        files: list[FileFinished] = self._do(shell, operations.add_documents(_library(shell), samples))
        for file in files:
            pages = f"{counted(file.pages, 'page')}, " if file.pages else ""
            size = f"{pages}{counted(file.chunks, 'chunk')}"
            self._say(f"{file.outcome.value:<8} {Path(file.path).name}: {file.reason or size}")
            if file.outcome is not FileOutcome.READY:
                self._problems.append(f"{Path(file.path).name} was not added: {file.reason}")
        self._say(f"{len(files)} documents in {time.perf_counter() - started:.1f} s\n")

    def _ask(self, shell: AppController, expected: dict[str, Any]) -> Run:
        finished_runs: list[Run] = []
        shell.chat.run_selected.connect(finished_runs.append)
        shell.chat.ask(expected["question"])
        self._wait(lambda: bool(finished_runs), "the answer")
        shell.chat.run_selected.disconnect(finished_runs.append)
        run = finished_runs[0]
        self._show(run)
        self._check(run, expected)
        return run

    def _check(self, run: Run, expected: dict[str, Any]) -> None:
        if run.status is not RunStatus.COMPLETED:
            self._problems.append(f"“{run.question}” ended as {run.status.value}: {run.error}")
        elif expected["refused"] != run.refused:
            self._problems.append(f"“{run.question}” should {'not ' * (not expected['refused'])}have been refused.")
        elif expected["phrase"] and not any(_agrees(citation, expected) for citation in run.citations):
            self._problems.append(f"“{run.question}” does not cite “{expected['phrase']}”.")

    def _take_screenshot(self, shell: AppController, run: Run, cited: Citation | None) -> None:
        """Save a picture of the window with the first answer, its steps expanded and its passage highlighted."""
        shell.chat.open_session(None)
        session = self._do(shell, operations.open_session(_library(shell), run.session))
        shell.chat.open_session(type(session)(session.info, session.runs[:1]))
        if cited is not None:
            shell.inspector.show_run(run)
            shell.chat.citation_activated.emit(cited)
            self._wait(lambda: shell.inspector.passage_view.page_view.page == cited.page, "the cited page")
        for panel in shell.chat.findChildren(StepsPanel):
            header = panel.findChild(QAbstractButton)
            if panel.folded and isinstance(header, QAbstractButton):
                header.click()
        self._pause(0.4)
        picture = self._out / "window.png"
        if not shell.window.grab().save(str(picture)):
            raise WorkbenchError(f"The picture {picture} could not be written.", "Check the folder's permissions.")
        self._say(f"Picture:  {picture}")

    def _do(self, shell: AppController, operation: Operation[Any]) -> Any:
        """Run an operation through the window's bridge while the event loop runs, and return its value."""
        values: list[Any] = []
        errors: list[BaseException] = []
        shell.bridge.submit(operation, done=values.append, failed=lambda error, _details: errors.append(error))
        self._wait(lambda: bool(values or errors), "an operation")
        if errors:
            raise errors[0]
        return values[0]

    def _wait(self, happened: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > deadline:
                raise WorkbenchError(f"The tour waited {PATIENCE:.0f} s for {what}.", "Run: workbench doctor")
            self._pause(0.01)

    def _pause(self, seconds: float) -> None:
        loop = QEventLoop()
        QTimer.singleShot(int(1000 * seconds), loop.quit)
        loop.exec()


def _agrees(citation: Citation, expected: dict[str, Any]) -> bool:
    same_place = (citation.document_name, citation.page) == (expected["document"], expected["page"])
    return citation.valid and same_place and expected["phrase"] in " ".join(citation.quote.split())


def _library(shell: AppController) -> operations.Library:
    if shell.library is None:
        raise WorkbenchError("The library did not open.", "Run: workbench doctor")
    return shell.library
