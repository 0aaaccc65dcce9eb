"""Arguments of the commands about documents.

Sources, metadata, linked folders, the bin, encrypted files, pause, the embedding model, passages, knowledge bases,
checks, repair and backups.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.cli.output import printable

_TOPIC = "add the article with this title from the encyclopedia in the setting topic_url (default: Wikipedia)"

AddCommand = Callable[[str, str], argparse.ArgumentParser]

_SCRIPTS = (
    "run the scripts of web pages in an installed Chromium before reading them. Scripts may load from other internet "
    "servers, but never from this computer or its network unless the setting allow_private_addresses is on."
)


def path_or_link(text: str) -> Path | str:
    """Return a link unchanged, anything else as a path: a path would collapse the “//” of a link."""
    return text if "://" in text and not Path(text).exists() else Path(text)


def add_source_commands(command: AddCommand) -> None:
    """Add the commands add-query, note and refetch; “add” itself accepts links as well as paths."""
    query = command("add-query", "Add the result of a read-only database query.")
    query.add_argument(
        "connection", type=printable, metavar="DATABASE", help="SQLite file, or postgresql://user@host/name"
    )
    query.add_argument("query", type=printable, metavar="SELECT", help="one query; it is run read-only")
    query.add_argument("--title", type=printable, default="", help="title of the document")
    query.add_argument(
        "--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to (default: default)"
    )
    add_allow_host(query)
    note = command("note", "Add or replace a note.")
    note.add_argument("text", type=printable, metavar="TEXT", help="Markdown text; “-” reads standard input")
    note.add_argument("--title", type=printable, default="", help="title (default: the first words of the text)")
    note.add_argument("--edit", metavar="DOCUMENT", help="replace this note: id, name, or first characters of the hash")
    note.add_argument(
        "--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to (default: default)"
    )
    refetch = command(
        "refetch", "Fetch web pages and run database queries again; unchanged results are not processed again."
    )
    refetch.add_argument("documents", nargs="*", metavar="DOCUMENT", help="id, URL or name (default: all)")
    add_allow_host(refetch)


