"""Changes that one program passes to another, as messages: only well-formed ones are accepted."""

import base64
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import LibraryError, NotFound, WorkbenchError
from workbench.model.agent import Agent
from workbench.model.egress import OfflineModeChoice
from workbench.model.embedder import EmbedderChangeProgress
from workbench.model.import_progress import FileDivided, FileFinished, FileOutcome
from workbench.model.knowledge_base import RefusedDocument, Transfer
from workbench.model.memory import MemoryKind
from workbench.model.profile import ToolCalling, WireApi
from workbench.operations.library.change_messages import (
    LONGEST_MESSAGE,
    change_of,
    event_message,
    event_of,
    failure_message,
    failure_of,
    line_of,
    message_of,
    object_of,
    result_message,
    result_of,
)
from workbench.operations.library.document_changes import (
    DOCUMENT_CHANGES,
    AddFiles,
    AddLinks,
    AddNote,
    AddQuery,
    AddTopics,
    Change,
    CheckFolders,
    Delete,
    DisableChunk,
    Edit,
    EditChunk,
    EditNote,
    GiveMetadata,
    GoBack,
    ImportMetadata,
    LinkFolder,
    MergeChunks,
    Move,
    Pause,
    Recut,
    Refetch,
    Reindex,
    Remove,
    ResetChunk,
    Restore,
    Resume,
    SplitChunk,
    TagChunk,
    UnlinkFolder,
    Unlock,
    Whole,
)
from workbench.operations.library.library_changes import (
    LIBRARY_CHANGES,
    AddBase,
    AddMemory,
    ChangeEmbedder,
    ClearMemories,
    ClearNetwork,
    CreateBackup,
    DeleteOtherStores,
    DrawMap,
    EditMemory,
    ForbidPlugin,
    ForbidToolServer,
    ImportAgents,
    ImportSession,
    KeepEmbedder,
    MoveStore,
    PutAgent,
    PutOfflineMode,
    PutProfile,
    PutSetting,
    PutToolServer,
    RemoveAgent,
    RemoveBase,
    RemoveMemory,
    RemoveProfile,
    RemoveReading,
    RemoveToolServer,
    RenameBase,
    ResetSetting,
    RevertEmbedder,
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
    AddQuery("postgresql://lily@host/law", "SELECT 1", "", "law"),
    *(Refetch((1,), ("example.org",)), Reindex((1,)), Reindex((1,), more_time=True), Recut(), Pause(), Resume()),
    Move((1,), "law", copy=True),
    *(GiveMetadata((1,), ("dept=hr",), ("year",)), ImportMetadata(ODD, ""), CheckFolders(), UnlinkFolder(1)),
    *(EditChunk(Whole(-1), "Text."), MergeChunks(Whole(1), previous=True), SplitChunk(Whole(1), Whole(0))),
    *(DisableChunk(Whole(1), disabled=True), TagChunk(Whole(1), ("late",)), ResetChunk(Whole(1)), GoBack(1, None)),
    *(GoBack(1, Whole(2), redo=True), LinkFolder(ODD, "law", ("dept=hr",))),
    *(AddBase("law"), RenameBase("law", "laws"), RemoveBase("law"), PutSetting("bin_days", "7"), DrawMap()),
    *(ResetSetting("bin_days"), PutOfflineMode(OfflineModeChoice.OFF), ClearNetwork(), RemoveProfile("ours")),
    PutProfile("ours", "http://127.0.0.1/v1", "llama", WireApi.CHAT, "KEY", ToolCalling.TEXT),
    *(PutAgent(Agent("clerk", instructions=("Be brief.",), ask_before={"web": True})), RemoveAgent("clerk")),
    *(ImportAgents(ODD), AddMemory("lily", "Tea.", MemoryKind.USER_PREFERENCE), EditMemory("", Whole(0), "Tea.")),
    *(RemoveMemory("lily", Whole(1)), ClearMemories(""), RemoveReading(Whole(1)), CreateBackup()),
    *(PutToolServer("files", ("cat", "-"), "", ("HOME",), ""), ForbidToolServer("files"), RemoveToolServer("files")),
    *(ForbidPlugin("minutes"), ImportSession("lily", ODD, None), ImportSession("", ODD, Path("/b"))),
    *(ChangeEmbedder(None), ChangeEmbedder("", ("example.org",)), RevertEmbedder(), KeepEmbedder()),
    *(MoveStore("faiss"), MoveStore("qdrant", "http://127.0.0.1:6333"), DeleteOtherStores()),
)
REMOVE = {"version": 4, "change": "Remove", "documents": [1], "for_good": False}
TOOL_SERVER = json.loads(message_of(PutToolServer("files", ("cat",), "", (), "")))
ADD = json.loads(message_of(AddFiles((Path("/a"),), "law")))


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_change_is_the_same_on_the_other_side(change: Change[Any]) -> None:
    assert change_of(object_of(message_of(change))) == change


