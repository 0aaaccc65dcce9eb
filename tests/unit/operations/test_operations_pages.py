"""Pages as pictures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import EncryptedDocument
from workbench.operations import Library
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]


def test_e2_page_of_an_encrypted_file_is_drawn_after_a_restart(library: Library, run: Run, encrypted_pdf: Path) -> None:
    run(operations.add_documents(library, [encrypted_pdf], password="sesame"))
    (document,) = library.documents.list()
    library.passwords.clear()  # as after a restart
    library.remembered_passwords = ["another", "sesame"]
    assert run(operations.page_image(library, document.id, 1)).png.startswith(b"\x89PNG")
    library.passwords.clear()
    library.remembered_passwords = []
    with pytest.raises(EncryptedDocument):
        run(operations.page_image(library, document.id, 1))
