"""Presenter of exhaustive reading: start, stop, resume and list, and the estimate of a reading before it starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.errors import WorkbenchError
from workbench.export.exhaustive_report import coverage_words
from workbench.language import mark, tr, translate, trn
from workbench.model.exhaustive import (
    DocumentRead,
    DocumentReading,
    DocumentVerdict,
    PaceSource,
    Price,
    Reading,
    ReadingBegan,
    ReadingEstimate,
    ReadingInfo,
    ReadingProgress,
    ReadingStatus,
)
from workbench.model.filter import ChunkFilter
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.run_presenter import sentences
from workbench.ui.library.document_wording import join_with_commas

if TYPE_CHECKING:
    from workbench.model.exhaustive import ReadingOffer
    from workbench.model.profile import ModelProfile
    from workbench.operations import Library
    from workbench.settings import Settings
    from workbench.worker.job import JobHandle

VERDICTS = {
    DocumentVerdict.YES: (mark("Yes"), "check-circle", "ok"),
    DocumentVerdict.NO: (mark("No"), "cross-circle", "danger"),
    DocumentVerdict.NOT_SAID: (mark("Not said"), "minus-circle", "text_muted"),
    DocumentVerdict.UNREADABLE: (mark("Unreadable"), "alert", "warn"),
    DocumentVerdict.UNFINISHED: (mark("Not yet"), "clock", "text_muted"),
}
"""Word, icon and colour name of each verdict: the colour is never the only sign."""

_END = re.compile(r"(?<=[.!?…]) ")
_LONGEST_NAME = 60


def verdict_of(verdict: DocumentVerdict, *, offline: bool) -> tuple[str, str, str]:
    """Return the word, icon and colour of a verdict; an offline reading finds something or nothing."""
    word, icon, colour = VERDICTS[verdict]
    if offline and verdict is DocumentVerdict.YES:
        return tr("Found", "verdict"), icon, colour
    if offline and verdict is DocumentVerdict.NOT_SAID:
        return tr("Not found", "verdict"), icon, colour
    return tr(word), icon, colour


def remarks(row: DocumentReading) -> str:
    """Return further remarks on a row."""
    parts = [tr("passages differ")] if row.differs else []
    parts += [tr("{n:,} unreadable", n=row.unreadable)] if row.unreadable else []
    parts += [tr("{read:,} of {n:,} read", read=row.read, n=row.passages)] if row.read < row.passages else []
    return join_with_commas(parts)


def time_words(seconds: float) -> str:
    """Return an approximate duration."""
    if seconds < 90:
        return trn("{n:,} second", "{n:,} seconds", max(1, round(seconds)))
    if seconds < 5400:
        return trn("{n:,} minute", "{n:,} minutes", round(seconds / 60))
    return tr("{n:.1f} hours", n=seconds / 3600)


def estimate_lines(one: ReadingEstimate) -> list[str]:
    """Return the lines that describe an estimate."""
    passages = trn("{n:,} passage", "{n:,} passages", one.passages)
    documents = trn("{n:,} document", "{n:,} documents", one.documents)
    lines = [tr("{passages} of {documents}, every one of them", passages=passages, documents=documents)]
    if one.calls:
        lines.append(
            trn(
                "{n:,} call of the model and the conclusion, about {read:,} tokens read and {written:,} written",
                "{n:,} calls of the model and the conclusion, about {read:,} tokens read and {written:,} written",
                one.calls,
                read=one.input_tokens,
                written=one.output_tokens,
            )
        )
    lines.append(_time_line(one))
    if one.cost is not None:
        lines.append(tr("Cost: about {cost:,.2f}, by your price", cost=one.cost))
    return lines


def _time_line(one: ReadingEstimate) -> str:
    if one.seconds is None:
        return tr("Time: unknown until this model has answered once")
    time = time_words(one.seconds)
    if one.pace is PaceSource.ASSUMED:
        return tr("Time: about {time}, assumed; nothing was measured here yet", time=time)
    return tr("Time: about {time}, by {pace}", time=time, pace=tr(one.pace.value))


def estimate_words(one: ReadingEstimate) -> str:
    """Return a short description of an estimate: how much is read, and how long that takes."""
    parts = [trn("{n:,} passage", "{n:,} passages", one.passages)]
    parts += [trn("{n:,} call", "{n:,} calls", one.calls)] if one.calls else []
    parts += [tr("about {time}", time=time_words(one.seconds))] if one.seconds is not None else []
    return join_with_commas(parts)


def what_leaves(one: ReadingEstimate) -> str:
    """Return a sentence on what would leave this machine."""
    if not one.host:
        return tr("Nothing leaves this computer.")
    return trn(
        "{n:,} passage and the question would be sent to {host}.",
        "{n:,} passages and the question would be sent to {host}.",
        one.passages,
        host=one.host,
    )


def progress_line(event: ReadingProgress) -> str:
    """Return a line on the progress of a reading."""
    read = coverage_words(event.meter)
    if event.concluding:
        return tr("{read}. Writing the conclusion…", read=read)
    if event.seconds_left is None:
        return read
    return tr("{read} · about {time} left", read=read, time=time_words(event.seconds_left))


def status_line(info: ReadingInfo, *, running: bool) -> str:
    """Return a line on the state of a reading."""
    spent = [tr("{n:,.0f} s", n=info.seconds)] if info.seconds else []
    spent += [trn("{n:,} call", "{n:,} calls", info.calls)] if info.calls else []
    spent += [tr("cost {cost:,.2f}", cost=info.cost)] if info.cost is not None else []
    if info.thrown_out:
        spent.append(
            trn(
                "{n:,} quote discarded: not in the passage",
                "{n:,} quotes discarded: not in the passage",
                info.thrown_out,
            )
        )
    return " · ".join([coverage_words(info.meter), *([] if running else spent)])


def ended_line(info: ReadingInfo) -> str:
    """Return the result of a reading that has ended, or the reason why it is paused."""
    if info.is_complete:
        return tr("“{name}”: {read}.", name=info.name, read=coverage_words(info.meter))
    return translate(info.reason)


def problem_of(error: WorkbenchError) -> str:
    """Return the message and the hint of an error."""
    return sentences(translate(error.message), translate(error.hint))


def pause_reason(info: ReadingInfo) -> str:
    """Return the reason why a reading is paused, with a hint; empty if it is not paused."""
    if info.status is not ReadingStatus.PAUSED:
        return ""
    # A hint may consist of two sentences, the model's and the program's.
    return sentences(translate(info.reason), *map(translate, _END.split(info.hint))) or tr(
        "This reading has not started yet."
    )


def scope_line(info: ReadingInfo) -> str:
    """Return the reader of a reading and its restrictions."""
    base = info.knowledge_base
    within = [tr("only in “{knowledge_base}”", knowledge_base=base)] if base else []
    within += [tr("only {filter}", filter=info.filter)] if info.filter else []
    return " · ".join([translate(info.mode) or info.profile, *within])


def list_line(info: ReadingInfo) -> str:
    """Return the entry of a reading in the list."""
    name = info.name if len(info.name) <= _LONGEST_NAME else f"{info.name[:_LONGEST_NAME]}…"
    if info.is_complete:
        return name
    running = info.status is ReadingStatus.RUNNING
    return tr("{name} (under way)", name=name) if running else tr("{name} (not finished)", name=name)


def summary_line(reading: Reading) -> str:
    """Return the number of documents with each verdict."""
    offline = reading.info.is_offline
    counts = [(verdict_of(one, offline=offline)[0].lower(), reading.count(one)) for one in DocumentVerdict]
    return join_with_commas(tr("{n:,} {verdict}", n=number, verdict=word) for word, number in counts if number)


class ExhaustivePresenter(QObject):
    """Presenter of the readings and of the one on show; one is read at a time.

    Attributes:
        readings: The existing readings, newest first.
        current: The identifier of the reading on show; None for the form of a new one.
        running: The identifier of the reading in progress.
        preparing: The estimator of a new reading.

    Signals:
        listed: The readings changed.
        shown: A Reading; or None for the form.
        progressed: A ReadingProgress of the reading on show.
        row_changed: A DocumentReading of the reading on show.
        notified: A message, and whether it can be undone.
        failed: An error and its details.
    """

    listed = Signal()
    shown = Signal(object)
    progressed = Signal(object)
    row_changed = Signal(object)
    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._job: JobHandle[Any] | None = None
        self._removed: int | None = None
        self.readings: list[ReadingInfo] = []
        self.current: int | None = None
        self.running: int | None = None
        self.preparing = ReadingEstimator(bridge, self)
        self.preparing.failed.connect(self.failed)

    @property
    def is_open(self) -> bool:
        """True if a library is open."""
        return self._library is not None

    @property
    def busy(self) -> bool:
        """True while a reading is running or about to start."""
        return self._job is not None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None; a reading in the old one stops with it."""
        self._library = library
        self.preparing.set_library(library)
        self._job = self._removed = self.current = self.running = None
        self.readings = []
        self.listed.emit()
        self.shown.emit(None)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the readings, the profiles and the filter values again."""
        if self._library is not None:
            self._ask(operations.list_readings(self._library), self._on_listed)
        self.preparing.refresh()

    def choose(self, reading: int | None) -> None:
        """Show a reading, or the form of a new one."""
        self.current = reading
        if reading is None:
            self.shown.emit(None)
        elif self._library is not None:
            self._ask(operations.open_reading(self._library, reading), self._on_opened)

    def start(self, question: str, chosen: ChunkFilter, profile: str, price: Price | None) -> None:
        """Start a new reading."""
        if self._library is not None:
            self._read(
                operations.read_all(
                    self._library,
                    question,
                    knowledge_base=self.preparing.knowledge_base,
                    filter=chosen,
                    profile=profile,
                    price=price,
                )
            )

    def read(self, offer: ReadingOffer) -> None:
        """Start a reading that was offered for an answer."""
        if self._library is not None:
            reading = operations.read_all(self._library, offer.question, filter=offer.filter, profile=offer.profile)
            self._read(reading)

    def go_on(self, *, again: bool = False) -> None:
        """Continue the reading on show."""
        if self._library is not None and self.current is not None:
            self._read(operations.continue_reading(self._library, self.current, again=again))

    @Slot()
    def stop(self) -> None:
        """Stop the reading; what was read is kept."""
        if self._job is not None:
            self._job.cancel()

    def rename(self, name: str) -> None:
        """Rename the reading on show."""
        if self._library is not None and self.current is not None:
            self._ask(operations.rename_reading(self._library, self.current, name), self._on_changed)

    def remove(self) -> None:
        """Delete the reading on show; `undo` restores it."""
        if self._library is not None and self.current is not None:
            self._removed = self.current
            self._ask(operations.remove_reading(self._library, self.current), self._on_removed)

    @Slot()
    def undo(self) -> None:
        """Restore the reading that was deleted last."""
        if self._library is not None and self._removed is not None:
            number, self._removed = self._removed, None
            self._ask(operations.restore_reading(self._library, number), self._on_changed)
            self.choose(number)

    def export(self, path: Path) -> None:
        """Write the reading on show to a file, in the format of its suffix."""
        if self._library is not None and self.current is not None:
            format = path.suffix.lstrip(".").lower()
            self._ask(operations.export_reading(self._library, self.current, format, path), self._on_exported)

    def _read(self, operation: Any) -> None:
        if self._job is None:
            self._job = self._bridge.submit(
                operation,
                done=self._on_read,
                event=self._on_event,
                failed=self._on_read_failed,
                cancelled=self._finish,
            )

    def _ask(self, operation: Any, done: Any) -> None:
        self._bridge.submit(operation, done=done, failed=self.failed.emit)

    def _on_event(self, event: object) -> None:
        match event:
            case ReadingBegan(info, notes):
                self.running = self.current = info.id
                self.shown.emit(Reading(info, (), notes=notes))
                self._on_changed()
            case ReadingProgress() if event.reading == self.current:
                self.progressed.emit(event)
            case DocumentRead(reading, row) if reading == self.current:
                self.row_changed.emit(row)

    def _on_read(self, reading: Reading) -> None:
        self._job = self.running = None
        if self.current == reading.info.id:
            self.shown.emit(reading)
        else:
            self.choose(self.current)  # it had to wait for this one to end
        info = reading.info
        self.notified.emit(ended_line(info), False)
        self._on_changed()

    def _on_read_failed(self, error: BaseException, details: str) -> None:
        self._finish()
        if isinstance(error, WorkbenchError) and self.current is None:
            self.preparing.not_estimated.emit(problem_of(error))
        else:
            self.failed.emit(error, details)

    def _finish(self) -> None:
        self._job = self.running = None
        self.choose(self.current)
        self._on_changed()

    def _on_opened(self, reading: Reading) -> None:
        if reading.info.id == self.current:
            self.shown.emit(reading)

    def _on_listed(self, readings: list[ReadingInfo]) -> None:
        self.readings = readings
        self.listed.emit()
        self.preparing.learn_prices(readings)

    def _on_changed(self, _value: object = None) -> None:
        if self._library is not None:
            self._ask(operations.list_readings(self._library), self._on_listed)

    def _on_removed(self, _value: object) -> None:
        self.choose(None)
        self._on_changed()
        self.notified.emit(tr("The reading was deleted."), True)

    def _on_exported(self, path: Path) -> None:
        self.notified.emit(tr("Written: {path}", path=path), False)


class ReadingEstimator(QObject):
    """Presenter of the form: profiles, filter values, and the estimate of a new reading.

    Attributes:
        knowledge_base: The only one that a new reading reads; None for all.

    Signals:
        profiles_listed: The model profiles, the name of the one in force, and the last price of each.
        estimated: A ReadingEstimate.
        not_estimated: The reason why nothing can be read; empty if it is reported elsewhere.
        filter_values_listed: The values that filters can use.
        filter_measured: A FilterExtent.
        failed: An error and its details.
    """

    profiles_listed = Signal(list, str, dict)
    estimated = Signal(object)
    not_estimated = Signal(str)
    filter_values_listed = Signal(object)
    filter_measured = Signal(object)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._estimating: JobHandle[Any] | None = None
        self._measuring: JobHandle[Any] | None = None
        self._profiles: list[ModelProfile] = []
        self._profile: str | None = None
        self._prices: dict[str, Price] = {}
        self.knowledge_base: str | None = None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self._library = library
        self._profile = None
        self._prices = {}

    @Slot()
    def refresh(self) -> None:
        """Load the profiles and the filter values again."""
        if self._library is not None:
            self._ask(operations.list_profiles(self._library), self._on_profiles)
        self.list_filter_values()

    @Slot()
    def list_filter_values(self) -> None:
        """Load the values that filters can use again."""
        if self._library is not None:
            self._ask(operations.filter_values(self._library), self.filter_values_listed.emit)

    def learn_prices(self, readings: Sequence[ReadingInfo]) -> None:
        """Store the last price of each profile, from the readings, newest first."""
        self._prices = {one.profile: one.price for one in reversed(readings) if one.price is not None}
        self._offer()

    def measure(self, chosen: ChunkFilter) -> None:
        """Request how many documents and passages pass a filter."""
        if self._measuring is not None:
            self._measuring.cancel()
        if self._library is not None and chosen.where:
            whole = ChunkFilter(self.knowledge_base, chosen.where)
            self._measuring = self._bridge.submit(
                operations.filter_extent(self._library, whole), done=self.filter_measured.emit, failed=self._on_unknown
            )

    def estimate(self, question: str, chosen: ChunkFilter, profile: str, price: Price | None) -> None:
        """Request the estimate of a reading."""
        if self._library is None:
            return
        if self._estimating is not None:
            self._estimating.cancel()
        estimating = operations.estimate_reading(
            self._library, question, knowledge_base=self.knowledge_base, filter=chosen, profile=profile, price=price
        )
        self._estimating = self._bridge.submit(
            estimating, done=self._on_estimated, failed=self._on_not_estimated, cancelled=_ignore
        )

    def _ask(self, operation: Any, done: Any) -> None:
        self._bridge.submit(operation, done=done, failed=self.failed.emit)

    def _on_profiles(self, profiles: list[ModelProfile]) -> None:
        self._profiles = profiles
        if self._library is not None:
            self._ask(operations.load_settings(self._library), self._on_settings)

    def _on_settings(self, settings: Settings) -> None:
        self._profile = settings.profile
        self._offer()

    def _offer(self) -> None:
        """Emit the profiles once the one in force is known."""
        if self._profile is not None:
            self.profiles_listed.emit(self._profiles, self._profile, self._prices)

    def _on_estimated(self, estimate: object) -> None:
        self._estimating = None
        self.estimated.emit(estimate)

    def _on_not_estimated(self, error: BaseException, details: str) -> None:
        self._estimating = None
        # Also for unexpected errors: the button has to be enabled again.
        self.not_estimated.emit(problem_of(error) if isinstance(error, WorkbenchError) else "")
        if not isinstance(error, WorkbenchError):
            self.failed.emit(error, details)

    def _on_unknown(self, error: BaseException, _details: str) -> None:
        if isinstance(error, WorkbenchError):
            self.not_estimated.emit(problem_of(error))


def _ignore() -> None:
    """Ignore the cancellation: another estimate was requested."""
