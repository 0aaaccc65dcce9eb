"""Embedding model on a server: its form in the setting “embedder”, and what the server receives and answers."""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.egress import is_here

_BEGINNING = re.compile(r"(openai|cohere|qianfan):(?=https?://)", re.IGNORECASE)
_HINT = mark("Write it like openai:http://127.0.0.1:11434/v1#nomic-embed-text.")
_OPTIONS = ("dimensions", "tokens", "batch")
_MOST = 1_000_000
_CENT = 0.01


class EmbeddingFormat(StrEnum):
    """Wire format of a server: that of OpenAI, which most servers speak, of Cohere's second API, of Baidu Qianfan."""

    OPENAI = "openai"
    COHERE = "cohere"
    QIANFAN = "qianfan"


@dataclass(frozen=True, slots=True)
class EmbeddingServer:
    """Embedding model on a server.

    Attributes:
        format: Wire format.
        url: Base URL of the server, without the name of an endpoint.
        model: Name of the model on the server.
        dimensions: Width of a vector that the server is asked for; 0 for the model's own.
        tokens: Maximum number of tokens of a text; 0 for that of a known model, else 512.
        batch: Maximum number of texts in a request; 0 for that of a known server, else 32.
    """

    format: EmbeddingFormat
    url: str
    model: str
    dimensions: int = 0
    tokens: int = 0
    batch: int = 0

    @property
    def text(self) -> str:
        """Its form in the setting “embedder”: format:url?options#model."""
        given = {"dimensions": self.dimensions, "tokens": self.tokens, "batch": self.batch}
        options = "&".join(f"{key}={value}" for key, value in given.items() if value)
        return f"{self.format.value}:{self.url}{'?' if options else ''}{options}#{quote(self.model, safe='/:@.-_+')}"

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.url).netloc

    @property
    def name(self) -> str:
        """Name for users: model and host."""
        return f"{self.model} at {self.host}"

    @property
    def is_here(self) -> bool:
        """True if it is on this machine, so that nothing sent to it leaves."""
        return is_here(urlsplit(self.url).hostname or "")


def is_embedding_server(text: str) -> bool:
    """Return whether a value of the setting “embedder” is meant as a server, valid or not."""
    return _BEGINNING.match(text.strip()) is not None


def embedding_server_of(text: str) -> EmbeddingServer | None:
    """Return the server named by a value of the setting “embedder”; None for a folder, a hub name or the built-in one.

    Raises:
        SettingError: It is meant as a server but is invalid; the message states the reason.
    """
    found = _BEGINNING.match(text.strip())
    if found is None:
        return None
    try:
        parts = urlsplit(text.strip()[found.end() :])
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise SettingError("The address of the embedding server is not a valid URL.", _HINT) from error
    model = unquote(parts.fragment).strip()
    if not host:
        raise SettingError("The address of the embedding server contains no server name.", _HINT)
    if "@" in parts.netloc:
        raise SettingError(
            "The address of the embedding server contains a name or password.", "Enter the key in its own field."
        )
    if not model:
        raise SettingError("The address of the embedding server lacks “#” and the name of its model.", _HINT)
    path = parts.path.rstrip("/").removesuffix("/embeddings").removesuffix("/embed")
    url = f"{parts.scheme.lower()}://{parts.netloc.lower()}{path}"
    return EmbeddingServer(EmbeddingFormat(found[1].lower()), url, model, **_options(parts.query))


def _options(query: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in _OPTIONS:
            raise SettingError(
                f"“{key}” is not an option of an embedding server.", f"The options are {', '.join(_OPTIONS)}."
            )
        if not value.isdecimal() or not 0 < int(value) <= _MOST:
            raise SettingError(f"The option “{key}” of the embedding server is not a number.", _HINT)
        found[key] = int(value)
    return found


@dataclass(frozen=True, slots=True)
class EmbeddingPlan:
    """Data that a server would receive if it embedded the library.

    Attributes:
        model: Value of the setting “embedder”.
        name: Name of the model and its host, for users.
        host: Host and port that the texts are sent to.
        leaves: True if that is another machine.
        is_allowed: True if the user allowed the server to receive the library's texts, or it is on this machine.
        passages: Number of passages that have no vector of it yet.
        tokens: Estimate of their tokens, with a margin.
        price: Price in US dollars per million tokens; None if unknown.
    """

    model: str
    name: str
    host: str
    leaves: bool
    is_allowed: bool
    passages: int
    tokens: int
    price: float | None = None

    @property
    def cost(self) -> float | None:
        """Estimate of the cost in US dollars; None if the price is unknown."""
        return None if self.price is None else self.price * self.tokens / 1e6

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences for the user, to be translated by translate()."""
        sent = mark(f"{self.passages:,} passages, about {self.tokens:,} tokens, are sent to {self.host}.")
        if self.passages == 1:
            sent = mark(f"1 passage, about {self.tokens:,} tokens, is sent to {self.host}.")
        elif not self.passages:
            sent = mark(f"No passages are waiting to be sent to {self.host}.")
        if not self.leaves:
            return (sent, mark("It runs on this computer: nothing leaves it."))
        later = mark(
            "Later, each new passage, each question, and the sentences compared for its answer are sent there, too."
        )
        if not self.passages and self.price is not None:
            return (sent, mark(f"It costs ${self.price:g} per million tokens."), later)
        if self.cost is None:
            return (sent, mark("What that costs is not known; see the price list of the service."), later)
        if self.cost < _CENT:
            return (sent, mark(f"That costs less than a cent, at ${self.price:g} per million tokens."), later)
        return (sent, mark(f"That costs about ${self.cost:.2f}, at ${self.price:g} per million tokens."), later)


@dataclass(frozen=True, slots=True)
class EmbeddingTrial:
    """Result of embedding one sentence.

    Attributes:
        dimensions: Width of the vector.
        milliseconds: Time of the request.
        notice: Notice about languages of the library that the model hardly understands; empty for none.
    """

    dimensions: int
    milliseconds: float
    notice: str = ""
