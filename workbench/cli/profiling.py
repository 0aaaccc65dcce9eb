"""Model profiles on the command line: what a server and its model can do, and which servers run on this machine."""

from workbench import operations
from workbench.cli.output import Output
from workbench.errors import NotFound
from workbench.model.model_report import Mark, ModelAbility
from workbench.operations import Library
from workbench.worker.job import JobContext

_MARKS = {Mark.YES: "ok", Mark.PARTLY: "PARTLY", Mark.NO: "FAILS", Mark.UNKNOWN: ""}


async def check(library: Library, name: str, output: Output) -> int:
    """Try what a profile's server and model can do, a line each as it is found out; 1 where it does not answer.

    Raises:
        NotFound: There is no profile of that name.
    """
    profiles = await operations.list_profiles(library)(JobContext())
    profile = next((one for one in profiles if one.name == name), None)
    if profile is None:
        raise NotFound(f"There is no profile “{name}”.", "“profiles list” shows those that there are.")
    report = await operations.examine_profile(library, profile)(JobContext(_Telling(output)))
    return int(not report.works)


async def find(library: Library, output: Output) -> int:
    """Look which of the usual servers run on this machine; 1 where none does."""
    found = await operations.find_model_servers(library)(JobContext())
    for server in found:
        record = {"base_url": server.base_url, "models": list(server.models), "profile": server.profile or None}
        output.record(record, f"{server.base_url}: {', '.join(server.models)}")
    if not found:
        output.note("No model server runs here at the usual ports.")
    return int(not found)


class _Telling:
    """Writes down each thing that was found out."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def __call__(self, event: object) -> None:
        if isinstance(event, ModelAbility):
            record = {
                "ability": event.ability.value,
                "mark": event.mark.value,
                "words": event.words,
                "hint": event.hint,
            }
            words = f"{event.words} {event.hint}".rstrip()
            self._output.record(record, f"{event.ability.value:<10} {_MARKS[event.mark]:<8} {words}")
