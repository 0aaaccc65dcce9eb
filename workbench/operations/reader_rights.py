"""What the processes that read documents may see of the disk: where documents lie, and never the library's database."""

from contextlib import suppress
from pathlib import Path

from workbench.files.modes import make_folder
from workbench.operations.library import Library
from workbench.operations.models import model_cache
from workbench.parsing.sandboxed import reader_programs
from workbench.worker.confinement import Confinement


def reader_rights(library: Library) -> Confinement:
    """Return what a reader may do that is started now; each of its calls gets its own file only. Blocking."""
    folder = library.folder
    # A reader sees only folders that were there when it started; without this one the first file would wait 0.3 s for
    # another. A folder that is not to be written is no matter for readers.
    with suppress(OSError):
        make_folder(library.originals, inherit=True)
    # The embedder's tokenizer, which counts, is read from the cache of models.
    places = [library.originals, folder / "staging", folder / "unpacked", model_cache()]
    linked = [Path(one.path) for one in library.linked.list()]
    return Confinement(reads=(*places, *linked), programs=reader_programs())
