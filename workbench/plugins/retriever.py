"""The shapes of a custom retriever.

Nothing has to inherit from these: what is asked for is that it can be called so.

1. A function, plain or `async`, as agno calls its `knowledge_retriever`: it is called by keyword with `query` and
   `num_documents` (None where nobody says how many), and with those of `agent`, `filters`, `run_context`,
   `dependencies`, `user_id` and `agent_id` that it names.
2. An object with `initialize`, `retrieve` and `close`, as Agent Gateway has them (GatewayRetriever).
3. An object with `passages`, which is given everything in one value (PassageRetriever).

All of them may give None, a text, a dict with a text under "content", an object with such an attribute, or any number
of these in whatever can be iterated over.
"""

from typing import Any, Protocol

from workbench.model.retrieval import RetrieverInfo, RetrieverQuestion
from workbench.plugins.results import Given


class GatewayRetriever(Protocol):
    """Agent Gateway's own shape; each of the three may also be a plain function."""

    async def initialize(self) -> None:
        """Get ready, once, before the first question."""
        ...

    async def retrieve(self, *, query: str, agent_id: str) -> list[str]:
        """Return what is known about a question."""
        ...

    async def close(self) -> None:
        """Release what was held; called also when it never got ready."""
        ...


class PassageRetriever(Protocol):
    """Our own shape, given everything in one value; plain or `async`. It may have `initialize` and `close` as well."""

    def passages(self, question: RetrieverQuestion) -> Any:
        """Return what is known about a question."""
        ...


class NamedRetriever(Protocol):
    """A retriever as the program asks it, wherever its code runs."""

    @property
    def name(self) -> str: ...

    @property
    def info(self) -> RetrieverInfo:
        """How it stands."""
        ...

    async def start(self, seconds: float) -> None:
        """Get ready; what goes wrong is its state afterwards."""
        ...

    async def ask(self, question: RetrieverQuestion, *, seconds: float, characters: int) -> Given:
        """Return its passages.

        Raises:
            RetrieverFailed: It cannot be asked, raised something, or was late.
        """
        ...

    async def close(self, seconds: float) -> None:
        """Release everything; never raises."""
        ...
