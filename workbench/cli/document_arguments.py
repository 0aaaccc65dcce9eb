"""Arguments of the commands about documents.

Sources, metadata, linked folders, the bin, encrypted files, pause, the embedding model, passages, knowledge bases,
checks, repair and backups.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.cli.output import printable

_TOPIC = "the article of this name, looked up in the encyclopaedia of the setting topic_url (Wikipedia)"

AddCommand = Callable[[str, str], argparse.ArgumentParser]

_SCRIPTS = (
    "let an installed Chromium run the pages' scripts first; they may load from other servers of the internet, never "
    "from this machine or its network unless the setting allow_private_addresses is on"
)


def path_or_link(text: str) -> Path | str:
    """Return a link unchanged, anything else as a path: a path would collapse the “//” of a link."""
    return text if "://" in text and not Path(text).exists() else Path(text)


def add_source_commands(command: AddCommand) -> None:
    """Add the commands add-query, note and refetch; “add” itself accepts links as well as paths."""
    query = command("add-query", "Add what a read-only query finds in a database.")
    query.add_argument(
        "connection", type=printable, metavar="DATABASE", help="SQLite file, or postgresql://user@host/name"
    )
    query.add_argument("query", type=printable, metavar="SELECT", help="one query; nothing is ever written")
    query.add_argument("--title", type=printable, default="", help="what the document is called")
    query.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    add_allow_host(query)
    note = command("note", "Add a note, or replace one.")
    note.add_argument("text", type=printable, metavar="TEXT", help="Markdown; “-” reads it from standard input")
    note.add_argument("--title", type=printable, default="", help="else its first words")
    note.add_argument("--edit", metavar="DOCUMENT", help="replace this note: id, name, or the start of its hash")
    note.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    refetch = command("refetch", "Fetch web pages and run queries again; what did not change costs nothing.")
    refetch.add_argument("documents", nargs="*", metavar="DOCUMENT", help="id, address, name; all when none is named")
    add_allow_host(refetch)


