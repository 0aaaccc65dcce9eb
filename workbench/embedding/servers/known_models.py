"""Limits, prices and prompts of known services and models, from the documentation of their providers (2026).

A service is recognised by its host, a model by its name, whatever server runs it. The user may give other limits in the
address of the server, and another price.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from workbench.model.embedding_server import EmbeddingFormat, EmbeddingServer

MARGIN = 1.3
"""Tokens that an unknown tokenizer needs per token of the built-in one, at most, for English, German and Chinese prose:
those of GPT-4 and XLM-R."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of a model on its server.

    Attributes:
        tokens: Maximum number of tokens of a text.
        batch: Maximum number of texts in a request.
        batch_tokens: Maximum number of tokens in a request.
        characters: Maximum number of characters of a text; 0 for no limit.
        price: Price in US dollars per million tokens; None if unknown.
        has_dimensions: True if the width of a vector can be chosen.
        margin: Tokens of the model's tokenizer per token of the built-in one, at most; 1 if it has the same vocabulary.
    """

    tokens: int = 512
    batch: int = 32
    batch_tokens: int = 16_000
    characters: int = 0
    price: float | None = None
    has_dimensions: bool = True
    margin: float = MARGIN


@dataclass(frozen=True, slots=True)
class Prompts:
    """Prefixes that a model was trained with."""

    query: str = ""
    document: str = ""


# 32 texts are the limit of Text Embeddings Inference as installed; with 16,000 tokens a request takes some seconds on a
# processor. A model with an unknown limit gets 512 tokens, which nearly all models have.
_USUAL = ServerLimits()
_HOSTED = ServerLimits(8192, 256, 100_000)
_DASHSCOPE = ServerLimits(8192, 10, 80_000, price=0.07)
_UNCASED = ServerLimits(512, margin=1.0)
"""Models with the vocabulary of BERT uncased, which the built-in model has, too: tokens are counted exactly."""

_OF_HOST: tuple[tuple[str, str, ServerLimits], ...] = (
    # At most 2,048 texts and 300,000 tokens in a request.
    (r"api\.openai\.com", r"text-embedding-3-small", replace(_HOSTED, price=0.02)),
    (r"api\.openai\.com", r"text-embedding-3-large", replace(_HOSTED, price=0.13)),
    (r"api\.openai\.com", r"text-embedding-ada-002", replace(_HOSTED, price=0.10, has_dimensions=False)),
    # At most 96 texts and 128,000 tokens in a request.
    (r"api\.cohere\.(com|ai)", r"embed-v4", ServerLimits(8192, 96, 100_000, price=0.12)),
    (r"api\.cohere\.(com|ai)", r"embed-.*v3", ServerLimits(512, 96, 100_000, price=0.10, has_dimensions=False)),
    # The price is that outside of mainland China.
    (r"dashscope-intl\.aliyuncs\.com", r"text-embedding-v[34]", _DASHSCOPE),
    (r"dashscope.*\.aliyuncs\.com", r"text-embedding-v[34]", replace(_DASHSCOPE, price=None)),
    (r"dashscope.*\.aliyuncs\.com", r"text-embedding-v[12]", ServerLimits(2048, 25, 50_000, has_dimensions=False)),
    (r"dashscope.*\.aliyuncs\.com", r"", replace(_DASHSCOPE, price=None)),
    (r"qianfan\.baidubce\.com", r"embedding-v1", ServerLimits(384, 16, 16_000, 1000, has_dimensions=False)),
    (r"qianfan\.baidubce\.com", r"bge-large-(zh|en)", ServerLimits(512, 16, 16_000, 2000, has_dimensions=False)),
    (r"qianfan\.baidubce\.com", r"tao-8k", ServerLimits(8192, 1, 8192, 28_000, has_dimensions=False)),
    (r"qianfan\.baidubce\.com", r"", ServerLimits(384, 16, 16_000, 1000, has_dimensions=False)),
)

_OF_MODEL: tuple[tuple[str, ServerLimits], ...] = (
    (r"all-minilm", replace(_UNCASED, tokens=256)),
    (r"nomic-embed-text-v2|embeddinggemma", ServerLimits(2048)),
    (r"nomic-embed-text", replace(_UNCASED, tokens=2048)),
    (r"bge-m3|qwen3-embedding|text-embedding-3", ServerLimits(8192)),
    (r"multilingual|arctic-embed.*(2\.0|v2)|arctic-embed2", ServerLimits(512)),
    (r"bge-(small|base|large)-en|(^|/)e5-|mxbai|arctic", _UNCASED),
)

_RETRIEVAL = "Represent this sentence for searching relevant passages: "
_PROMPTS: tuple[tuple[str, Prompts], ...] = (
    (r"nomic-embed-text", Prompts("search_query: ", "search_document: ")),
    (r"(multilingual-)?e5-(small|base|large)(?!.*instruct)", Prompts("query: ", "passage: ")),
    (r"bge-(small|base|large)-en", Prompts(_RETRIEVAL)),
    (r"bge-(small|base|large)-zh", Prompts("为这个句子生成表示以用于检索相关文章：")),
    (r"mxbai-embed", Prompts(_RETRIEVAL)),
    (r"arctic-embed.*(2\.0|v2)|arctic-embed2", Prompts("query: ")),
    (r"arctic-embed", Prompts(_RETRIEVAL)),
    (r"embeddinggemma", Prompts("task: search result | query: ", "title: none | text: ")),
    (
        r"qwen3-embedding",
        Prompts(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        ),
    ),
)


def limits_of(server: EmbeddingServer) -> ServerLimits:
    """Return the limits of a server's model; those given in its address take precedence."""
    host, model = urlsplit(server.url).hostname or "", server.model.lower()
    by_host = (
        limits
        for host_pattern, pattern, limits in _OF_HOST
        if re.fullmatch(host_pattern, host) and re.match(pattern, model)
    )
    by_model = (limits for pattern, limits in _OF_MODEL if re.search(pattern, model))
    known = next(by_host, None) or next(by_model, _USUAL)
    return replace(known, tokens=server.tokens or known.tokens, batch=server.batch or known.batch)


def prompts_of(server: EmbeddingServer) -> Prompts:
    """Return the prompts of a server's model; none for a service that adds them itself."""
    if server.format is EmbeddingFormat.COHERE:
        return Prompts()  # it is told the type of the input
    model = server.model.lower()
    return next((prompts for pattern, prompts in _PROMPTS if re.search(pattern, model)), Prompts())
