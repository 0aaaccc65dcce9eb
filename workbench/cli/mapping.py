"""Command map: the map of the library in words."""

import argparse
from collections.abc import Callable
from dataclasses import asdict

from workbench.cli.output import Output, Record
from workbench.language import counted
from workbench.model.map import MapOutlook, MapState

_REASONS = {
    MapState.NO_DOCUMENTS: "There is nothing to draw yet: add documents.",
    MapState.NOT_EMBEDDED: "There is no map yet: the passages have no vectors. Embed them with: workbench resume",
    MapState.KEYWORD_ONLY: "There is no map: the embedding model cannot be loaded, so there are no vectors.",
}


def add_map_command(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the command map."""
    map = command("map", "Draw the map of the library: clusters of similar passages and their topics.")
    map.add_argument("--anew", action="store_true", help="compute the whole layout again even if little has changed")


async def show_map(options: argparse.Namespace, output: Output) -> int:
    """Print the regions of the map, the largest first; the map is drawn if there is none or enough has changed."""
    # Imported here, because the parser imports this module for every command, and most need no operations.
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import DrawMap
    from workbench.worker.job import JobContext

    silent = JobContext()
    async with open_given_library(options) as library:
        outlook = await operations.library_map(library)(silent)
        if outlook.notice:
            output.note(outlook.notice)
        if options.anew or outlook.state in (MapState.NOT_DRAWN, MapState.OUTDATED):
            await make_change(library, DrawMap())
            outlook = await operations.library_map(library)(silent)
    output.record(map_record(outlook), map_words(outlook))
    return 0


def map_record(outlook: MapOutlook) -> Record:
    """Return the record of a map: regions, and the position of each passage."""
    shown = outlook.map
    if shown is None:
        return {"state": outlook.state.value, "regions": [], "passages": []}
    documents = [shown.shown[place].id for place in shown.documents.tolist()]
    passages = [
        {"chunk": chunk, "document": document, "x": round(x, 4), "y": round(y, 4)}
        for chunk, document, (x, y) in zip(shown.ids.tolist(), documents, shown.points.tolist(), strict=True)
    ]
    regions = [asdict(region) for region in shown.regions]
    return {"state": outlook.state.value, "regions": regions, "passages": passages}


def map_words(outlook: MapOutlook) -> str:
    """Return a map as text: a line for each region."""
    if outlook.map is None:
        return _REASONS.get(outlook.state, "There is no map.") + "\n"
    lines = [f"{counted(len(outlook.map.ids), 'passage')} of {counted(len(outlook.map.shown), 'document')}", ""]
    for region in outlook.map.regions:
        documents = ", ".join(f"{one.name} {one.chunks:,}" for one in region.documents)
        lines.append(f"{region.chunks:>8,}  {region.label}\n          {documents}")
    return "\n".join(lines) + "\n"
