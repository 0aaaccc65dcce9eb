"""What a command opens the library for: to read beside the program that writes, to write, or to write if it can."""

import argparse
from enum import Enum

_READING = frozenset(
    {"list", "show", "sessions", "search", "explain", "export", "chunks", "prompt", "mcp"}
    | {"agents list", "agents show", "agents problems", "embedder show", "kb list", "mcp-servers list", "memory list"}
    | {"metadata list"}
    | {"network list", "network state", "network export", "plugins list", "plugins retrievers", "profiles list"}
    | {"runs list", "runs show", "runs replay", "runs diff"}
)
"""They store nothing, whatever else is typed."""
_CHANGING = frozenset(
    {"add", "add-query", "note", "refetch", "reindex", "remove", "edit", "metadata", "unlock", "bin", "kb", "chunk"}
    | {"link", "unlink", "links", "pause", "resume", "embedder", "settings", "profiles", "agents", "memory", "network"}
    | {"mcp-servers", "plugins", "import-session", "map", "backup"}
)
"""The window that has the library open makes their changes for them (operations/passed_changes.py)."""
_KEEPING = frozenset(
    {"profiles check", "profiles find", "mcp-servers check", "mcp-servers token", "mcp-servers allow", "plugins allow"}
)
"""What they keep is the user's own, in the keyring or beside it, and not in the library."""
_STORING = frozenset({"ask", "runs fork"})
"""They store what they answer, and answer as well where they cannot."""


class Need(Enum):
    """What a command opens the library for."""

    READ = "read"
    STORE = "store"
    """To write; where another program has it open, or nobody can write it, to read."""
    LOOK = "look"
    """The same, and nothing is lost by that."""
    CHANGE = "change"
    """To write; where the window has it open, to read, and the change is passed on to the window."""
    WRITE = "write"


def need_of(options: argparse.Namespace) -> Need:
    """Return what the command that was typed opens the library for."""
    command = options.command
    action = getattr(options, "action", None)
    full = f"{command} {action}" if action else command
    if command in ("doctor", "tools") or full in _KEEPING:
        return Need.LOOK
    if full in _STORING:
        return Need.STORE
    if full in _READING or _only_reads(command, options):
        return Need.READ
    return Need.CHANGE if command in _CHANGING or _only_deletes(options) else Need.WRITE


def _only_deletes(options: argparse.Namespace) -> bool:
    """Whether a reading of every passage is to be deleted, which needs no model."""
    return options.command == "read-all" and options.delete_id is not None


def _only_reads(command: str, options: argparse.Namespace) -> bool:
    """Whether the options of a command that may change something have it change nothing."""
    match command:
        case "settings":
            return options.value is None and not options.reset
        case "links":
            return not options.check
        case "bin":
            return not (options.restore or options.delete or options.empty)
        case "check":
            return bool(options.document or options.documents or options.kb)
        case "read-all":
            return bool(options.list or options.show_id is not None or options.estimate)
        case "eval":
            return bool((options.history or options.export) and not options.file)
    return False
