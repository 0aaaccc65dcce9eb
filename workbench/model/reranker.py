"""Kinds of rerankers that the settings, the search settings of a knowledge base and evaluations offer.

To add one: write it beside those of retrieval/reranking (base.py says what it gets and returns), list it here, build it
in operations/questions/reranking.py, and translate its texts with `make translations`. The contract in
tests/contracts/test_reranker_contract.py holds for it, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from workbench.language import mark


@dataclass(frozen=True, slots=True)
class RerankerKind:
    """Kind of reranker, with its texts for users.

    Attributes:
        name: Value of the setting “reranking”, which is also stored in search settings and evaluations.
        title: Name in the settings.
        short: Name in the forms and figures of an evaluation.
        effect: What it does and what leaves the computer; empty if that depends on an address.
    """

    name: str
    title: str
    short: str
    effect: str


_KINDS = (
    RerankerKind(
        "tokens",
        mark("Built in (word by word)"),
        mark("Word by word"),
        mark("Compares each word of the question with each word of the best passages. Nothing leaves this computer."),
    ),
    RerankerKind(
        "letters",
        mark("Built in (by spelling)"),
        mark("By spelling"),
        mark("Passages with the question's words close together move up. Nothing leaves this computer."),
    ),
    RerankerKind(
        "model",
        mark("Your own model"),
        mark("A model"),
        mark(
            "The model is loaded at the first search, and downloaded once if necessary. It takes "
            "about 0.5 GB of memory and a few seconds per search. Nothing else leaves this computer."
        ),
    ),
    RerankerKind("server", mark("A server"), mark("A server"), ""),
    RerankerKind("none", mark("None"), mark("None"), mark("Passages keep the order of the search.")),
)

RERANKERS: Mapping[str, RerankerKind] = MappingProxyType({one.name: one for one in _KINDS})
"""Kinds of rerankers by their names, in the order in which they are offered."""
