"""The words for readings of every passage; knows no widgets."""

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
from workbench.ui.library.wording import count

VERDICTS = {
    DocumentVerdict.YES: ("Yes", "check-circle", "ok"),
    DocumentVerdict.NO: ("No", "cross-circle", "danger"),
    DocumentVerdict.NOT_SAID: ("Not said", "minus-circle", "text_muted"),
    DocumentVerdict.UNREADABLE: ("Unreadable", "alert", "warn"),
    DocumentVerdict.UNFINISHED: ("Not yet", "clock", "text_muted"),
}
"""Each verdict's word, icon and the name of its colour: never told by the colour alone."""

_OFFLINE = {DocumentVerdict.YES: "Found", DocumentVerdict.NOT_SAID: "Not found"}
_LONGEST_NAME = 60


def verdict_of(verdict: DocumentVerdict, *, offline: bool) -> tuple[str, str, str]:
    """Return a verdict's word, icon and colour; the offline reader finds or finds not."""
    word, icon, colour = VERDICTS[verdict]
    return (_OFFLINE.get(verdict, word) if offline else word), icon, colour


def remarks(row: DocumentReading) -> str:
    """Return what else is to be known of a row."""
    told = ["passages differ"] if row.differs else []
    told += [f"{row.unreadable:,} unreadable"] if row.unreadable else []
    told += [f"{row.read:,} of {row.passages:,} read"] if row.read < row.passages else []
    return ", ".join(told)


def time_words(seconds: float) -> str:
    """Return about how long something takes."""
    if seconds < 90:
        return count(max(1, round(seconds)), "second")
    if seconds < 5400:
        return count(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"


def estimate_lines(one: ReadingEstimate) -> list[str]:
    """Return what a reading would take, a line each."""
    lines = [f"{count(one.passages, 'passage')} of {count(one.documents, 'document')}, every one of them"]
    if one.calls:
        tokens = f"about {one.input_tokens:,} tokens read and {one.output_tokens:,} written"
        lines.append(f"{count(one.calls, 'call')} of the model and the conclusion, {tokens}")
    if one.seconds is None:
        lines.append("Time: not known yet, this model has not answered so far")
    elif one.pace is PaceSource.ASSUMED:
        lines.append(f"Time: about {time_words(one.seconds)}, assumed; nothing was measured here yet")
    else:
        lines.append(f"Time: about {time_words(one.seconds)}, by {one.pace.value}")
    if one.cost is not None:
        lines.append(f"Cost: about {one.cost:,.2f}, by your price")
    return lines


def progress_line(event: ReadingProgress) -> str:
    """Return how far a reading is."""
    if event.concluding:
        return f"{event.meter.sentence}. Writing the conclusion…"
    left = "" if event.seconds_left is None else f" · about {time_words(event.seconds_left)} left"
    return f"{event.meter.sentence}{left}"


def status_line(info: ReadingInfo, *, running: bool) -> str:
    """Return how a reading stands, in a sentence."""
    spent = [f"{info.seconds:,.0f} s"] if info.seconds else []
    spent += [count(info.calls, "call")] if info.calls else []
    spent += [f"cost {info.cost:,.2f}"] if info.cost is not None else []
    if info.thrown_out:
        spent.append(f"{count(info.thrown_out, 'quote')} thrown out: not in the passage")
    return " · ".join([info.meter.sentence, *([] if running else spent)])


def why_paused(info: ReadingInfo) -> str:
    """Return why a reading stands still and what to do; empty where it does not."""
    if info.status is not ReadingStatus.PAUSED:
        return ""
    return f"{info.reason} {info.hint}".strip() or "This has not begun yet."


def scope_line(info: ReadingInfo) -> str:
    """Return what is read and by whom."""
    within = [f"only in “{info.knowledge_base}”"] if info.knowledge_base else []
    within += [f"only {info.filter}"] if info.filter else []
    return " · ".join([info.mode or info.profile, *within])


def list_line(info: ReadingInfo) -> str:
    """Return a reading as it is listed."""
    name = info.name if len(info.name) <= _LONGEST_NAME else f"{info.name[:_LONGEST_NAME]}…"
    if info.is_complete:
        return name
    return f"{name} ({'under way' if info.status is ReadingStatus.RUNNING else 'not finished'})"


def summary_line(reading: Reading) -> str:
    """Return how many documents have which verdict."""
    offline = reading.info.is_offline
    told = [(verdict_of(one, offline=offline)[0].lower(), reading.count(one)) for one in DocumentVerdict]
    return ", ".join(f"{number:,} {word}" for word, number in told if number)
