"""Shared libraries for scripts: set up, connected, filled, read and searched on a real PostgreSQL server."""

from pathlib import Path

import pytest
from shared_libraries import empty_database, write_file

import workbench
from workbench import NotFound, SharedImportProgress, SharedMember


def test_a_script_sets_up_fills_reads_and_searches_a_shared_library(
    library: workbench.Library, postgres_url: str, tmp_path: Path
) -> None:
    paper = write_file(tmp_path, "harbour.md", "# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n")
    shared = library.shared_libraries
    events: list[object] = []
    with empty_database(postgres_url) as url:
        shared.create(url)
        assert shared.connect("team", url).url == url
        shared.add_knowledge_base("team/papers")
        library.add(paper, knowledge_base="team/papers")
        assert shared.list()[0].waiting == 1
        assert shared.read_documents("team", on_event=events.append) == 1
        assert SharedImportProgress("team", 1, 0) in events
        (hit, *_) = library.search("When did the harbour freeze?").hits
        assert (hit.document_name, shared.members("team/papers")) == (
            "harbour.md",
            [SharedMember("postgres", "manage")],
        )
        shared.disconnect("team")
    assert shared.list() == []


def test_what_does_not_exist_raises_not_found(library: workbench.Library) -> None:
    with pytest.raises(NotFound, match="team"):
        library.shared_libraries.disconnect("team")
    with pytest.raises(NotFound, match="team"):
        library.shared_libraries.set_member("team/papers", "eva", "read")