def add_allow_host(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the option that allows a host for this command only; more extends the help text."""
    parser.add_argument(
        "--allow-host",
        type=printable,
        action="append",
        default=[],
        metavar="HOST",
        help="allow requests to this host during this command although offline mode is on, for example example.org or"
        f" db.example.org:6543{more}; can be repeated",
    )


class _Sources(argparse.Action):
    """Action that stores the paths, which may be empty if there is a topic."""

    def __call__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, values: Any, _option: str | None = None
    ) -> None:
        setattr(options, self.dest, values or [])
        if not values and not options.topic:
            parser.error("there is nothing to add: specify a PATH, a link, or a --topic")


def add_what_options(add: argparse.ArgumentParser) -> None:
    """Add the sources of the command “add”: paths, links, topics."""
    add.add_argument(
        "paths",
        nargs="*",
        type=path_or_link,
        action=_Sources,
        metavar="PATH",
        help="file, folder, or https:// link",
    )
    add.add_argument("--topic", type=printable, action="append", default=[], metavar="NAME", help=_TOPIC)
    add.add_argument("--run-scripts", action="store_true", help=_SCRIPTS)
    add_allow_host(add)


METADATA_HELP = "custom metadata for all of these documents: a text, number or date; separate several values with “;”"


def add_metadata_command(
    command: Callable[[str, str], argparse.ArgumentParser], common: Callable[[], argparse.ArgumentParser]
) -> None:
    """Add the command metadata; common returns the options that every command has."""
    parser = command("metadata", "Set, remove, list or import custom metadata, which filters can use.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    for name, help in (("set", "Set metadata of documents."), ("unset", "Remove metadata from documents.")):
        sub = action(name, help)
        sub.add_argument(
            "documents", nargs="+", metavar="DOCUMENT", help="id, path, name, or first characters of the hash"
        )
        if name == "set":
            add_metadata_option(sub, required=True)
        else:
            sub.add_argument(
                "--key", dest="keys", type=printable, action="append", required=True, metavar="KEY", help="key"
            )
    listing = action("list", "List the keys in use, or the metadata of documents.")
    listing.add_argument("documents", nargs="*", metavar="DOCUMENT", help="show the metadata of these documents")
    listing.add_argument("--kb", type=printable, metavar="NAME", help="only documents of this knowledge base")
    table = action("import", "Import metadata from a CSV file with a column “file” and one column per key.")
    table.add_argument("table", type=Path, metavar="FILE.csv")
    table.add_argument("--kb", type=printable, metavar="NAME", help="only documents of this knowledge base")


def add_metadata_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add the option --metadata to a command."""
    parser.add_argument(
        "--metadata",
        type=printable,
        action="append",
        default=[],
        required=required,
        metavar="KEY=VALUE",
        help=f"{METADATA_HELP}; can be repeated",
    )


def add_linking_commands(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the commands link, unlink, links and bin."""
    link = command("link", "Link a folder: read its files in place and track changes.")
    link.add_argument("folder", type=Path, metavar="FOLDER")
    link.add_argument(
        "--kb", type=printable, default="default", metavar="NAME", help="knowledge base to add to (default: default)"
    )
    add_metadata_option(link)
    unlink = command("unlink", "Stop tracking a linked folder; its documents are kept.")
    unlink.add_argument("folder", metavar="FOLDER", help="number or path of the folder")
    unlink.add_argument("--remove", action="store_true", help="also move its documents to the bin")
    links = command("links", "List the linked folders.")
    links.add_argument("--check", action="store_true", help="synchronize the library with the folders first")
    bin = command("bin", "List, restore or permanently delete removed documents.")
    choice = bin.add_mutually_exclusive_group()
    choice.add_argument("--restore", nargs="+", type=int, default=[], metavar="ID", help="restore these documents")
    choice.add_argument(
        "--delete", nargs="+", type=int, default=[], metavar="ID", help="permanently delete these documents"
    )
    choice.add_argument("--empty", action="store_true", help="permanently delete all documents in the bin")


def add_reading_options(add: argparse.ArgumentParser) -> None:
    """Add the options of the command “add” for reading files."""
    add.add_argument(
        "--password", type=printable, metavar="PW", help="password for encrypted files; an empty one is tried first"
    )
    add.add_argument(
        "--remember", action="store_true", help="store the password in the system keyring if it is correct"
    )
    add.add_argument(
        "--rehash", action="store_true", help="hash files again even if their size and modification time are unchanged"
    )


def add_unlock_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command “unlock”."""
    unlock = command("unlock", "Unlock encrypted documents with a password.")
    unlock.add_argument(
        "documents", nargs="*", metavar="DOCUMENT", help="only these documents (default: all locked documents)"
    )
    unlock.add_argument("--password", type=printable, metavar="PW", help="password (default: prompt for it)")
    unlock.add_argument("--remember", action="store_true", help="store it in the system keyring if it is correct")


Options = Callable[[], argparse.ArgumentParser]


def add_steering_commands(command: AddCommand, common: Options) -> None:
    """Add the commands pause, resume, store and embedder; common returns the options that every command has."""
    command("pause", "Pause the processing of documents until “resume”.")
    command("resume", "Resume processing, including documents that an interruption left unfinished.")
    _add_store(command, common)
    _add_shared(command, common)
    embedder = command("embedder", "Show or change the embedding model; searches continue to work during a change.")
    actions = embedder.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("show", "Show the current model, the previous one, and the one in the settings.")
    change = action("change", "Embed the library with another model, then switch to it.")
    change.add_argument(
        "name",
        nargs="?",
        type=printable,
        metavar="NAME",
        help="folder or hub name of a sentence-transformers model, a server such as"
        " openai:http://127.0.0.1:11434/v1#nomic-embed-text, or “built-in” (default: the model in the settings)",
    )
    change.add_argument("--yes", action="store_true", help="send the passages to the server without confirmation")
    change.add_argument(
        "--price", type=float, metavar="USD", help="price of a million tokens (default: that of a known service)"
    )
    add_allow_host(change, " (model hub: huggingface.co; its files: *.huggingface.co and *.hf.co)")
    for name, help in (
        ("try", "Have a server embed test sentences, and show the dimensions and the time."),
        ("key", "Store the key of a server, read from standard input; an empty one deletes it."),
    ):
        action(name, help).add_argument(
            "name", type=printable, metavar="SERVER", help="openai:URL#MODEL, cohere:… or qianfan:…"
        )
    action("back", "Return to the previous model.")
    action("keep", "Keep the current model and delete the vectors of the previous one.")
    action("recut", "Split documents again if their passages exceed the context length of the model.")


def _add_store(command: AddCommand, common: Options) -> None:
    store = command("store", "Show or change the vector store; searches continue to work during a change.")
    actions = store.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("show", "Show the current store, its number of vectors, and stores left over from a move.")
    move = action("move", "Copy the vectors of the library or of a knowledge base to another store, then switch to it.")
    move.add_argument(
        "name",
        type=printable,
        metavar="NAME",
        help="faiss (built in), lancedb, chroma, qdrant, milvus or pgvector; library for a knowledge base: back",
    )
    move.add_argument("--kb", type=printable, default="", metavar="NAME", help="move this knowledge base only")
    move.add_argument(
        "--url",
        type=printable,
        default="",
        metavar="URL",
        help="server URL, such as postgresql://name@localhost/database or http://localhost:6333 (default: files)",
    )
    key = action("key", "Store the password or key of a server, read from standard input; an empty one deletes it.")
    key.add_argument(
        "--url", type=printable, default="", metavar="URL", help="URL of the server (default: the URL in the settings)"
    )
    action("keep", "Keep the current store and delete the library's vectors from the other stores.")


def _add_shared(command: AddCommand, common: Options) -> None:
    shared = command("shared", "Set up, connect or show shared libraries (PostgreSQL), and change their members.")
    actions = shared.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    def address(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "url", type=printable, metavar="URL", help="address of the database: postgresql://name@host:5432/database"
        )
        parser.add_argument("--password", action="store_true", help="ask for the password, and store it in the keyring")

    action("list", "List the connected shared libraries with their knowledge bases.")
    address(action("create", "Set up a shared library in an empty database, for the embedding model of this library."))
    connect = action("connect", "Connect this library to a shared one.")
    connect.add_argument("name", type=printable, metavar="NAME", help="name for it in this library, such as team")
    address(connect)
    for name, help in (
        ("disconnect", "Remove the connection to a shared library, which stays as it is."),
        ("key", "Store the password for a shared library, read from standard input; an empty one deletes it."),
    ):
        action(name, help).add_argument("name", type=printable, metavar="NAME", help="name of the shared library")
    base = "full name of the knowledge base, such as team/contracts"
    for name, help in (
        ("add", "Add a knowledge base to a shared library."),
        ("members", "List the members of a shared knowledge base."),
    ):
        action(name, help).add_argument("kb", type=printable, metavar="KB", help=base)
    grant = action("grant", "Change the access of a user of the server to a shared knowledge base.")
    grant.add_argument("kb", type=printable, metavar="KB", help=base)
    grant.add_argument("member", type=printable, metavar="USER", help="name of the user at the server")
    grant.add_argument("access", choices=("read", "write", "manage", "none"), help="none removes the member")
    worker = command("worker", "Read the documents that wait in a shared library; several may run at the same time.")
    worker.add_argument(
        "name", type=printable, metavar="NAME", help="name of a connected shared library, or the address of any other"
    )
    worker.add_argument("--until-empty", action="store_true", help="end when no document is waiting")


_DOCUMENT = "id, path, name, or first characters of the hash"


def add_chunk_commands(command: AddCommand, common: Options) -> None:
    """Add the commands chunks and chunk; common returns the options that every command has."""
    listing = command("chunks", "List the passages (chunks) of a document with their ids.")
    listing.add_argument("document", metavar="DOCUMENT", help=_DOCUMENT)
    listing.add_argument("--edits", action="store_true", help="list the manual changes instead")
    parser = command("chunk", "Change a passage manually; searches use the change at once, the file stays unchanged.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str, *, of_chunk: bool = True) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=help, description=help, parents=[common()])
        if of_chunk:
            sub.add_argument("id", type=int, metavar="ID", help="id of the passage (see “chunks”)")
        return sub

    action("edit", "Replace the text of a passage.").add_argument(
        "text", type=printable, metavar="TEXT", help="new text; “-” reads standard input"
    )
    merge = action("merge", "Merge a passage with the next one.")
    merge.add_argument("--previous", action="store_true", help="merge with the previous passage instead")
    where = action("split", "Split a passage in two.").add_mutually_exclusive_group(required=True)
    where.add_argument("--at", type=int, metavar="N", help="number of characters of the first part")
    where.add_argument("--before", type=printable, metavar="WORDS", help="first words of the second part")
    for name, help in (
        ("disable", "Exclude passages from searches."),
        ("enable", "Include passages in searches again."),
    ):
        several = action(name, help, of_chunk=False)
        several.add_argument("ids", type=int, nargs="+", metavar="ID", help="ids of the passages (see “chunks”)")
    tag = action("tag", "Tag a passage; “--filter passage_tag:NAME” selects it.")
    tag.add_argument("tags", type=printable, nargs="*", metavar="TAG")
    tag.add_argument("--untag", type=printable, action="append", default=[], metavar="TAG", help="remove a tag")
    action("reset", "Restore the original text and boundaries of a passage.")
    for name, help in (("undo", "Undo a change."), ("redo", "Redo an undone change.")):
        back = action(name, help, of_chunk=False)
        back.add_argument("document", metavar="DOCUMENT", help=_DOCUMENT)
        back.add_argument(
            "edit", type=int, nargs="?", metavar="EDIT", help="number of the change (default: the latest)"
        )


_DATE = "date, for example 2024, 2024-05 or 2024-05-31"


def add_catalogue_commands(command: AddCommand, common: Options) -> None:
    """Add the commands kb, edit and check; common returns the options that every command has."""
    _add_knowledge_bases(command("kb", "List, add, rename or remove knowledge bases, or move documents."), common)
    _add_edit(command("edit", "Edit fields and tags of documents; the edits are kept when the file is read again."))
    check = command("check", "Check the library for damage, or documents for extraction problems.")
    check.add_argument(
        "document", nargs="?", metavar="DOCUMENT", help="id, path, name, or first characters of the hash"
    )
    check.add_argument("--documents", action="store_true", help="list documents that have a problem")
    check.add_argument(
        "--kb", type=printable, metavar="NAME", help="list documents of this knowledge base that have a problem"
    )


def _add_knowledge_bases(parser: argparse.ArgumentParser, common: Options) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the knowledge bases with their numbers of documents and chunks.")
    for name, help in (("add", "Add a knowledge base."), ("remove", "Remove a knowledge base with its documents.")):
        action(name, help).add_argument("name", type=printable, metavar="NAME")
    rename = action("rename", "Rename a knowledge base.")
    rename.add_argument("name", type=printable, metavar="NAME")
    rename.add_argument("new", type=printable, metavar="NEW", help="new name")
    move = action("move", "Move documents to another knowledge base.")
    move.add_argument("documents", nargs="+", metavar="DOCUMENT")
    move.add_argument("--to", dest="target", type=printable, required=True, metavar="NAME", help="target")
    move.add_argument("--copy", action="store_true", help="copy the documents instead of moving them")


def _add_edit(edit: argparse.ArgumentParser) -> None:
    edit.add_argument("documents", nargs="+", metavar="DOCUMENT")
    edit.add_argument("--title", type=printable, help="title")
    edit.add_argument("--author", type=printable, help="author")
    edit.add_argument("--created", type=printable, metavar="DATE", help=_DATE)
    edit.add_argument("--modified", type=printable, metavar="DATE", help=_DATE)
    edit.add_argument("--keywords", type=printable, metavar="A,B", help="keywords, separated by commas")
    edit.add_argument("--language", type=printable, help="language")
    edit.add_argument("--tag", type=printable, action="append", default=[], metavar="TAG", help="add a tag")
    edit.add_argument("--untag", type=printable, action="append", default=[], metavar="TAG", help="remove a tag")


def add_soundness_commands(command: AddCommand, common: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the commands repair and backup; common returns the options that every command has."""
    repair = command("repair", "Back up and repair a library with a damaged database, indexes or files.")
    repair.add_argument("--dry-run", action="store_true", help="only show what would be done")
    backup = command("backup", "Create, list, restore or remove backups of the library's database.")
    actions = backup.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the backups, newest first.")
    action("create", "Create a backup; it is kept until you remove it.")
    restore = action("restore", "Restore a backup; the current database is kept as another backup.")
    remove = action("remove", "Delete a backup.")
    for one in (restore, remove):
        one.add_argument("name", type=printable, metavar="NAME", help="name of the backup (see “backup list”)")
