"""What is remembered for a question, and what is found worth remembering behind an answer; where it is switched on."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.agent.memories.conversation_memory import extract_memories, memory_section
from workbench.agent.request_builder import ContextSource
from workbench.egress.gate import carrying
from workbench.errors import EmbeddingError
from workbench.model.memory import Memory, RecalledMemory
from workbench.model.message import PromptSection
from workbench.model.profile import ModelProfile
from workbench.model.run import Run, RunStatus
from workbench.model.session import is_following
from workbench.operations.library import Library
from workbench.operations.model_provider import provider_of
from workbench.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.base import Embedder

ON = "yes"
WITHIN_DAYS = 30
"""What was said longer ago is not recalled by itself."""

# With no vectors only so many are compared, the newest.
_BY_WORDS = 100
# Texts to embed for one question, 3 ms each: those that have no vector yet, the newest first.
_EMBEDDED = 60
_MODEL_SECONDS = 120.0
_KNOWN = 20


def memories_for(library: Library, settings: Settings, profile: ModelProfile, user: str) -> ContextSource | None:
    """Return what recalls memories; None where it is off, and for the offline answerer, who reads no prompt."""
    if library.is_read_only or settings.memory != ON or profile.is_offline:
        return None

    async def recall(question: str) -> tuple[PromptSection, ...]:
        recalled = await library.on_search(recalled_for, library, question, user)
        return (memory_section(recalled),)

    return recall


def recalled_for(library: Library, question: str, user: str) -> tuple[RecalledMemory, ...]:
    """Return what is remembered of a user that is most similar to a question, and count it as used; blocking."""
    # numpy: not needed to show the window.
    from workbench.agent.memories.memory_recall import most_similar_memories

    memories = library.memories.list(user, within_days=WITHIN_DAYS)
    if not memories:
        return ()
    embedder = library.embedder_or_none()
    vectors = _vectors(library, embedder, memories, user) if embedder is not None else {}
    recalled = most_similar_memories(question, memories if vectors else memories[:_BY_WORDS], embedder, vectors)
    library.store_soon(library.memories.count_uses, [one.memory.id for one in recalled], user)
    return recalled


def _is_tried(run: Run) -> bool:
    """Tell whether a run stands in the place of another one."""
    return run.parent is not None and not is_following(run)


def remember_afterwards(library: Library, settings: Settings, profile: ModelProfile, run: Run, user: str) -> None:
    """Have the model that gave an answer look through it, behind it, for what is worth remembering."""
    if library.is_read_only:
        return  # there is nowhere to keep it
    # Who goes on from an altered result tries something out: it is no conversation.
    if settings.memory != ON or profile.is_offline or run.status is not RunStatus.COMPLETED or _is_tried(run):
        return

    async def look_through() -> None:
        known = (await library.on_store(library.memories.list, user))[:_KNOWN]
        provider = await provider_of(library, profile)
        try:
            async with asyncio.timeout(_MODEL_SECONDS):
                with carrying(run=run.id):
                    found = await extract_memories(provider, run.question, run.answer, known)
        finally:
            await provider.close()

        def keep() -> None:
            for new in found:
                library.memories.put(new, user, days=settings.memory_days, run=run.id)

        # Switched off while the model thought about it: then it is to keep nothing.
        if found and (await library.on_store(library.setting_values.load)).memory == ON:
            await library.on_store(keep)

    library.afterwards.add(look_through)


def _vectors(
    library: Library, embedder: "Embedder", memories: Sequence[Memory], user: str
) -> "dict[int, NDArray[np.float32]]":
    """Return the vectors of memories, those that were missing made; none where the embedder fails."""
    import numpy as np  # as above

    kept = library.memories.vectors(user, embedder.id)
    missing = [memory for memory in memories if memory.id not in kept][:_EMBEDDED]
    vectors = {number: np.frombuffer(blob, np.float32) for number, blob in kept.items()}
    if missing:
        try:
            made = embedder.embed_documents([memory.text for memory in missing])
        except EmbeddingError:
            return {}  # a search of this question meets the same, and says so
        fresh = {one.id: (one.text, vector.tobytes()) for one, vector in zip(missing, made, strict=True)}
        library.store_soon(library.memories.keep_vectors, embedder.id, fresh, user)
        vectors |= {memory.id: vector for memory, vector in zip(missing, made, strict=True)}
    return vectors
