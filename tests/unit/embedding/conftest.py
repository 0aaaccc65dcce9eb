"""The embedder as the program loads it, without the cache of other tests."""

import pytest

from workbench.embedding.base import Embedder
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library.models import model_cache


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return load_embedder("", cache=model_cache())
