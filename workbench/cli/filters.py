"""--filter and --kb -> what a search may look at."""

import argparse
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from workbench.model.filter import ChunkFilter
from workbench.model.filter_expression import Condition, Operator
from workbench.model.filter_keys import FILTER_KEYS, canonical_key
from workbench.retrieval.filters.forms import filter_of_json
from workbench.retrieval.filters.syntax import filter_of_text

if TYPE_CHECKING:  # “--help” waits for none of it
    from workbench.operations import Library

HELP = (
    "only what this holds for: “format:pdf year>=2020 tag:tax -draft (a OR b)”, also by your own metadata: “dept:hr”;"
    " or the same as JSON; may be repeated"
)
# The shell has taken its quotation marks away already: KEY=VALUE alone takes a value of several words as it is.
_PAIR = re.compile(r"(?P<key>[^\W\d]\w*)=(?P<value>[^\"“”()*,]+)")
_MORE = re.compile(r"\s(?:OR\b|-|[^\W\d]\w*\s*[:=<>!])")


def add_filter_option(parser: argparse.ArgumentParser) -> None:
    """Let a command take filters."""
    parser.add_argument("--filter", action="append", default=[], metavar="FILTER", help=HELP)


async def chosen_filter(library: "Library", options: argparse.Namespace) -> ChunkFilter:
    """Return what the options ask for of a library, by keys of the user's metadata too; see filter_of_options."""
    return filter_of_options(options, await library.on_store(library.documents.custom_keys) if options.filter else ())


def filter_of_options(options: argparse.Namespace, custom: Collection[str] = ()) -> ChunkFilter:
    """Return what the options ask for; several filters must all hold.

    Args:
        options: What was typed.
        custom: The keys of the user's metadata in the library.

    Raises:
        RetrievalError: One of them cannot be understood.
    """
    chosen = ChunkFilter(options.kb)
    for text in options.filter:
        chosen = chosen.restricted(*_filter(text, custom).where)
    return chosen


def _filter(text: str, custom: Collection[str]) -> ChunkFilter:
    if text.lstrip()[:1] in ("{", "["):
        return filter_of_json(text)
    pair = _PAIR.fullmatch(text)
    is_key = pair is not None and canonical_key(pair["key"]) in {*FILTER_KEYS, *custom}
    if pair is not None and is_key and not _MORE.search(pair["value"]):
        return ChunkFilter(where=(Condition(pair["key"], Operator.EQ, (pair["value"],)),))
    return filter_of_text(text, custom=custom)
