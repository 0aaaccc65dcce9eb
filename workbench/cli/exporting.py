"""Commands export and import-session; add_export_commands defines their arguments."""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from workbench.cli.output import Output
from workbench.model.session import BUNDLE_SUFFIX, Part, Parts

AddCommand = Callable[[str, str], argparse.ArgumentParser]
FORMATS = ("md", "html", "pdf", "docx", "json", BUNDLE_SUFFIX.removeprefix("."))
"""Built-in formats; plug-in packages may add others."""
_ARCHIVE = ".zip"


def add_export_commands(command: AddCommand) -> None:
    """Add the commands export and import-session."""
    export = command("export", "Export sessions to files.")
    export.add_argument(
        "sessions", type=int, nargs="*", metavar="SESSION", help="number of the session (see “sessions”)"
    )
    export.add_argument("--all", action="store_true", help="export all sessions")
    export.add_argument(
        "--format", default="md", metavar="FORMAT", help=f"file format: {', '.join(FORMATS)} (default: md)"
    )
    export.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="file, folder, or .zip file for several sessions (default: current folder)",
    )
    parts = [part.value for part in Part]
    for option, help_text in (("--with", "also export this part"), ("--without", "omit this part")):
        export.add_argument(
            option, dest=option[2:], action="append", default=[], choices=parts, metavar="PART", help=help_text
        )
    export.epilog = f"PART is one of: {', '.join(parts)}."
    export.add_argument("--overwrite", action="store_true", help="replace existing files")
    import_parser = command("import-session", "Import sessions from bundles and JSON exports.")
    import_parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    import_parser.add_argument(
        "--documents", type=Path, metavar="DIR", help="extract the documents of a bundle to this folder and add them"
    )


async def export(options: argparse.Namespace, output: Output) -> int:
    """Export sessions to files."""
    from workbench import operations
    from workbench.cli.library_access import open_given_library
    from workbench.errors import ExportError
    from workbench.export.registry import exporter_for
    from workbench.worker.job import JobContext

    silent = JobContext()
    exporter = exporter_for(options.format)
    parts = chosen_parts(exporter.usual, options)
    async with open_given_library(options) as library:
        numbers = options.sessions
        if options.all:
            numbers = [info.id for info in await operations.list_sessions(library)(silent)]
        if not numbers:
            raise ExportError("There is no session to export.", "Specify some, or use --all.")
        out, replace = options.out, options.overwrite
        if len(numbers) == 1 and not out.is_dir() and out.suffix.lower() != _ARCHIVE:
            path = await operations.export_session(
                library, numbers[0], exporter.format, out, parts=parts, replace=replace
            )(silent)
            paths: tuple[Path, ...] = (path,)
        else:
            paths = await operations.export_sessions(
                library, numbers, exporter.format, out, parts=parts, replace=replace
            )(silent)
    # An archive contains all sessions in one file.
    for number, path in zip(numbers, paths if len(paths) == len(numbers) else paths * len(numbers), strict=True):
        record = {"session": number, "format": exporter.format, "path": str(path)}
        output.record(record, f"Written: {path}")
    return 0


async def import_session(options: argparse.Namespace, output: Output) -> int:
    """Read sessions from files."""
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import ImportSession

    documents = options.documents.absolute() if options.documents else None
    async with open_given_library(options) as library:
        for path in options.files:
            imported = await make_change(library, ImportSession(library.user, path.absolute(), documents))
            record = {
                "session": imported.info.id,
                "title": imported.info.title,
                "runs": imported.info.runs,
                "documents_here": imported.here,
                "documents_missing": list(imported.missing),
            }
            missing = f"; not in this library: {', '.join(imported.missing)}" if imported.missing else ""
            output.record(record, f"Session {imported.info.id}: {imported.info.title}{missing}")
    return 0


def chosen_parts(usual: Parts, options: argparse.Namespace) -> Parts:
    """Return the parts to export."""
    return (usual | _parts(getattr(options, "with"))) - _parts(options.without)


def _parts(names: Iterable[str]) -> Parts:
    return frozenset(map(Part, names))
