"""Each setting declared once: key, type, default, bounds, title, help, and whether a change needs a re-index."""

from dataclasses import dataclass, fields
from typing import Any

from workbench.errors import SettingError
from workbench.model.setting import Setting

DECLARATIONS: tuple[Setting, ...] = (
    Setting(
        "embedder",
        str,
        "",
        "Embedding model",
        "Folder or hub name of a sentence-transformers model; empty means the built-in all-MiniLM-L6-v2. A change goes on in the background, while the library is searched as before.",
    ),
    Setting(
        "embedding_backend",
        str,
        "auto",
        "Embedding backend",
        "“auto” measures int8 and fp32 on this machine once and keeps the faster one.",
        choices=("auto", "fp32", "int8"),
    ),
    Setting(
        "chunk_tokens",
        int,
        200,
        "Chunk size",
        "Tokens that a chunk aims at, by the embedding model's own count; never more than the model sees (256 for the built-in one).",
        needs_reindex=True,
        minimum=32,
        maximum=512,
    ),
    Setting(
        "chunk_overlap",
        int,
        0,
        "Chunk overlap",
        "Sentences that a chunk repeats from the one before.",
        needs_reindex=True,
        minimum=0,
        maximum=5,
    ),
    Setting(
        "search_results",
        int,
        10,
        "Passages per search",
        "How many passages a search hands to the answerer.",
        minimum=1,
        maximum=50,
    ),
    Setting(
        "reranking",
        str,
        "tokens",
        "Reranking",
        "Puts the passages that a search found into a better order. Built in: word by word through the embedding model (0.05 s), or by letters (faster); or a model or server of your own.",
        choices=("tokens", "letters", "model", "server", "none"),
    ),
    Setting(
        "rerank_model",
        str,
        "",
        "Reranking model",
        "Folder or hub name of a cross-encoder, for example BAAI/bge-reranker-v2-m3; only used where “Reranking” says so.",
    ),
    Setting(
        "rerank_url",
        str,
        "",
        "Reranking server",
        "Its address. Questions and passages are sent there, where “Reranking” says so.",
    ),
    Setting(
        "rerank_format",
        str,
        "jina",
        "Format of the server",
        "Cohere (/v2/rerank), Jina and most others (/v1/rerank), or Text Embeddings Inference (/rerank).",
        choices=("cohere", "jina", "tei"),
    ),
    Setting("rerank_name", str, "", "Model of the server", "Its name there; empty where the server has only one."),
    Setting(
        "rerank_key_env",
        str,
        "",
        "Key variable of the server",
        "Name of the environment variable that holds the server's key; empty means the system's keyring, else no key.",
    ),
    Setting(
        "evaluate_again",
        str,
        "yes",
        "Evaluate again by itself",
        "Golden questions that were evaluated before are asked again when documents or settings have changed, while nothing else is to be done.",
        choices=("yes", "no"),
    ),
    Setting(
        "profile",
        str,
        "offline",
        "Answer with",
        "The model profile that answers; “offline” quotes from the documents and needs no model.",
    ),
    Setting(
        "agent",
        str,
        "default",
        "Agent",
        "The agent that is asked, unless another one is chosen: what it is told, what it may search and which tools it has.",
    ),
    Setting(
        "context_tokens",
        int,
        0,
        "Context of the model",
        "How many tokens the answering model sees at once, prompt and answer together; what was found is shortened to fit. 0 asks the server, and takes 8192 where it does not say.",
        minimum=0,
        maximum=10_000_000,
    ),
    Setting(
        "answer_tokens",
        int,
        1024,
        "Room for the answer",
        "How many of these tokens are kept for the answer.",
        minimum=64,
        maximum=1_000_000,
    ),
    Setting(
        "parser_seconds",
        int,
        120,
        "Time limit per file",
        "Seconds that reading one file may take before it is given up.",
        minimum=1,
        maximum=3600,
    ),
    Setting(
        "parser_megabytes",
        int,
        2048,
        "Memory limit per file",
        "Megabytes that reading one file may take before it is given up.",
        minimum=128,
        maximum=65536,
    ),
    Setting(
        "fetch_megabytes",
        int,
        50,
        "Size limit per web page",
        "Megabytes that a page or a document behind a link may have.",
        minimum=1,
        maximum=1000,
    ),
    Setting(
        "fetch_seconds",
        int,
        60,
        "Time limit per web page",
        "Seconds after which fetching a page, or running its scripts, is given up.",
        minimum=1,
        maximum=3600,
    ),
    Setting(
        "allow_private_addresses",
        str,
        "no",
        "Pages of your own network",
        "Whether links may lead to this machine and to others of its network (localhost, 192.168…). Pages of the internet could redirect there.",
        choices=("no", "yes"),
    ),
    Setting(
        "topic_url",
        str,
        "https://en.wikipedia.org/wiki/Special:Search?go=Go&search={topic}",
        "Encyclopaedia for topics",
        "Where a topic is looked up: an address with {topic} in its path, or of a search that leads on to the article.",
        holds="{topic}",
    ),
    Setting(
        "query_rows",
        int,
        10_000,
        "Rows per database query",
        "How many rows of a query become part of the library.",
        minimum=1,
        maximum=1_000_000,
    ),
    Setting(
        "network_tools",
        str,
        "no",
        "Tools that use the network",
        "Whether a model may look up the weather, read web pages and search the web. What it asks for leaves this machine.",
        choices=("no", "yes"),
    ),
    Setting(
        "web_search_url",
        str,
        "",
        "Web search",
        "Address of the server that searches the web: your own SearXNG, or https://api.search.brave.com or https://api.tavily.com with a key. Empty means no web search.",
    ),
    Setting(
        "web_search_format",
        str,
        "searxng",
        "Format of the web search",
        "What the server speaks.",
        choices=("searxng", "brave", "tavily"),
    ),
    Setting(
        "web_search_results",
        int,
        3,
        "Results per web search",
        "How many results a web search hands to the model.",
        minimum=1,
        maximum=20,
    ),
    Setting(
        "web_search_key_env",
        str,
        "",
        "Key variable of the web search",
        "Name of the environment variable that holds the server's key; empty means the system's keyring, else no key.",
    ),
    Setting(
        "weather_url",
        str,
        "https://api.open-meteo.com",
        "Weather forecasts",
        "Address of an Open-Meteo server.",
    ),
    Setting(
        "geocoding_url",
        str,
        "https://geocoding-api.open-meteo.com",
        "Places of weather forecasts",
        "Address of the Open-Meteo server that knows where places are.",
    ),
    Setting(
        "bin_days",
        int,
        30,
        "Days in the bin",
        "How long removed documents can be brought back, with everything the library knows of them.",
        minimum=1,
        maximum=3650,
    ),
    Setting(
        "ocr",
        str,
        "auto",
        "Text recognition (OCR)",
        "“auto” reads pictures and pages without usable text; “always” also the pictures that stand beside text; “off” reads none.",
        choices=("auto", "always", "off"),
    ),
    Setting(
        "ocr_engine",
        str,
        "rapidocr",
        "Text recognition engine",
        "RapidOCR knows English and Chinese and is built in; Tesseract knows more languages and has to be installed.",
        choices=("rapidocr", "tesseract"),
    ),
    Setting(
        "ocr_languages",
        str,
        "eng+chi_sim",
        "Tesseract's languages",
        "As Tesseract names them, joined by “+”: eng, deu, fra, chi_sim, chi_tra, jpn ...",
    ),
    Setting(
        "layout_model",
        str,
        "auto",
        "Layout model for tables",
        "“auto” has a model look at the pages of PDFs on which a table stands that was read as plain lines, half a second a page; “off” leaves them.",
        choices=("auto", "off"),
    ),
    Setting(
        "tool_calls",
        int,
        20,
        "Tool calls per answer",
        "After that many tool calls the model has to answer.",
        minimum=1,
        maximum=200,
    ),
    Setting(
        "rounds",
        int,
        10,
        "Rounds per answer",
        "After that many turns of the model the run ends.",
        minimum=1,
        maximum=100,
    ),
    Setting(
        "run_seconds", int, 300, "Time limit per answer", "Seconds after which a run is ended.", minimum=5, maximum=7200
    ),
    Setting(
        "retriever_seconds",
        int,
        10,
        "Time limit per retriever",
        "Seconds that a custom retriever may take for a search; what comes later is left out.",
        minimum=1,
        maximum=600,
    ),
    Setting(
        "retriever_characters",
        int,
        50_000,
        "Room for retrievers",
        "Characters that all custom retrievers of a search may give together; the rest is left out.",
        minimum=100,
        maximum=10_000_000,
    ),
    Setting(
        "plugin_megabytes",
        int,
        2048,
        "Memory limit per plug-in",
        "Megabytes that a plug-in file may take before its process is ended.",
        minimum=128,
        maximum=65536,
    ),
    Setting(
        "context_file_characters",
        int,
        100_000,
        "Room for a context file",
        "Characters that are read of each file in an agent's context folder.",
        minimum=100,
        maximum=10_000_000,
    ),
    Setting(
        "context_characters",
        int,
        400_000,
        "Room for all context files",
        "Characters that are read of all context files of an agent together.",
        minimum=100,
        maximum=100_000_000,
    ),
    Setting(
        "run_tokens",
        int,
        500_000,
        "Tokens per answer",
        "How many tokens all turns of the model may take for one answer, questions and answers together; estimated where the server does not count them.",
        minimum=2_000,
        maximum=100_000_000,
    ),
    Setting(
        "ask_before_tools",
        str,
        "network",
        "Ask before tools",
        "Whether you are asked before a tool is called: “network” before those that send something away or change something outside the library, “always” before every one.",
        choices=("never", "network", "always"),
    ),
    Setting(
        "check_answers",
        str,
        "text",
        "Check answers",
        "Compares each sentence of a model's answer with the passages that it cites: “text” on this machine, by numbers, names, words and meaning; “model” also asks the model that answered, which takes a second call.",
        choices=("off", "text", "model"),
    ),
    Setting(
        "memory",
        str,
        "no",
        "Memory",
        "Whether the model that answered is asked after each answer what to remember of you, at most three short notes, which are handed to the model with later questions. “offline” remembers nothing. “Memory…” in the menu shows the notes.",
        choices=("no", "yes"),
    ),
    Setting(
        "memory_days",
        int,
        90,
        "Days of memory",
        "After so many days a note that was not said again is deleted; only those of the last 30 days are used.",
        minimum=1,
        maximum=3650,
    ),
    Setting(
        "theme",
        str,
        "system",
        "Appearance",
        "Light, dark, or as the system has it.",
        choices=("system", "light", "dark"),
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force; see DECLARATIONS for what each means."""

    embedder: str = ""
    embedding_backend: str = "auto"
    chunk_tokens: int = 200
    chunk_overlap: int = 0
    search_results: int = 10
    reranking: str = "tokens"
    rerank_model: str = ""
    rerank_url: str = ""
    rerank_format: str = "jina"
    rerank_name: str = ""
    rerank_key_env: str = ""
    evaluate_again: str = "yes"
    profile: str = "offline"
    agent: str = "default"
    context_tokens: int = 0
    answer_tokens: int = 1024
    parser_seconds: int = 120
    parser_megabytes: int = 2048
    fetch_megabytes: int = 50
    fetch_seconds: int = 60
    allow_private_addresses: str = "no"
    topic_url: str = "https://en.wikipedia.org/wiki/Special:Search?go=Go&search={topic}"
    query_rows: int = 10_000
    network_tools: str = "no"
    web_search_url: str = ""
    web_search_format: str = "searxng"
    web_search_results: int = 3
    web_search_key_env: str = ""
    weather_url: str = "https://api.open-meteo.com"
    geocoding_url: str = "https://geocoding-api.open-meteo.com"
    bin_days: int = 30
    ocr: str = "auto"
    ocr_engine: str = "rapidocr"
    ocr_languages: str = "eng+chi_sim"
    layout_model: str = "auto"
    tool_calls: int = 20
    rounds: int = 10
    run_seconds: int = 300
    retriever_seconds: int = 10
    retriever_characters: int = 50_000
    plugin_megabytes: int = 2048
    context_file_characters: int = 100_000
    context_characters: int = 400_000
    run_tokens: int = 500_000
    ask_before_tools: str = "network"
    check_answers: str = "text"
    memory: str = "no"
    memory_days: int = 90
    theme: str = "system"

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> "Settings":
        """Return the settings of a stored mapping: unknown keys are ignored, bad values fall back to the default."""
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
