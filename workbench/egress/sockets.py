"""What is not HTTP: names looked up, streams for a browser's gateway, the socket that our own server listens at."""

import asyncio
import socket
from collections.abc import Callable

from workbench.egress.gate import EgressGate, PendingRequest, PermittedRequest
from workbench.model.egress import Purpose

HERE = "127.0.0.1"


async def look_up(host: str, port: int) -> list[str]:
    """Return what the system's resolver says of a name, in the order in which it is to be tried.

    It may ask a name server: who calls has asked the gate for that host before.

    Raises:
        OSError: There is no such name, or nobody answers.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


async def open_stream(
    gate: EgressGate, purpose: Purpose, host: str, port: int, address: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, PermittedRequest]:
    """Connect to an address of a host once it may be asked; who uses the streams counts, and ends the passage.

    Raises:
        NetworkClosed: The air gap is on.
        OSError: Nobody answers there.
    """
    passage = await gate.enter_soon(PendingRequest(purpose, host, port, f"{host}:{port}", address))
    try:
        reader, writer = await asyncio.open_connection(address, port)
    except BaseException as error:
        passage.failed(error)
        raise
    return reader, writer, passage


async def listen_here(
    on_connection: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None], *, limit: int
) -> asyncio.Server:
    """Take connections of this machine at a free port of the loopback address.

    Args:
        on_connection: Told each of them.
        limit: Bytes of what is read up to a separator.
    """
    return await asyncio.start_server(on_connection, HERE, 0, limit=limit)


def socket_here(port: int) -> socket.socket:
    """Return a socket that takes connections of this machine at the loopback address; port 0 takes a free one.

    Raises:
        OSError: The port is taken, or not allowed.
    """
    return socket.create_server((HERE, port))
