"""Requests, their sums and the air gap in words; makes no widgets."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from workbench.language import mark, said, tr, trn
from workbench.model.egress import (
    OUTCOMES,
    PURPOSES,
    AirGap,
    AirGapChoice,
    NetworkNeed,
    NetworkOutcome,
    NetworkRequest,
    NetworkTotals,
    NetworkUse,
)
from workbench.model.visible import visible_name
from workbench.ui.chat.run_wording import milliseconds
from workbench.ui.library.document_wording import join_with_commas, size_words
from workbench.ui.localisation import day_and_time, time_to_the_second

_UNSEEN = "–"
"""Stands for bytes that nobody can count: those of a program that we start, of a database's driver."""
_BAD_STATUS = 400
NOTHING_LEFT = mark("Nothing has left this machine")
NOTHING_LEFT_ABOUT = mark(
    "Whatever this program sends over the network stands here: when, where to, how much, and with which passages."
)


def purpose_words(request: NetworkRequest) -> str:
    """Return what a request is for."""
    return tr(PURPOSES[request.purpose])


def moment_words(request: NetworkRequest) -> str:
    """Return when it began: the time of today, else the day too."""
    today = datetime.now(UTC).astimezone().date()
    began = datetime.fromisoformat(request.at).astimezone()
    return time_to_the_second(began) if began.date() == today else day_and_time(began, year=began.year != today.year)


def host_words(request: NetworkRequest) -> str:
    """Return who was asked: a host, with its port where that tells servers of this machine apart; or a program."""
    if request.is_program:
        return visible_name(request.address)
    host = visible_name(request.host)
    return f"{host}:{request.port}" if request.is_here and request.port else host


def bytes_words(size: int | None) -> str:
    """Return a number of bytes in round words; a dash where it cannot be seen."""
    if size is None:
        return _UNSEEN
    return size_words(size) if size else "0"


def sent_words(request: NetworkRequest) -> str:
    """Return how much was sent; nothing for what was refused."""
    return "" if request.outcome is NetworkOutcome.REFUSED else bytes_words(request.sent)


def received_words(request: NetworkRequest) -> str:
    """Return how much came back."""
    return "" if request.outcome is NetworkOutcome.REFUSED else bytes_words(request.received)


def outcome_words(request: NetworkRequest) -> str:
    """Return what became of it; with the server's own number where that says that it failed."""
    words = tr(OUTCOMES[request.outcome])
    if request.status is not None and request.status >= _BAD_STATUS:
        return f"{words} ({request.status})"
    return words


def duration_words(request: NetworkRequest) -> str:
    """Return how long it took; nothing while it goes on."""
    return milliseconds(request.milliseconds) if request.milliseconds else ""


def passages_words(request: NetworkRequest) -> str:
    """Return how many passages went with it; nothing for none."""
    number = len(request.chunks)
    return trn("{n:,} passage", "{n:,} passages", number) if number else ""


def tool_tip(request: NetworkRequest) -> str:
    """Return all there is to know of it, a line each."""
    lines = [f"{purpose_words(request)} · {day_and_time(request.at)}", visible_name(request.address)]
    if request.outcome is not NetworkOutcome.REFUSED and request.sent is not None:
        sent, received = bytes_words(request.sent), bytes_words(request.received)
        lines.append(tr("Sent {sent}, received {received}", sent=sent, received=received))
    elif request.sent is None:
        lines.append(tr("What it sends and receives cannot be counted from here."))
    lines.append(
        join_with_commas([outcome_words(request), *filter(None, [duration_words(request), passages_words(request)])])
    )
    if request.via:
        lines.append(tr("Through the proxy {proxy}", proxy=request.via))
    return "\n".join(filter(None, [*lines, said(request.note)]))


def spoken(request: NetworkRequest) -> str:
    """Return what a screen reader says of a row."""
    where = tr("this machine") if request.is_here else host_words(request)
    sent = tr("{size} sent", size=sent_words(request)) if request.sent else ""
    parts = [moment_words(request), purpose_words(request), where, outcome_words(request), sent]
    return join_with_commas(filter(None, [*parts, passages_words(request)]))


def headline(totals: NetworkTotals) -> str:
    """Return in one line what has left the machine."""
    if not totals.outside:
        return tr(NOTHING_LEFT)
    return tr("{size} left this machine", size=size_words(totals.sent))


