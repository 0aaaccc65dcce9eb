"""Command network: the request ledger and offline mode. add_network_command defines its arguments."""

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from workbench.cli.output import Output, Record, printable
from workbench.language import counted
from workbench.model.egress import (
    OUTCOMES,
    PURPOSES,
    HostTotal,
    NetworkFilter,
    NetworkNeed,
    NetworkOutcome,
    NetworkRequest,
    OfflineMode,
    OfflineModeChoice,
    Purpose,
)

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]

_SHOWN = 50
_CHOICES = {"close": OfflineModeChoice.ON, "open": OfflineModeChoice.OFF, "auto": OfflineModeChoice.AUTO}


def add_network_command(command: AddCommand, common: Options) -> None:
    """Add the command network; common returns the options that every command has."""
    parser = command("network", "Show the network requests, or control them with offline mode.")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    parser.set_defaults(action="state")  # after add_subparsers, whose own default (None) would override it

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("state", "Show the state of offline mode and the totals per host (default action).")
    listing = action("list", "List the network requests, newest first.")
    where = listing.add_mutually_exclusive_group()
    where.add_argument("--outside", action="store_true", help="only requests that left this computer")
    where.add_argument("--here", action="store_true", help="only requests to this computer")
    where.add_argument("--refused", action="store_true", help="only requests that offline mode refused")
    listing.add_argument("--purpose", type=Purpose, choices=list(Purpose), help="only requests with this purpose")
    listing.add_argument(
        "--text", type=printable, default="", help="only requests whose host or URL contains this text"
    )
    listing.add_argument(
        "-n", type=int, default=_SHOWN, metavar="N", help=f"maximum number of requests (default: {_SHOWN})"
    )
    export = action("export", "Export all requests to a .jsonl or .csv file.")
    export.add_argument("file", type=Path, metavar="FILE")
    action("clear", "Delete the recorded requests.")
    # Not “on” and “off”: “network on” could be read as switching offline mode on, the opposite.
    action("close", "Turn offline mode on without exceptions: no request may leave this computer.")
    action("open", "Turn offline mode off: requests may leave this computer.")
    action("auto", "Turn offline mode on, except for the servers and services that you have configured.")


async def network(options: argparse.Namespace, output: Output) -> int:
    """Show the state, list, export or clear the requests, or switch offline mode."""
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import ClearNetwork, PutOfflineMode
    from workbench.worker.job import JobContext

    silent = JobContext()
    async with open_given_library(options) as library:
        if options.action == "list":
            page = await operations.list_network_requests(library, _filter(options), limit=max(1, options.n))(silent)
            for request in page.requests:
                output.record(asdict(request), _words(request))
        elif options.action == "export":
            number = await operations.export_network_requests(library, options.file)(silent)
            output.record({"file": str(options.file), "requests": number}, f"{options.file}: {number:,} requests")
        elif options.action == "clear":
            number = await make_change(library, ClearNetwork())
            output.record({"cleared": number}, f"Deleted: {number:,} requests.")
        elif options.action == "state":
            gap = await operations.offline_mode_state(library)(silent)
            output.record(_gap_record(gap), gap.sentence)
            for host in await operations.network_hosts(library)(silent):
                output.record(asdict(host), _host_words(host))
        else:
            gap = await make_change(library, PutOfflineMode(_CHOICES[options.action]))
            output.record(_gap_record(gap), gap.sentence)
    return 0


def _filter(options: argparse.Namespace) -> NetworkFilter:
    outside = True if options.outside else False if options.here else None
    refused = NetworkOutcome.REFUSED if options.refused else None
    return NetworkFilter(options.purpose, refused, outside, text=options.text)


def _gap_record(gap: OfflineMode) -> Record:
    return {
        "offline_mode": gap.is_on,
        "choice": gap.choice.value,
        "at_home": gap.at_home,
        "needs": [_need_record(need) for need in gap.needs],
        "exceptions": [_need_record(need) for need in gap.exceptions],
    }


def _need_record(need: NetworkNeed) -> Record:
    return {"use": need.use.value, "name": need.name, "host": need.host, "port": need.port}


def _words(request: NetworkRequest) -> str:
    whom = request.address if request.is_program else f"{request.host}:{request.port}"
    where = "here" if request.is_here else f"by {request.via}" if request.via else "outside"
    sent = "?" if request.sent is None else f"{request.sent:,}"
    received = "?" if request.received is None else f"{request.received:,}"
    chunks = f", {counted(len(request.chunks), 'passage')}" if request.chunks else ""
    note = f" ({request.note})" if request.note else ""
    return (
        f"{request.id}: {request.at[:19]} {PURPOSES[request.purpose]}, {whom} [{where}]: {OUTCOMES[request.outcome]},"
        f" {sent} bytes sent, {received} received{chunks}{note}"
    )


def _host_words(host: HostTotal) -> str:
    where = "on this computer" if host.is_here else "outside"
    refused = f", {host.refused:,} refused" if host.refused else ""
    return (
        f"{host.host} ({where}): {host.requests:,} requests{refused}, {host.sent:,} bytes sent,"
        f" {host.received:,} received"
    )
