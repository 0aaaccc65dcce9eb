"""Models of the hub, downloaded ahead of their use because the user asked for that very one."""

from collections.abc import Sequence
from pathlib import Path

from workbench.model.egress import MODEL_PURPOSES, hub_hosts
from workbench.operations.air_gap import allowed_hosts
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def download_model(library: Library, name: str, *, allow_hosts: Sequence[str] = ()) -> Operation[None]:
    """Download a model, unless it is on this machine: who loads it by its name then asks nobody.

    Args:
        library: The open library; its setting “model_hub” says where models come from.
        name: As on the hub, “organisation/model”; a folder, and nothing, are on this machine.
        allow_hosts: Hosts that may be asked although the air gap is on, for this download, as allowed_hosts takes
            them. With the hub's own those are meant, too, that it has its files at (hub_hosts).

    Raises:
        NetworkClosed: The air gap is on, and another host would have to be asked; the error names it.
        DownloadFailed: There is no such model, or it cannot be had.
        SettingError: One of allow_hosts is no host.
    """

    async def operation(_context: JobContext) -> None:
        if not name or Path(name).expanduser().is_dir():
            return
        own, *files = hub_hosts((await library.on_store(library.setting_values.load)).model_hub)
        named = [*allow_hosts, *files] if own in allow_hosts else allow_hosts
        gate = await library.on_store(library.gate.allowing, allowed_hosts(named, MODEL_PURPOSES))
        await library.on_embedding(library.hub(gate).model, name)

    return operation
