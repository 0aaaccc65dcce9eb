"""Page images."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.errors import EncryptedDocument, NotFound
from workbench.model.document import Document
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


def test_pages_are_listed_with_their_sizes_and_rendered_for_a_window_with_their_own_marks(
    library: Library, run: Run, tmp_path: Path
) -> None:
    document = three_pages(library, run, tmp_path)
    pages = run(operations.document_pages(library, document.id))
    assert [(page.number, page.width, page.height) for page in pages] == [(n, 300.0, 200.0) for n in (1, 2, 3)]
    text = run(operations.document_text(library, document.id))
    start = text.index("Heron 2")
    (mark,) = run(operations.page_marks(library, document.id, 2, [(start, start + 7)]))
    assert mark[:2] == pytest.approx((40, 40), abs=15)
    assert run(operations.page_marks(library, document.id, 1, [(start, start + 7)])) == ()
    apart = run(operations.page_marks(library, document.id, 2, [(start, start + 5), (start + 6, start + 7)]))
    assert len(apart) == 2
    assert run(operations.page_picture(library, document.id, 2, scale=2.0)).data.startswith(b"P6\n600 400\n")


def test_a_chunk_is_returned_with_the_chunks_before_and_after_it(library: Library, run: Run, tmp_path: Path) -> None:
    document = three_pages(library, run, tmp_path)
    chunks = run(operations.list_chunks(library, document.id))
    around = [run(operations.chunk_neighbours(library, one.id)) for one in chunks]
    assert [one.chunk for one in around] == chunks
    assert [one.before for one in around] == [None, *chunks[:-1]]
    assert [one.after for one in around] == [*chunks[1:], None]
    with pytest.raises(NotFound):
        run(operations.chunk_neighbours(library, 9999))


def test_outlines_of_a_page_are_of_the_chunks_on_it(library: Library, run: Run, tmp_path: Path) -> None:
    document = three_pages(library, run, tmp_path)
    chunks = run(operations.list_chunks(library, document.id))
    for page in (1, 2, 3):
        found = run(operations.page_outlines(library, document.id, page))
        assert [one.chunk for one in found] == [
            one.id for one in chunks if one.page <= page <= (one.page_end or one.page)
        ]


def three_pages(library: Library, run: Run, tmp_path: Path) -> Document:
    """Add a PDF of three pages, each with a different sentence."""
    pdf: Any = pymupdf.open()
    for number in (1, 2, 3):
        pdf.new_page(width=300, height=200).insert_text((40, 50), f"Heron {number} flew over the harbour at dawn.")
    pdf.save(tmp_path / "herons.pdf")
    run(operations.add_documents(library, [tmp_path / "herons.pdf"]))
    (document,) = library.documents.list()
    return document
