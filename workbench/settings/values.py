"""Current values of all settings, and lookup of declarations."""

from dataclasses import dataclass, fields
from typing import Any

from workbench.errors import SettingError
from workbench.model.setting import Setting
from workbench.settings.declarations import ANSWERS, DOCUMENTS, NETWORK, SEARCH, WINDOW

DECLARATIONS: tuple[Setting, ...] = (*DOCUMENTS, *SEARCH, *ANSWERS, *NETWORK, *WINDOW)
PERSONAL = frozenset(one.key for one in DECLARATIONS if one.personal)
"""Keys of the settings that belong to the user and hold in every library; see preferences.py."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Current values of all settings; DECLARATIONS documents each."""

    embedder: str = ""
    embedder_key_env: str = ""
    embedding_backend: str = "auto"
    vector_store: str = "faiss"
    vector_store_url: str = ""
    vector_store_key_env: str = ""
    chunk_tokens: int = 200
    chunk_overlap: int = 0
    parser_seconds: int = 120
    parser_megabytes: int = 2048
    fetch_megabytes: int = 50
    fetch_seconds: int = 60
    allow_private_addresses: str = "no"
    topic_url: str = "https://en.wikipedia.org/wiki/Special:Search?go=Go&search={topic}"
    query_rows: int = 10_000
    follow_links: str = "no"
    bin_days: int = 30
    ocr: str = "auto"
    ocr_engine: str = "rapidocr"
    ocr_languages: str = "eng+chi_sim"
    layout_model: str = "auto"
    search_results: int = 10
    reranking: str = "tokens"
    token_codes: str = "yes"
    rerank_model: str = ""
    rerank_url: str = ""
    rerank_format: str = "jina"
    rerank_name: str = ""
    rerank_key_env: str = ""
    rerank_patience: str = "no"
    evaluate_again: str = "yes"
    profile: str = "offline"
    agent: str = "default"
    context_tokens: int = 0
    answer_tokens: int = 1024
    tool_calls: int = 20
    rounds: int = 10
    reading_calls: int = 2
    run_seconds: int = 300
    run_tokens: int = 500_000
    retriever_seconds: float = 10.0
    retriever_characters: int = 50_000
    plugin_megabytes: int = 2048
    context_file_characters: int = 100_000
    context_characters: int = 400_000
    ask_before_tools: str = "network"
    plan: str = "asked"
    plan_steps: int = 6
    plan_review: str = "no"
    check_answers: str = "text"
    memory: str = "no"
    memory_days: int = 90
    air_gap: str = "auto"
    model_hub: str = "https://huggingface.co"
    update_feed: str = ""
    network_tools: str = "no"
    web_search_url: str = ""
    web_search_format: str = "searxng"
    web_search_results: int = 3
    web_search_key_env: str = ""
    weather_url: str = "https://api.open-meteo.com"
    geocoding_url: str = "https://geocoding-api.open-meteo.com"
    language: str = "system"
    theme: str = "system"
    text_percent: int = 100
    reduce_motion: str = "no"
    notifications: str = "yes"
    log_detail: str = "usual"

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> "Settings":
        """Return the settings of a stored mapping; unknown keys are ignored, invalid values become the default."""
        values = {}
        for declaration in DECLARATIONS:
            try:
                values[declaration.key] = declaration.check(stored.get(declaration.key, declaration.default))
            except SettingError:
                values[declaration.key] = declaration.default
        return cls(**values)


def declaration(key: str) -> Setting:
    """Return the declaration of a key.

    Raises:
        SettingError: There is no such setting.
    """
    for candidate in DECLARATIONS:
        if candidate.key == key:
            return candidate
    raise SettingError(
        f"There is no setting “{key}”.", f"The settings are {', '.join(f.name for f in fields(Settings))}."
    )