def add_allow_host(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the option that allows a host for this command only; more extends the help text."""
    parser.add_argument(
        "--allow-host",
        type=printable,
        action="append",
        default=[],
        metavar="HOST",
        help="let this host be asked although the air gap is on, for this once, as example.org or"
        f" db.example.org:6543{more}; may be repeated",
    )


class _Sources(argparse.Action):
    """Action that stores the paths, which may be empty if there is a topic."""

    def __call__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, values: Any, _option: str | None = None
    ) -> None:
        setattr(options, self.dest, values or [])
        if not values and not options.topic:
            parser.error("there is nothing to add: give a PATH, a link, or a --topic")


def add_what_options(add: argparse.ArgumentParser) -> None:
    """Add the sources of the command “add”: paths, links, topics."""
    add.add_argument(
        "paths",
        nargs="*",
        type=path_or_link,
        action=_Sources,
        metavar="PATH",
        help="a file, a folder, or an https:// link",
    )
    add.add_argument("--topic", type=printable, action="append", default=[], metavar="NAME", help=_TOPIC)
    add.add_argument("--run-scripts", action="store_true", help=_SCRIPTS)
    add_allow_host(add)


METADATA_HELP = "metadata of your own for all of them: a text, a number, a date, or several with “;” between"


def add_metadata_command(
    command: Callable[[str, str], argparse.ArgumentParser], common: Callable[[], argparse.ArgumentParser]
) -> None:
    """Add the command metadata; common returns the options that every command has."""
    parser = command("metadata", "Give documents metadata of your own, by which filters can ask for them.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    for name, help in (("set", "Give documents metadata."), ("unset", "Take metadata away from documents.")):
        sub = action(name, help)
        sub.add_argument("documents", nargs="+", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
        if name == "set":
            add_metadata_option(sub, required=True)
        else:
            sub.add_argument("--key", dest="keys", type=printable, action="append", required=True, metavar="KEY")
    listing = action("list", "List the keys in use; or the metadata of documents.")
    listing.add_argument("documents", nargs="*", metavar="DOCUMENT")
    listing.add_argument("--kb", type=printable, metavar="NAME", help="of this knowledge base only")
    table = action("import", "Take metadata from a CSV file: a column headed “file”, and a column a key.")
    table.add_argument("table", type=Path, metavar="FILE.csv")
    table.add_argument("--kb", type=printable, metavar="NAME", help="for documents of this knowledge base only")


def add_metadata_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add the option --metadata to a command."""
    parser.add_argument(
        "--metadata",
        type=printable,
        action="append",
        default=[],
        required=required,
        metavar="KEY=VALUE",
        help=f"{METADATA_HELP}; may be repeated",
    )


def add_linking_commands(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands link, unlink, links and bin."""
    link = command("link", "Link a folder: its files are read in place and followed.")
    link.add_argument("folder", type=Path, metavar="FOLDER")
    link.add_argument("--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to")
    add_metadata_option(link)
    unlink = command("unlink", "Follow a linked folder no longer; its documents stay.")
    unlink.add_argument("folder", metavar="FOLDER", help="its number or path")
    unlink.add_argument("--remove", action="store_true", help="move its documents to the bin")
    links = command("links", "List the linked folders.")
    links.add_argument("--check", action="store_true", help="bring the library into step with them first")
    bin = command("bin", "List what was removed; bring it back, or delete it for good.")
    choice = bin.add_mutually_exclusive_group()
    choice.add_argument("--restore", nargs="+", type=int, default=[], metavar="ID", help="bring these back")
    choice.add_argument("--delete", nargs="+", type=int, default=[], metavar="ID", help="delete these for good")
    choice.add_argument("--empty", action="store_true", help="delete everything in it for good")


def add_reading_options(add: argparse.ArgumentParser) -> None:
    """Add the options of the command “add” for reading files."""
    add.add_argument("--password", type=printable, metavar="PW", help="for encrypted files; a blank one is tried first")
    add.add_argument("--remember", action="store_true", help="keep the password in the system's keyring if it fits")
    add.add_argument("--rehash", action="store_true", help="read files again whose size and time did not change")


def add_unlock_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command “unlock”."""
    unlock = command("unlock", "Try a password on documents that are locked.")
    unlock.add_argument("documents", nargs="*", metavar="DOCUMENT", help="only these; all that are locked if none")
    unlock.add_argument("--password", type=printable, metavar="PW", help="asked for when it is not given")
    unlock.add_argument("--remember", action="store_true", help="keep it in the system's keyring if it fits")


Options = Callable[[], argparse.ArgumentParser]


def add_steering_commands(command: AddCommand, common: Options) -> None:
    """Add the commands pause, resume and embedder; common returns the options that every command has."""
    command("pause", "Let the library wait with what it has not read yet, until “resume”.")
    command("resume", "End the pause; read what waits, also what a stop left unfinished.")
    embedder = command("embedder", "Show or change the embedding model; the library is searched meanwhile as before.")
    actions = embedder.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("show", "Show the model in force, the one before, and the one that the settings ask for.")
    change = action("change", "Embed everything with another model, then go over to it.")
    change.add_argument(
        "name",
        nargs="?",
        type=printable,
        metavar="NAME",
        help="folder or hub name of a sentence-transformers model, or “built-in”; the one of the settings if none",
    )
    add_allow_host(change, " (the hub of the model: huggingface.co, with *.huggingface.co and *.hf.co for its files)")
    action("back", "Go back to the model of before the last change.")
    action("keep", "Keep the model in force and delete the vectors of the one before.")
    action("recut", "Cut documents anew whose passages are longer than the model sees.")


_DOCUMENT = "id, path, name, or the start of its hash"


def add_chunk_commands(command: AddCommand, common: Options) -> None:
    """Add the commands chunks and chunk; common returns the options that every command has."""
    listing = command("chunks", "List the passages of a document with their ids.")
    listing.add_argument("document", metavar="DOCUMENT", help=_DOCUMENT)
    listing.add_argument("--edits", action="store_true", help="list what was changed by hand instead")
    parser = command("chunk", "Change a passage by hand: what is found changes at once, the file never.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str, *, of_chunk: bool = True) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=help, description=help, parents=[common()])
        if of_chunk:
            sub.add_argument("id", type=int, metavar="ID", help="of the passage, as “chunks” lists it")
        return sub

    action("edit", "Give a passage another text.").add_argument(
        "text", type=printable, metavar="TEXT", help="“-” reads it from standard input"
    )
    merge = action("merge", "Make one passage of two that follow one another.")
    merge.add_argument("--previous", action="store_true", help="with the one before, not the one after")
    where = action("split", "Make two passages of one.").add_mutually_exclusive_group(required=True)
    where.add_argument("--at", type=int, metavar="N", help="characters of the first part")
    where.add_argument("--before", type=printable, metavar="WORDS", help="with which the second part begins")
    for name, help in (("disable", "Have passages found by no search."), ("enable", "Have passages found again.")):
        several = action(name, help, of_chunk=False)
        several.add_argument("ids", type=int, nargs="+", metavar="ID", help="of passages, as “chunks” lists them")
    tag = action("tag", "Tag a passage; --filter passage_tag:NAME finds it.")
    tag.add_argument("tags", type=printable, nargs="*", metavar="TAG")
    tag.add_argument("--untag", type=printable, action="append", default=[], metavar="TAG", help="take a tag away")
    action("reset", "Give a passage back what it was made of.")
    for name, help in (("undo", "Undo a change."), ("redo", "Do a change again that was undone.")):
        back = action(name, help, of_chunk=False)
        back.add_argument("document", metavar="DOCUMENT", help=_DOCUMENT)
        back.add_argument("edit", type=int, nargs="?", metavar="EDIT", help="the last one if none is named")


_DATE = "like 2024, 2024-05 or 2024-05-31"


def add_catalogue_commands(command: AddCommand, common: Options) -> None:
    """Add the commands kb, edit and check; common returns the options that every command has."""
    _add_knowledge_bases(command("kb", "List, add, rename or remove knowledge bases; move documents."), common)
    _add_edit(command("edit", "Write fields and tags of documents; they stay when the file is read again."))
    check = command("check", "Look through the whole library for damage; or show what reading a document lost.")
    check.add_argument("document", nargs="?", metavar="DOCUMENT", help="id, path, name, or the start of its hash")
    check.add_argument("--documents", action="store_true", help="show which documents have a problem of their own")
    check.add_argument("--kb", type=printable, metavar="NAME", help="the same, of this knowledge base only")


def _add_knowledge_bases(parser: argparse.ArgumentParser, common: Options) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the knowledge bases with what they hold.")
    for name, help in (("add", "Add a knowledge base."), ("remove", "Remove one with everything in it.")):
        action(name, help).add_argument("name", type=printable, metavar="NAME")
    rename = action("rename", "Give a knowledge base another name.")
    rename.add_argument("name", type=printable, metavar="NAME")
    rename.add_argument("new", type=printable, metavar="NEW")
    move = action("move", "Move documents to a knowledge base.")
    move.add_argument("documents", nargs="+", metavar="DOCUMENT")
    move.add_argument("--to", dest="target", type=printable, required=True, metavar="NAME")
    move.add_argument("--copy", action="store_true", help="copy them; they stay where they are too")


def _add_edit(edit: argparse.ArgumentParser) -> None:
    edit.add_argument("documents", nargs="+", metavar="DOCUMENT")
    edit.add_argument("--title", type=printable)
    edit.add_argument("--author", type=printable)
    edit.add_argument("--created", type=printable, metavar="DATE", help=_DATE)
    edit.add_argument("--modified", type=printable, metavar="DATE", help=_DATE)
    edit.add_argument("--keywords", type=printable, metavar="A,B", help="with commas between")
    edit.add_argument("--language", type=printable)
    edit.add_argument("--tag", type=printable, action="append", default=[], metavar="TAG", help="add a tag")
    edit.add_argument("--untag", type=printable, action="append", default=[], metavar="TAG", help="take a tag away")


def add_soundness_commands(command: AddCommand, common: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the commands repair and backup; common returns the options that every command has."""
    repair = command("repair", "Put a library in order whose database, indexes or files are damaged; it is backed up.")
    repair.add_argument("--dry-run", action="store_true", help="only say what would be done")
    backup = command("backup", "Back up the library's database, list the backups, put one in use again.")
    actions = backup.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the backups, the newest first.")
    action("create", "Make one now; it is kept until you remove it.")
    restore = action("restore", "Put a backup in the place of the database; what was in use is kept as a backup.")
    remove = action("remove", "Delete a backup.")
    for one in (restore, remove):
        one.add_argument("name", type=printable, metavar="NAME", help="as “backup list” gives it")
