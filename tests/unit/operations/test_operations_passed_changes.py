"""What one program may ask another to change, as messages: only what is well formed is understood."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import LibraryError, NotFound, WorkbenchError
from workbench.model.progress import FileDivided, FileFinished, FileOutcome
from workbench.operations.passed_changes import (
    LONGEST_MESSAGE,
    AddFiles,
    AddLinks,
    AddNote,
    AddTopics,
    Change,
    Delete,
    Edit,
    EditNote,
    Remove,
    Restore,
    Unlock,
    change_of,
    event_message,
    event_of,
    failure_message,
    failure_of,
    line_of,
    message_of,
    object_of,
)

ODD = Path("/a/b\udce4d \N{SNOWMAN}.md")
CHANGES: tuple[Change[Any], ...] = (
    AddFiles((ODD, Path("/b")), "law", "pw", remember=True, rehash=True, include=("*.pdf",), follow_links=False),
    AddFiles((), "law"),
    AddLinks(("https://example.org",), "law", run_scripts=True),
    AddTopics(("Sea ice", "海冰"), "law"),
    AddNote("# Note\n", "", "law"),
    EditNote(3, "# Note\n", "Title"),
    Unlock((1, 2), "pw", remember=True),
    Remove((2**63 - 1,), for_good=True),
    Restore((1,)),
    Delete((1,)),
    Edit(1, {"title": "Heron"}, ("law",), ("late",)),
)
REMOVE = {"version": 2, "change": "Remove", "documents": [1], "for_good": False}
ADD = json.loads(message_of(AddFiles((Path("/a"),), "law")))


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_change_is_the_same_on_the_other_side(change: Change[Any]) -> None:
    assert change_of(object_of(message_of(change))) == change


@pytest.mark.parametrize(
    "said",
    [
        {**REMOVE, "version": 3},
        {**REMOVE, "version": None},
        {**REMOVE, "change": "Change"},
        {**REMOVE, "change": ["Remove"]},
        {**REMOVE, "documents": 1},
        {**REMOVE, "documents": ["1"]},
        {**REMOVE, "documents": [True]},
        {**REMOVE, "documents": [0]},
        {**REMOVE, "documents": [2**63]},
        {**REMOVE, "for_good": 1},
        {**REMOVE, "more": 1},
        {"version": 2, "change": "Remove"},
        {**ADD, "paths": ["a/relative/path"]},
        {**ADD, "paths": ["/a\0b"]},
        {**ADD, "paths": [7]},
        {**ADD, "knowledge_base": "half a character: \udce4"},
        {**ADD, "follow_links": "yes"},
        {"version": 2, "change": "Edit", "document": 1, "fields": {"title": 7}, "tag": [], "untag": []},
        {"version": 2, "change": "Edit", "document": 1, "fields": [], "tag": [], "untag": []},
    ],
    ids=repr,
)
def test_what_is_not_well_formed_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(LibraryError, match="Nothing was changed"):
        change_of(said)


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[1]", b"\xff\xfe", b"[" * 100_000, b"1" * 10_000], ids=len)
def test_what_is_no_json_object_says_nothing(line: bytes) -> None:
    assert object_of(line) == {}


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(LibraryError, match="too much for one message"):
        message_of(AddNote("a" * LONGEST_MESSAGE, "", "law"))


def test_a_password_is_in_no_error_and_not_in_what_is_printed_of_a_change() -> None:
    assert "sesame" not in repr((AddFiles((), "law", "sesame"), Unlock((), "sesame")))
    with pytest.raises(LibraryError) as refused:
        change_of({**ADD, "password": ["sesame"]})
    assert "sesame" not in f"{refused.value}{refused.value.__cause__}"


@pytest.mark.parametrize(
    "event", [FileFinished("/a.md", FileOutcome.LOCKED, None, "Locked.", 0, 0, 0.5), FileDivided("/a.md", "Long.")]
)
def test_what_became_of_a_file_is_the_same_on_the_other_side(event: object) -> None:
    message = event_message(event)
    assert message is not None
    assert event_of(object_of(line_of(message))) == event


@pytest.mark.parametrize("said", [{"event": "FileFinished"}, {"event": "FileFinished", "outcome": "x"}, {"taken": 1}])
def test_an_event_of_another_version_is_passed_over(said: dict[str, Any]) -> None:
    assert event_of(said) is None


def test_an_error_keeps_its_class_and_its_sentences_and_a_bug_says_nothing_of_itself() -> None:
    error = failure_of(failure_message(NotFound("There is none.", "Look."))["failed"])
    assert (type(error), error.message, error.hint) == (NotFound, "There is none.", "Look.")
    assert "secret" not in str(failure_message(KeyError("secret")))
    assert type(failure_of({"kind": "os", "message": "x"})) is WorkbenchError
