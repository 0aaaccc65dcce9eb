"""A program that kills itself: opens a library, starts an operation, and ends by SIGKILL at one of its events.

    python killed_child.py LIBRARY VERB EVENT HOW_MANY

It uses small embedders, so that the embedded texts can be counted.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from small_embedder import SmallEmbedder

from workbench import operations
from workbench.operations import Library
from workbench.operations.folders import folder_linking
from workbench.operations.library import embedder_change
from workbench.operations.library.models import SearchModels
from workbench.worker.job import JobContext


def use_small_models() -> dict[str, SmallEmbedder]:
    """Replace model loading by the embedders "old" and "new"; return them."""
    real = SearchModels.load_embedder
    made: dict[str, SmallEmbedder] = {}

    def load(self: SearchModels, choice: embedder_change.EmbedderChoice) -> SmallEmbedder:
        name = choice.model or "old"
        if name not in made:
            tokenizer = real(self, embedder_change.EmbedderChoice("", "fp32")).tokenizer
            made[name] = SmallEmbedder(tokenizer, name=name, dim=256 if name == "old" else 192)
        return made[name]

    SearchModels.load_embedder = load  # type: ignore[method-assign]
    embedder_change.BATCH = 8
    folder_linking.SETTLE_SECONDS = 0.02
    return made


def main(folder: str, verb: str, event: str, how_many: str) -> None:
    """Run the operation until its event has occurred the given number of times."""
    left = int(how_many)

    def emit(said: object) -> None:
        nonlocal left
        left -= type(said).__name__ == event
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    use_small_models()
    library = Library.open(Path(folder))
    asyncio.run(getattr(operations, verb)(library)(JobContext(emit)))


if __name__ == "__main__":
    main(*sys.argv[1:])
