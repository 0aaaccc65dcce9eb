"""A library whose index is damaged by another program while it is open; SIGBUS would end it.

python damaged_library.py FOLDER DAMAGE ACCESS
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from damaged_index import damage
from kill_world import small_embedder

from workbench import operations
from workbench.indexing import segment
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.library.models import REPAIRED
from workbench.store.database import Access
from workbench.worker.job import JobContext, Operation

DENSE = SearchConfiguration(SearchMode.DENSE)
PAPERS = {"heron.md": "The heron stood in the reeds.", "ferry.md": "A ferry left the harbour at noon."}


def run(operation: Operation[Any]) -> Any:
    """Run an operation and return its value."""

    async def main() -> Any:
        return await operation(JobContext())

    return asyncio.run(main())


def notes_of_search(library: Library) -> tuple[str, ...]:
    """Run a semantic search and check its hits."""
    result = run(operations.search(library, PAPERS["heron.md"], configuration=DENSE))
    assert [Path(hit.path).name for hit in result.hits] == list(PAPERS)
    return tuple(result.notes)


def main(folder: Path, how: str, access: Access) -> None:
    """Damage the index while it is open, and a second time restore it afterwards."""
    papers = folder.with_name("papers")
    papers.mkdir()
    for name, text in PAPERS.items():
        (papers / name).write_text(text, encoding="utf-8")
    library = Library.open(folder, embedder=small_embedder(""))
    run(operations.add_documents(library, [papers]))
    library.close()
    segment.LEAST = 1  # rows stay in their file, as in a large library
    library = Library.open(folder, embedder=small_embedder(""), access=access)
    library.upkeep.close()  # its work is done here
    assert REPAIRED not in notes_of_search(library)
    (file,) = (folder / "index").glob("*/*.vectors")
    good = file.read_bytes()
    damage(file, how)
    file.write_bytes(good)
    assert REPAIRED not in notes_of_search(library)
    damage(file, how)
    assert REPAIRED in notes_of_search(library)
    assert REPAIRED not in notes_of_search(library)
    if access is Access.WRITE:
        library._maintain(lambda: False)
        notes_of_search(library)
    library.close()
    library = Library.open(folder, embedder=small_embedder(""))
    assert (REPAIRED in notes_of_search(library)) is (access is Access.READ)
    library.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Access(sys.argv[3]))
    sys.stdout.write("right to the end")
