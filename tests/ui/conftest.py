"""Windows of tests share the child processes that read files."""

import pytest


@pytest.fixture(autouse=True)
def _warm_readers(warm_readers: None) -> None:
    """Use warm reader processes for every window."""
