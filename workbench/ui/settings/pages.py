"""Which settings stand on which page, and how their values are said."""

from collections.abc import Mapping
from types import MappingProxyType

from workbench.language import LANGUAGES, mark, said, tr
from workbench.model.setting import Setting

PAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (mark("Indexing"), ("embedder", "embedding_backend", "chunk_tokens", "chunk_overlap")),
    (
        mark("Search"),
        (
            "reranking",
            "token_codes",
            "rerank_model",
            "rerank_url",
            "rerank_format",
            "rerank_name",
            "rerank_key_env",
            "rerank_patience",
            "evaluate_again",
        ),
    ),
    (
        mark("Answers"),
        (
            "search_results",
            "context_tokens",
            "answer_tokens",
            "tool_calls",
            "rounds",
            "run_seconds",
            "reading_calls",
            "run_tokens",
            "check_answers",
            "plan",
            "plan_steps",
            "plan_review",
        ),
    ),
    (mark("Files"), ("parser_seconds", "parser_megabytes", "follow_links", "bin_days")),
    (mark("Scans and tables"), ("ocr", "ocr_engine", "ocr_languages", "layout_model")),
    (mark("Network"), ("air_gap", "model_hub")),
    (
        mark("Web and databases"),
        ("fetch_megabytes", "fetch_seconds", "allow_private_addresses", "topic_url", "query_rows"),
    ),
    (
        mark("Tools"),
        (
            "ask_before_tools",
            "network_tools",
            "web_search_url",
            "web_search_format",
            "web_search_results",
            "web_search_key_env",
            "weather_url",
            "geocoding_url",
        ),
    ),
    (
        mark("Retrievers"),
        (
            "retriever_seconds",
            "retriever_characters",
            "plugin_megabytes",
            "context_file_characters",
            "context_characters",
        ),
    ),
    (mark("Memory"), ("memory", "memory_days")),
    (mark("Window"), ("language", "theme", "text_percent", "reduce_motion", "notifications", "log_detail")),
)
"""“profile” is chosen on the page of the models, “agent” where questions are asked."""

CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "auto": mark("Automatic"),
        "system": mark("As the system"),
        "light": mark("Light"),
        "dark": mark("Dark"),
        "no": mark("No"),
        "yes": mark("Yes"),
        "off": mark("Off"),
        "on": mark("On"),
        "tokens": mark("Built in, word by word"),
        "letters": mark("Built in, by letters"),
        "model": mark("A model of your own"),
        "server": mark("A server"),
        "none": mark("None"),
        "usual": mark("The usual"),
        "more": mark("More"),
        "never": mark("Never"),
        "asked": mark("Where you say so"),
        "always": mark("Always"),
        "network": mark("Only if it reaches out"),
        "text": mark("On this machine"),
        "fp32": mark("Exact (fp32)"),
        "int8": mark("Faster (int8)"),
        "rapidocr": "RapidOCR",
        "tesseract": "Tesseract",
        "cohere": "Cohere",
        "jina": mark("Jina and others"),
        "tei": "Text Embeddings Inference",
        "searxng": "SearXNG",
        "brave": "Brave Search",
        "tavily": "Tavily",
        **LANGUAGES,
    }
)
"""How choices are said."""

_ELSEWHERE: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("check_answers", "model"): mark("By the model, too"),
    }
)
"""Choices that are said otherwise than the same word at other settings."""


def choice_words(key: str, choice: str) -> str:
    """Return how a choice of a setting is said, in English; its translation is tr's."""
    return _ELSEWHERE.get((key, choice)) or CHOICES.get(choice, choice)


def help_words(declared: Setting) -> str:
    """Return a setting's help: a value in it is said as the field says it."""
    text = said(declared.help)
    for choice in declared.choices:
        text = text.replace(f"“{choice}”", f"“{tr(choice_words(declared.key, choice))}”")
    return text
