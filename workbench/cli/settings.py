"""Settings on the command line: what typed for a key is checked and kept as the window would keep it."""

import argparse

from workbench import operations
from workbench.cli.changing import changed
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.model.setting import Setting
from workbench.operations.library_changes import PutSetting, ResetSetting
from workbench.settings import DECLARATIONS, Settings, declaration
from workbench.worker.job import JobContext

SILENT = JobContext()


async def settings(options: argparse.Namespace, output: Output) -> int:
    """Show the settings or one of them, change one, or give it its default back."""
    chosen = DECLARATIONS if options.key is None else (declaration(options.key),)
    async with opened(options) as library:
        if options.value is not None:
            await changed(library, PutSetting(options.key, options.value))
        elif options.reset and options.key is not None:
            await changed(library, ResetSetting(options.key))
        values = await operations.load_settings(library)(SILENT)
    for one in chosen:
        _show(one, values, output)
    return 0


def _show(one: Setting, values: Settings, output: Output) -> None:
    value = getattr(values, one.key)
    record = {"key": one.key, "value": value, "default": one.default, "title": one.title, "help": one.help}
    shown = str(value) if value != "" else "(empty)"
    output.record(record, f"{one.key:<24} {shown:<12} {one.title}: {one.help}")
