"""Configurations, figures and differences in words; knows no Qt."""

from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration

LISTS: dict[SearchMode, str] = {
    SearchMode.HYBRID: "Both",
    SearchMode.DENSE: "By meaning",
    SearchMode.KEYWORD: "By words",
}
RERANKING: dict[str, str] = {
    "": "As set",
    "tokens": "Word by word",
    "letters": "By letters",
    "model": "A model",
    "server": "A server",
    "none": "None",
}


def configuration_words(configuration: SearchConfiguration) -> str:
    """Return a configuration in a line: "both lists, reranked word by word, names, parts"."""
    lists = "both lists" if configuration.mode is SearchMode.HYBRID else f"{LISTS[configuration.mode].lower()} only"
    reranking = RERANKING.get(configuration.reranking, configuration.reranking).lower()
    reranked = {"": "reranked as in the settings", "none": "not reranked"}
    parts = [lists, reranked.get(configuration.reranking, f"reranked {reranking}")]
    parts += ["names"] if configuration.names else []
    parts += ["parts"] if configuration.parts else []
    parts += [f"diversity {configuration.diversity:.1f}"] if configuration.diversity else []
    parts += [] if configuration.dense_weight is None else [f"meaning weighs {configuration.dense_weight:.2f}"]
    parts += [] if configuration.floor is None else [f"floor {configuration.floor:.2f}"]
    return ", ".join(parts)


def seconds_words(seconds: float) -> str:
    """Return a time for people: "8 s", "2 min"."""
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min"
