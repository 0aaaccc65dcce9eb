"""Configurations, figures and differences in words; makes no widgets."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from workbench.language import mark, tr
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.ui.library.wording import listed

if TYPE_CHECKING:
    from workbench.ui.chat.empty_state import EmptyState

LISTS: dict[SearchMode, str] = {
    SearchMode.HYBRID: mark("Both"),
    SearchMode.DENSE: mark("By meaning"),
    SearchMode.KEYWORD: mark("By words"),
}
_SEARCHED = {
    SearchMode.HYBRID: mark("both lists"),
    SearchMode.DENSE: mark("by meaning only"),
    SearchMode.KEYWORD: mark("by words only"),
}
RERANKING: dict[str, str] = {
    "": mark("As set"),
    "tokens": mark("Word by word"),
    "letters": mark("By letters"),
    "model": mark("A model"),
    "server": mark("A server"),
    "none": mark("None"),
}


def configuration_words(configuration: SearchConfiguration) -> str:
    """Return a configuration in a line: "both lists, reranked word by word, names, parts"."""
    parts = [tr(_SEARCHED[configuration.mode]), _reranked(configuration.reranking)]
    parts += [tr("names")] if configuration.names else []
    parts += [tr("parts")] if configuration.parts else []
    parts += [tr("diversity {n:.1f}", n=configuration.diversity)] if configuration.diversity else []
    weight, floor = configuration.dense_weight, configuration.floor
    parts += [] if weight is None else [tr("meaning weighs {n:.2f}", n=weight)]
    parts += [] if floor is None else [tr("floor {n:.2f}", n=floor)]
    return listed(parts)


def _reranked(reranking: str) -> str:
    if reranking in ("", "none"):
        return tr("not reranked") if reranking else tr("reranked as in the settings")
    return tr("reranked {how}", how=tr(RERANKING.get(reranking, reranking)).lower())


def sentences(*told: str) -> str:
    """Return whole sentences one after the other; empty ones are left out."""
    kept = [one for one in told if one]
    return reduce(lambda before, one: tr("{sentence} {next}", sentence=before, next=one) if before else one, kept, "")


def knowledge_base_words(name: str | None) -> str:
    """Return which knowledge base is meant: its name, or all of them."""
    return f"“{name}”" if name else tr("all knowledge bases")


def invite(state: EmptyState, words: tuple[str, str, str]) -> None:
    """Say an icon, a title and a sentence, which are marked, in the language of the window."""
    icon, title, text = words
    state.say(icon, tr(title), tr(text))


def seconds_words(seconds: float) -> str:
    """Return a time for people: "8 s", "2 min"."""
    return tr("{n} s", n=max(1, round(seconds))) if seconds < 90 else tr("{n} min", n=round(seconds / 60))