def totals_words(totals: NetworkTotals) -> str:
    """Return the sums below that line."""
    parts = []
    if totals.outside:
        requests = trn("{n:,} request", "{n:,} requests", totals.outside)
        passages = trn("{n:,} passage", "{n:,} passages", totals.chunks)
        with_passages = tr("{requests} with {passages}", requests=requests, passages=passages)
        parts += [with_passages if totals.chunks else requests]
        parts += [tr("{size} came back", size=bytes_words(totals.received))]
    here = totals.requests - totals.outside - totals.refused
    if here:
        parts.append(trn("{n:,} request stayed on it", "{n:,} requests stayed on it", here))
    if totals.refused:
        parts.append(tr("{n:,} refused", n=totals.refused))
    return " · ".join(parts)


def state_words(state: AirGap) -> str:
    """Return whether the air gap is on, in some words."""
    if state.is_shut:
        return tr("The air gap is on")
    return tr("The air gap is on, with exceptions") if state.is_on else tr("The air gap is off")


def switch_words(state: AirGap) -> tuple[str, str]:
    """Return what stands on the switch of the air gap, and what a screen reader says of it."""
    if not state.is_on:
        return tr("Switch on"), tr("Switch the air gap on")
    if state.exceptions:
        return tr("Allow nothing"), tr("Switch the air gap on without exceptions")
    if opens_by_exceptions(state):
        return opening_words(state), tr("Make exceptions of the air gap for what is set up")
    return tr("Switch off"), tr("Switch the air gap off")


def opens_by_exceptions(state: AirGap | None) -> bool:
    """Tell whether the next step that lets more leave is that to what was set up."""
    return state is not None and state.is_shut and bool(state.needs)


def opening_words(state: AirGap | None) -> str:
    """Return what stands on a button that lets more leave this machine."""
    return tr("Allow what is set up") if opens_by_exceptions(state) else tr("Switch the air gap off")


def why_words(state: AirGap) -> str:
    """Return why the air gap is on, or what may leave."""
    if not state.is_shut:
        return where_words(state)
    if state.choice is AirGapChoice.ON:
        return tr("You switched it on: nothing leaves this machine.")
    if not state.at_home:
        return _new_here_words(state.needs)
    return tr("On by itself: nothing that needs the network is set up.")


def where_words(state: AirGap) -> str:
    """Return what may go where while something may leave."""
    ways = _ways(state.needs)
    if state.is_on:
        return tr("May leave, and nothing else: {ways}.", ways=ways)
    if not ways:
        return tr("Pages of the web and models can be fetched when you ask for them; nothing else is set up to leave.")
    return tr("May leave now: {ways}, and what you ask for.", ways=ways)


def _new_here_words(needs: Iterable[NetworkNeed]) -> str:
    ways = _ways(needs)
    if not ways:
        return tr("This library is new here, and needs no network.")
    return tr("This library is new here. May leave once you allow it: {ways}.", ways=ways)


def _ways(needs: Iterable[NetworkNeed]) -> str:
    return join_with_commas(dict.fromkeys(map(_way, needs)))


def _way(need: NetworkNeed) -> str:
    match need.use:
        case NetworkUse.PROFILE:
            return tr("questions and found passages to {host}", host=need.host or need.name)
        case NetworkUse.RERANKING:
            return tr("passages to be ranked to {host}", host=need.host)
        case NetworkUse.VECTOR_STORE:
            return tr("vectors of passages and questions to {host}", host=need.host)
        case NetworkUse.WEB_SEARCH:
            return tr("what tools search for to {host}", host=need.host)
        case NetworkUse.TOOL_SERVER if need.program:
            return tr("whatever the program of the tool server “{name}” sends, unseen", name=need.name)
        case NetworkUse.TOOL_SERVER:
            return tr("what the tool server “{name}” is asked to {host}", name=need.name, host=need.host)
        case NetworkUse.TOOLS:
            return tr("what tools look up")


def switched_words(state: AirGap, under_way: int) -> str:
    """Return what a switch of the air gap means: for what is under way, or for what may leave now."""
    if not state.is_shut:
        return tr("{first} {second}", first=said(state.sentence), second=where_words(state))
    if not under_way:
        return said(state.sentence)
    still = trn(
        "{n:,} request that is under way still comes to its end; no other begins.",
        "{n:,} requests that are under way still come to their end; no other begins.",
        under_way,
    )
    return tr("{first} {second}", first=said(state.sentence), second=still)
