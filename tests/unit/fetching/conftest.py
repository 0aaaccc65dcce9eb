"""A site, and a fetcher that is allowed to request it."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gates import open_gate
from web_site import Site

from workbench.fetching.address import AddressGuard
from workbench.fetching.base import Fetched, FetchLimits, Validators
from workbench.fetching.web_fetcher import WebFetcher

SUPPORTED = frozenset((".pdf", ".md", ".txt", ".html", ".json", ".csv", ".docx"))
Fetch = Callable[..., Fetched | None]


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def fetch(tmp_path: Path) -> Fetch:
    """Fetch one address with limits suitable for a test."""

    def fetch(
        address: str, validators: Validators | None = None, guard: AddressGuard | None = None, **limits: float
    ) -> Fetched | None:
        chosen = FetchLimits(**{"allow_private": True, "megabytes": 1, "seconds": 5.0, **limits})  # type: ignore[arg-type]

        async def main() -> Fetched | None:
            async with WebFetcher(chosen, SUPPORTED, guard=guard, gate=open_gate()) as fetcher:
                return await fetcher.fetch(address, tmp_path, validators)

        return asyncio.run(main())

    return fetch
