"""Wording of exhaustive readings; contains no widgets."""

import re

from workbench.errors import WorkbenchError
from workbench.export.exhaustive_report import coverage_words
from workbench.language import mark, tr, translate, trn
from workbench.model.exhaustive import (
    DocumentReading,
    DocumentVerdict,
    PaceSource,
    Reading,
    ReadingEstimate,
    ReadingInfo,
    ReadingProgress,
    ReadingStatus,
)
from workbench.ui.evaluation.run_presenter import sentences
from workbench.ui.library.document_wording import join_with_commas

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
        return tr("Time: not known yet, this model has not answered so far")
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
                "{n:,} quote thrown out: not in the passage",
                "{n:,} quotes thrown out: not in the passage",
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
    return sentences(translate(info.reason), *map(translate, _END.split(info.hint))) or tr("This has not begun yet.")


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
