"""The columns of the table of requests: what each says, how wide it is, and which are left out first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from workbench.language import mark
from workbench.model.egress import NetworkRequest
from workbench.ui.network import wording


class Column(IntEnum):
    """The columns, from left to right."""

    TIME = 0
    PURPOSE = 1
    HOST = 2
    SENT = 3
    RECEIVED = 4
    OUTCOME = 5
    DURATION = 6
    PASSAGES = 7


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """How a column is headed, and what it says of a request.

    Attributes:
        title: Its heading, to be translated.
        longest: About the longest that it says, in letters of the usual width: what its own width is made of.
        is_number: Its texts stand at the right.
    """

    title: str
    text: Callable[[NetworkRequest], str]
    longest: int
    is_number: bool = False


KINDS: dict[Column, ColumnKind] = {
    Column.TIME: ColumnKind(mark("Time"), wording.moment_words, 11),
    Column.PURPOSE: ColumnKind(mark("What for"), wording.purpose_words, 17),
    Column.HOST: ColumnKind(mark("Where to"), wording.host_words, 17),
    Column.SENT: ColumnKind(mark("Sent"), wording.sent_words, 8, is_number=True),
    Column.RECEIVED: ColumnKind(mark("Received"), wording.received_words, 8, is_number=True),
    Column.OUTCOME: ColumnKind(mark("Outcome"), wording.outcome_words, 17),
    Column.DURATION: ColumnKind(mark("Took"), wording.duration_words, 6, is_number=True),
    Column.PASSAGES: ColumnKind(mark("Went with it"), wording.passages_words, 10),
}
LEFT_OUT = (Column.DURATION, Column.RECEIVED, Column.OUTCOME, Column.PURPOSE)
"""Which columns a narrow table goes without, the first of them first; icon and tool tip say the same."""
