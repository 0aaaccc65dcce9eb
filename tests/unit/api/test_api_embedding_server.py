"""Embedding by a server in Python: planned, tried, and confirmed by an argument."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from embedding_site import EmbeddingSite

import workbench
from workbench.model.embedding_server import EmbeddingServer


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingSite]:
    monkeypatch.setattr("workbench.operations.library.trust.config_folder", lambda: tmp_path / "config")
    with EmbeddingSite() as made:
        yield made


def test_a_script_plans_tries_and_confirms_a_server(
    tmp_path: Path, site: EmbeddingSite, monkeypatch: pytest.MonkeyPatch, warm_readers: None
) -> None:
    monkeypatch.setattr(EmbeddingServer, "is_here", property(lambda _server: False))
    model = site.server().text
    with workbench.open_library(tmp_path / "library") as library:
        library.add(text="The harbour of Lindhamn froze on 3 May 1893.", name="Ice")
        plan = library.embedder.plan(model, price=0.1)
        assert plan is not None
        assert (plan.passages, plan.leaves, plan.is_allowed, plan.price) == (1, True, False, 0.1)
        assert library.embedder.plan("built-in-or-hub/name") is None
        assert library.embedder.try_server(model).dimensions == 192
        with pytest.raises(workbench.EmbeddingError, match="may not be sent"):
            library.embedder.change(model)
        state = library.embedder.change(model, may_send=True)
        assert state.current is not None
        assert state.current.choice.model == model
