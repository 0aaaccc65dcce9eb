"""Linked folders and the bin on the command line."""

from pathlib import Path
from typing import Any

import pytest
from web_site import Site, body, page, redirect


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Harbour\n\nThe ferry Aurora stayed in port for nine days.\n", "utf-8")
    return folder


def test_a_folder_is_linked_checked_and_unlinked(shell: Any, folder: Path) -> None:
    (linked,) = shell("link", folder)
    assert (linked["path"], linked["state"], linked["added"]) == (str(folder), "followed", 1)
    (folder / "harbour.md").rename(folder / "port.md")
    (checked,) = shell("links", "--check")
    assert (checked["moved"], checked["documents"]) == (1, 1)
    assert [document["name"] for document in shell("list")] == ["port.md"]
    assert [one["status"] for one in shell("unlink", folder)] == ["unlinked"]
    assert (shell("links"), len(shell("list"))) == ([], 1)


def test_a_removed_document_is_in_the_bin(shell: Any, folder: Path) -> None:
    shell("link", folder)
    (removed,) = shell("remove", "harbour.md")
    (binned,) = shell("bin")
    assert (binned["document"], binned["status"], binned["with_file"]) == (removed["document"], "removed", False)
    assert [one["status"] for one in shell("bin", "--restore", removed["document"])] == ["restored"]
    assert len(shell("list")) == 1
    shell("remove", "harbour.md", "--for-good")
    assert shell("bin") == []
    (error,) = shell("bin", "--delete", removed["document"])
    assert error["kind"] == "NotFound"


def test_b7_topics_are_added_and_one_without_an_article_fails(shell: Any) -> None:
    article = redirect("/wiki/Sea_ice")
    page_of_it = body(page("Sea ice", "Sea ice arises as seawater freezes, and floats because it is less dense."))
    with Site({"/search?go=Go&q=sea%20ice": article, "/wiki/Sea_ice": page_of_it}) as wiki:
        shell("settings", "allow_private_addresses", "yes")
        shell("settings", "topic_url", wiki.url("/search?go=Go&q={topic}"))
        added = shell("add", "--topic", "sea ice", "--topic", "nowhere")
        assert sorted(line["status"] for line in added) == ["failed", "ready"]
        assert (shell.status, wiki.url("/wiki/Sea_ice") in [line["path"] for line in added]) == (1, True)
        assert "No article of this name" in next(line["reason"] for line in added if line["status"] == "failed")
        (error,) = shell("settings", "topic_url", wiki.url("/"))
        assert (error["kind"], shell.status) == ("SettingError", 1)
