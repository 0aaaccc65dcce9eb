"""Custom metadata from files: front matter, sidecar files, tables, and metadata given with the import."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import MetadataError, NotFound
from workbench.model.import_progress import FileOutcome
from workbench.operations import Library
from workbench.retrieval.filters.json_forms import filter_of

Run = Callable[[Any], Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "contracts"
    folder.mkdir()
    (folder / "a.txt").write_text("The harbour froze in 1893.\n", "utf-8")
    (folder / "b.md").write_text(
        "---\ntitle: Ferry\ntags: [sea]\ndept: it\nDue-Date: 2025-06-01\nbudget: 12.5\n---\n\nThe ferry stayed.\n",
        "utf-8",
    )
    return folder


def metadata(library: Library) -> dict[str, dict[str, object]]:
    return {one.name: {field.key: field.plain for field in one.custom} for one in library.documents.list()}


def test_front_matter_of_markdown_gives_the_keys_that_are_not_the_programs(
    library: Library, run: Run, folder: Path
) -> None:
    run(operations.add_documents(library, [folder]))
    assert metadata(library) == {"a.txt": {}, "b.md": {"dept": "it", "due_date": "2025-06-01", "budget": 12.5}}
    found = run(
        operations.search(library, "ferry", filter=filter_of({"op": "LT", "key": "due_date", "value": "2025-07"}))
    )
    assert {hit.document_name for hit in found.hits} == {"b.md"}
    (document,) = [one for one in library.documents.list() if one.name == "b.md"]
    run(operations.reindex_documents(library, [document.id]))
    assert metadata(library)["b.md"]["dept"] == "it"


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_a_sidecar_file_gives_metadata_and_is_no_document(
    library: Library, run: Run, folder: Path, ending: str
) -> None:
    sidecar = folder / f"a.txt.meta.{ending}"
    sidecar.write_text(json.dumps({"dept": "hr", "team": ["x", "y"]}), "utf-8")
    added = run(operations.add_documents(library, [folder]))
    assert metadata(library)["a.txt"] == {"dept": "hr", "team": ["x", "y"]}
    assert [one.reason[:35] for one in added if one.outcome is FileOutcome.SKIPPED] == [
        "It contains metadata of other files"
    ]
    sidecar.write_text(json.dumps({"dept": "legal"}), "utf-8")
    run(operations.add_documents(library, [folder]))
    assert metadata(library)["a.txt"] == {"dept": "legal"}
    # The library's copy has no sidecar file.
    (folder / "a.txt").unlink()
    sidecar.unlink()
    run(operations.reindex_documents(library, [one.id for one in library.documents.list() if one.name == "a.txt"]))
    assert metadata(library)["a.txt"] == {"dept": "legal"}


def test_a_table_of_the_folder_gives_a_row_to_each_file_and_a_sidecar_goes_before_it(
    library: Library, run: Run, folder: Path
) -> None:
    (folder / "metadata.csv").write_text("file;Dept;Due date;title\na.txt;hr;2025-05;T\nb.md;ops;;\n", "utf-8")
    (folder / "b.md.meta.json").write_text('{"dept": "sea"}', "utf-8")
    run(operations.add_documents(library, [folder]))
    assert metadata(library) == {
        "a.txt": {"dept": "hr", "due_date": "2025-05"},
        "b.md": {"dept": "sea", "due_date": "2025-06-01", "budget": 12.5},
    }


def test_a_table_without_names_of_files_is_a_document(library: Library, run: Run, folder: Path) -> None:
    (folder / "metadata.csv").write_text("city,people\nLindhamn,12\n", "utf-8")
    run(operations.add_documents(library, [folder]))
    assert "metadata.csv" in metadata(library)


def test_an_invalid_sidecar_file_is_reported_and_the_document_is_added(
    library: Library, run: Run, folder: Path
) -> None:
    (folder / "a.txt.meta.json").write_text("{", "utf-8")
    run(operations.add_documents(library, [folder / "a.txt"]))
    (document,) = library.documents.list()
    assert document.warnings == ("Metadata left out: “a.txt.meta.json” cannot be understood.",)


def test_metadata_given_with_the_import_counts_as_the_users_own_and_overrides_sidecar_files(
    library: Library, run: Run, folder: Path
) -> None:
    (folder / "b.md.meta.json").write_text('{"dept": "sea"}', "utf-8")
    run(operations.add_documents(library, [folder], metadata={"dept": "legal"}))
    assert [one["dept"] for one in metadata(library).values()] == ["legal", "legal"]
    with pytest.raises(MetadataError):
        operations.add_documents(library, [folder], metadata={"author": "x"})


def test_a_table_is_imported_for_documents_that_are_there(library: Library, run: Run, folder: Path) -> None:
    run(operations.add_documents(library, [folder]))
    table = folder.parent / "all.csv"
    table.write_text(f"path,dept,author\na.txt,hr,x\n{folder / 'b.md'},legal,x\nnone.txt,x,x\n", "utf-8")
    outcome = run(operations.import_metadata(library, table))
    assert [one["dept"] for one in metadata(library).values()] == ["hr", "legal"]
    assert outcome.unknown == ("none.txt",)
    run(operations.put_metadata(library, outcome.before))
    assert metadata(library)["a.txt"] == {}


def test_a_linked_folder_gives_its_metadata_to_what_is_in_it_and_follows_sidecar_files(
    library: Library, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.folders.folder_linking.SETTLE_SECONDS", 0.02)
    run(operations.link_folder(library, folder, metadata={"dept": "all", "site": "north"}))
    assert metadata(library)["a.txt"] == {"dept": "all", "site": "north"}
    assert metadata(library)["b.md"]["dept"] == "all"
    (folder / "a.txt.meta.json").write_text('{"dept": "hr"}', "utf-8")
    (folder / "c.txt").write_text("A third file.", "utf-8")
    run(operations.check_linked_folders(library))
    assert metadata(library)["a.txt"] == {"dept": "hr", "site": "north"}
    assert metadata(library)["c.txt"] == {"dept": "all", "site": "north"}
    run(operations.link_folder(library, folder, metadata={"dept": "none"}))
    assert metadata(library)["c.txt"] == {"dept": "none"}
    run(operations.link_folder(library, folder))
    assert metadata(library)["c.txt"] == {"dept": "none"}


def test_metadata_of_a_linked_folder_is_changed_rejected_when_invalid_and_restored(
    library: Library, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.folders.folder_linking.SETTLE_SECONDS", 0.02)
    run(operations.link_folder(library, folder, metadata={"dept": "all"}))
    (linked,) = run(operations.list_linked_folders(library))
    assert [(field.key, field.written) for field in linked.metadata] == [("dept", "all")]
    with pytest.raises(MetadataError):
        run(operations.put_folder_metadata(library, linked.id, {"author": "x"}))
    before = run(operations.put_folder_metadata(library, linked.id, {"site": "north", "dept": None}))
    assert metadata(library)["a.txt"] == {"site": "north"}
    assert run(operations.put_folder_metadata(library, linked.id, before)) == {"site": "north"}
    assert metadata(library)["a.txt"] == {"dept": "all"}
    with pytest.raises(NotFound):
        run(operations.put_folder_metadata(library, 99, {}))
