"""Who checks a model's answer against what its run has found, with the library's means."""

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence

from workbench.agent.base import ModelProvider
from workbench.agent.claims.by_model import check_by_model
from workbench.agent.claims.checks import Checker
from workbench.errors import ModelError
from workbench.language import in_seconds, mark
from workbench.model.claim import Claim
from workbench.model.hit import NumberedHit
from workbench.model.profile import ModelProfile
from workbench.model.run import ClaimsChecked, Notice
from workbench.operations.library import Library
from workbench.settings import Settings

OFF, BY_MODEL = "off", "model"

# The answer is there already; nobody waits longer for what a model thinks of it.
_MODEL_SECONDS = 60.0


def claim_checker(
    library: Library, settings: Settings, profile: ModelProfile, provider: ModelProvider
) -> Checker | None:
    """Return who checks the answers of a profile; None where they are not to be checked.

    The offline answerer quotes word for word, which needs no check.
    """
    if settings.check_answers == OFF or profile.is_offline:
        return None
    return _LibraryChecker(library, provider if settings.check_answers == BY_MODEL else None, profile.name)


class _LibraryChecker:
    def __init__(self, library: Library, provider: ModelProvider | None, name: str) -> None:
        self._library = library
        self._provider = provider
        self._name = name

    async def check(
        self, known: str, answer: str, references: Mapping[int, NumberedHit]
    ) -> Sequence[ClaimsChecked | Notice]:
        began = time.perf_counter()
        claims = await self._by_text(known, answer, references)
        if not claims:
            return ()
        by, notices = "", list[Notice]()
        if self._provider is not None and references:
            try:
                async with asyncio.timeout(_MODEL_SECONDS):
                    claims = await check_by_model(self._provider, known, claims, references)
                by = self._name
            except (ModelError, TimeoutError) as error:
                why = str(error) or mark(f"It took more than {in_seconds(_MODEL_SECONDS)}.")
                notices.append(
                    Notice(mark(f"The model could not check its answer, which was checked by the text alone. {why}"))
                )
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        return (*notices, ClaimsChecked(claims, by, milliseconds))

    async def _by_text(self, known: str, answer: str, references: Mapping[int, NumberedHit]) -> tuple[Claim, ...]:
        # The embedder is loaded long since: the run has searched.
        from workbench.agent.claims.claim_checker import ClaimChecker

        library = self._library
        stopped = threading.Event()

        def work() -> tuple[Claim, ...]:
            checker = ClaimChecker(library.embedder_or_none(), library.keywords)
            return checker.check(known, answer, references, stop=stopped.is_set)

        try:
            return await library.on_search(work)
        finally:
            stopped.set()
