"""kill -9 at any moment: acknowledged data exist, others do not, and nothing is incomplete."""

import subprocess
import sys
from pathlib import Path

from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex

PROGRAM = """
import pathlib, sys, time
from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.store import document_writes
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex

database = Database.open(pathlib.Path(sys.argv[1]))
documents, keywords = DocumentStore(database), KeywordIndex(database)

def put(document, word, sha256):
    text = word * 2000
    lines = [Chunk(i, 0, 1, f"{word} {i}", None, None, (), BlockKind.PARAGRAPH, 1) for i in range(2000)]
    documents.put_content(document, ParsedDocument(text, (), (), Metadata("T"), "text"), lines, sha256=sha256, size=1)

document = documents.queue(pathlib.Path("/a"), knowledge_base="default", sha256="1", size=1, format="text").id
put(document, "apples", "1")
add_rows = document_writes.add_rows

def add_and_wait(connection, rows):
    add_rows(connection, rows)
    print("in the middle", flush=True)
    sys.stdin.read()

document_writes.add_rows = add_and_wait
put(document, "pears", "2")
"""


def test_a_kill_in_the_middle_of_a_replacement_leaves_the_old_content_whole(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in the middle\n"
        process.kill()
    database = Database.open(tmp_path)
    documents, keywords = DocumentStore(database), KeywordIndex(database)
    (document,) = documents.list()
    assert (document.sha256, document.chunks) == ("1", 2000)
    assert documents.text(document.id) == "apples" * 2000
    assert {chunk.text.split()[0] for chunk in documents.chunks(document.id)} == {"apples"}
    assert (len(keywords.search("apples", 3000)), len(keywords.search("pears", 3000))) == (2000, 0)
    assert database.integrity_problem() == ""
    database.close()
