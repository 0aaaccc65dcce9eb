"""The library's copies of files, put in order: copied again, or set aside."""

from workbench.errors import WorkbenchError
from workbench.files.changes import delete_folder
from workbench.language import mark
from workbench.model.document import Document
from workbench.operations.aside import Aside
from workbench.operations.library import Library
from workbench.operations.original_copies import keep_original
from workbench.operations.sources import Digest, find_copy, users_file


def copy_again(library: Library, document: Document, aside: Aside) -> str:
    """Put a copy of the user's file in the place of the library's, which is damaged or gone; says so. Blocking."""
    file = users_file(document)
    if file is None:
        return mark(f"The file of “{document.name}” changed meanwhile; add it again.")
    try:
        set_copy_aside(library, document, aside)
        keep_original(file, library.originals, Digest(document.sha256, document.size))
    except WorkbenchError as error:
        return f"“{document.name}”: {error.message}"
    return mark(f"The file of “{document.name}” was copied again.")


def set_copy_aside(library: Library, document: Document, aside: Aside) -> str:
    """Set the library's copy of a file aside, which is damaged; says so. Blocking."""
    copy = find_copy(library.originals, document)
    if copy is not None:
        aside.take_file(copy)
        delete_folder(copy.parent, within=library.folder)
    return mark(f"The damaged copy of the file of “{document.name}” was set aside.")
