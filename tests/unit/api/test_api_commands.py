"""Every command of the command line has verbs for scripts, or a reason here why it has none."""

from operator import attrgetter

import workbench
from workbench.cli.parser import build_parser

VERBS = {
    "add": "add",
    "add-query": "add",
    "agents": "agents.list agents.get agents.put agents.delete agents.import_workspace agents.workspace_problems",
    "ask": "ask readings.offer",
    "backup": "integrity.backups integrity.create_backup integrity.delete_backup",
    "bin": "bin.list bin.restore bin.empty",
    "check": "integrity.check integrity.document integrity.documents",
    "chunk": "edit_chunk merge_chunks split_chunk disable_chunk tag_chunk reset_chunk undo_chunk_edit redo_chunk_edit",
    "chunks": "chunks chunk_edits",
    "doctor": "integrity.examine integrity.report",
    "edit": "edit_document tag",
    "store": "vector_store.state vector_store.move vector_store.set_key vector_store.delete_others",
    "embedder": "embedder.state embedder.change embedder.revert embedder.confirm embedder.recut",
    "eval": "evaluation.run evaluation.compare evaluation.runs evaluation.rerun_outdated evaluation.read_file"
    " evaluation.write_file evaluation.keep_configuration evaluation.promote",
    "explain": "explain",
    "export": "sessions.export",
    "import-session": "sessions.import_file",
    "kb": "knowledge_bases.list knowledge_bases.create knowledge_bases.rename knowledge_bases.delete"
    " knowledge_bases.move",
    "link": "folders.link",
    "links": "folders.list folders.check",
    "list": "documents",
    "map": "map.get",
    "mcp-servers": "tool_servers.list tool_servers.put tool_servers.allow tool_servers.forbid tool_servers.set_token"
    " tool_servers.check tool_servers.delete",
    "memory": "memories.list memories.add memories.edit memories.delete memories.clear",
    "metadata": "set_metadata metadata_keys import_metadata",
    "network": "network.offline_mode network.set_offline_mode network.requests network.hosts network.export"
    " network.clear",
    "note": "add edit_note",
    "pause": "pause",
    "plugins": "plugins.list plugins.retrievers plugins.allow plugins.forbid",
    "profiles": "profiles.list profiles.put profiles.delete profiles.check profiles.find_servers",
    "prompt": "runs.open",
    "read-all": "read_all readings.estimate readings.list readings.open readings.resume readings.delete"
    " readings.export",
    "refetch": "refetch",
    "reindex": "reindex",
    "remove": "remove",
    "resume": "resume",
    "runs": "runs.list runs.open runs.diff runs.fork",
    "search": "search neighbours section",
    "sessions": "sessions.list sessions.find",
    "settings": "settings.all settings.get settings.set settings.reset",
    "shared": "shared_libraries.list shared_libraries.create shared_libraries.connect shared_libraries.disconnect"
    " shared_libraries.set_password shared_libraries.add_knowledge_base shared_libraries.members"
    " shared_libraries.set_member",
    "show": "chunks",
    "tools": "tools.list tools.set_web_search_key",
    "unlink": "folders.unlink",
    "unlock": "unlock",
    "worker": "shared_libraries.read_documents",
}
"""Command -> verbs of the library."""

OF_A_CLOSED_LIBRARY = {"check": "check_library", "repair": "repair_library", "backup": "list_backups restore_backup"}
"""Command -> functions of the package."""

NONE = {
    "gui": "opens the window",
    "mcp": "serves other programs as a process of its own, over its standard input and output",
    "tour": "tries the program itself, on its sample documents",
    "version": "is about the program, not a library",
}
"""Command -> reason why scripts have no verb for it."""


def test_every_command_has_verbs_or_a_reason_why_not() -> None:
    (commands,) = [one.choices for one in build_parser()._actions if isinstance(one.choices, dict)]
    assert set(commands) == {*VERBS, *OF_A_CLOSED_LIBRARY, *NONE}


def test_the_verbs_of_every_command_are_there(library: workbench.Library) -> None:
    for verb in " ".join(VERBS.values()).split():
        assert callable(attrgetter(verb)(library)), verb


def test_the_functions_for_a_closed_library_are_there_to_be_waited_for_and_awaited() -> None:
    names = " ".join(OF_A_CLOSED_LIBRARY.values()).split()
    assert {*names, *(f"{name}_async" for name in names)} <= set(workbench.__all__)