def test_every_change_that_may_be_asked_for_is_tried_here() -> None:
    assert {type(one) for one in CHANGES} == {*DOCUMENT_CHANGES, *LIBRARY_CHANGES}


@pytest.mark.parametrize(
    "said",
    [
        {**REMOVE, "version": 5},
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
        {"version": 4, "change": "Remove"},
        {**ADD, "paths": ["a/relative/path"]},
        {**ADD, "paths": ["/a\0b"]},
        {**ADD, "paths": [7]},
        {**ADD, "knowledge_base": "half a character: \udce4"},
        {**ADD, "follow_links": "yes"},
        {"version": 4, "change": "Edit", "document": 1, "fields": {"title": 7}, "tag": [], "untag": []},
        {"version": 4, "change": "Edit", "document": 1, "fields": [], "tag": [], "untag": []},
        {"version": 4, "change": "EditChunk", "chunk": 1.5, "text": "a"},
        {"version": 4, "change": "EditChunk", "chunk": 2**63, "text": "a"},
        {"version": 4, "change": "ImportMetadata", "table": "a.csv", "knowledge_base": ""},
        {"version": 4, "change": "ImportSession", "user": "", "file": "/a", "documents": "b"},
        {"version": 4, "change": "LinkFolder", "folder": None, "knowledge_base": "law", "metadata": []},
        {"version": 4, "change": "PutOfflineMode", "choice": "open"},
        {"version": 4, "change": "PutSetting", "key": "bin_days", "value": 7},
        {"version": 4, "change": "AddMemory", "user": "", "text": "Tea.", "kind": ["fact"]},
        {"version": 4, "change": "PutAgent", "agent": "clerk"},
        {"version": 4, "change": "PutAgent", "agent": {"name": "clerk"}},
        {"version": 4, "change": "PutAgent", "agent": {**Agent("clerk").as_dict(), "rounds": 0}},
        {"version": 4, "change": "PutAgent", "agent": {**Agent("clerk").as_dict(), "tools": "calculator"}},
        {"version": 4, "change": "PutAgent", "agent": {**Agent("clerk").as_dict(), "state": {"a": "\udce4"}}},
        {**TOOL_SERVER, "allow": True},
        {**TOOL_SERVER, "command": "rm -r /"},
    ],
    ids=repr,
)
def test_a_malformed_change_message_is_rejected(said: dict[str, Any]) -> None:
    with pytest.raises(LibraryError, match="Nothing was changed"):
        change_of(said)


@pytest.mark.parametrize("line", [b"", b"nonsense", b"[1]", b"\xff\xfe", b"[" * 100_000, b"1" * 10_000], ids=len)
def test_a_line_that_is_not_a_json_object_is_parsed_as_empty(line: bytes) -> None:
    assert object_of(line) == {}


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(LibraryError, match="too much to send at once"):
        message_of(AddNote("a" * LONGEST_MESSAGE, "", "law"))


def test_a_password_is_in_no_error_and_not_in_what_is_printed_of_a_change() -> None:
    assert "sesame" not in repr((AddFiles((), "law", "sesame"), Unlock((), "sesame")))
    with pytest.raises(LibraryError) as refused:
        change_of({**ADD, "password": ["sesame"]})
    assert "sesame" not in f"{refused.value}{refused.value.__cause__}"


@pytest.mark.parametrize(
    "event",
    [
        FileFinished("/a.md", FileOutcome.LOCKED, None, "Locked.", 0, 0, 0.5),
        FileDivided("/a.md", "Long."),
        EmbedderChangeProgress("ours", 1, 2, None),
    ],
)
def test_the_outcome_of_a_file_is_the_same_on_the_receiving_side(event: object) -> None:
    message = event_message(event)
    assert message is not None
    assert event_of(object_of(line_of(message))) == event


def test_the_result_of_a_change_is_the_same_on_the_receiving_side() -> None:
    came_to = [Transfer("law", (1,), (RefusedDocument(2, "a.md", "It is there already."),)), ODD, None]
    assert result_of(object_of(line_of(result_message(came_to)))["done"]) == came_to


@pytest.mark.parametrize("said", [None, 7, "no base64", base64.b64encode(pickle.dumps(os.system)).decode()])
def test_an_invalid_result_is_reported_and_calls_nothing(said: object) -> None:
    with pytest.raises(LibraryError, match="The change was made"):
        result_of(said)


@pytest.mark.parametrize("said", [{"event": "FileFinished"}, {"event": "FileFinished", "outcome": "x"}, {"taken": 1}])
def test_an_event_of_another_version_is_passed_over(said: dict[str, Any]) -> None:
    assert event_of(said) is None


def test_an_error_keeps_its_class_and_messages_and_a_bug_reveals_nothing_of_its_message() -> None:
    error = failure_of(failure_message(NotFound("There is none.", "Look."))["failed"])
    assert (type(error), error.message, error.hint) == (NotFound, "There is none.", "Look.")
    assert "secret" not in str(failure_message(KeyError("secret")))
    assert type(failure_of({"kind": "os", "message": "x"})) is WorkbenchError
