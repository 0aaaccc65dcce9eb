"""Each setting declared once: key, type, default, bounds, title, help, and whether a change needs a re-index."""

from dataclasses import dataclass, fields
from typing import Any

from workbench.errors import SettingError


@dataclass(frozen=True, slots=True)
class Setting:
    """One declaration; the settings page and the command line are made from it.

    Attributes:
        key: Field name in Settings.
        needs_reindex: Documents indexed before a change keep the old value until they are indexed again.
        minimum: Smallest value allowed, for numbers.
        maximum: Largest value allowed, for numbers.
        choices: The values allowed, for text with a fixed set.
        holds: What must stand in the value.
    """

    key: str
    type: type
    default: Any
    title: str
    help: str
    needs_reindex: bool = False
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    holds: str = ""

    def check(self, value: Any) -> Any:
        """Return the value in the setting's type.

        Raises:
            SettingError: It is of another type, out of bounds, or not among the choices.
        """
        try:
            checked = self.type(value)
        except (TypeError, ValueError) as error:
            raise SettingError(f"“{self.title}” cannot be {value!r}.", f"Give a {self.type.__name__}.") from error
        if (self.minimum is not None and checked < self.minimum) or (
            self.maximum is not None and checked > self.maximum
        ):
            raise SettingError(
                f"“{self.title}” cannot be {checked}.", f"Give a value from {self.minimum} to {self.maximum}."
            )
        if self.choices and checked not in self.choices:
            raise SettingError(f"“{self.title}” cannot be {checked!r}.", f"Choose one of {', '.join(self.choices)}.")
        if self.holds and self.holds not in checked:
            raise SettingError(f"“{self.title}” cannot be {checked!r}.", f"It needs {self.holds} in it.")
        return checked


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
        "profile",
        str,
        "offline",
        "Answer with",
        "The model profile that answers; “offline” quotes from the documents and needs no model.",
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
    profile: str = "offline"
    context_tokens: int = 0
    answer_tokens: int = 1024
    parser_seconds: int = 120
    parser_megabytes: int = 2048
    fetch_megabytes: int = 50
    fetch_seconds: int = 60
    allow_private_addresses: str = "no"
    topic_url: str = "https://en.wikipedia.org/wiki/Special:Search?go=Go&search={topic}"
    query_rows: int = 10_000
    bin_days: int = 30
    ocr: str = "auto"
    ocr_engine: str = "rapidocr"
    ocr_languages: str = "eng+chi_sim"
    layout_model: str = "auto"
    tool_calls: int = 20
    rounds: int = 10
    run_seconds: int = 300
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
