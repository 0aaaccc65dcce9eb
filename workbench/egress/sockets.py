"""Connections other than HTTP: name resolution, streams, loopback listeners."""

import asyncio
import socket
from collections.abc import Callable

from workbench.egress.gate import EgressGate, PendingRequest, PermittedRequest
from workbench.model.egress import Purpose

HERE = "127.0.0.1"


async def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name from the system's resolver, in the order in which to try them.

    This may query a name server, so the caller must check the host with the gate first.

    Raises:
        OSError: There is no such name, or no response.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


async def open_stream(
    gate: EgressGate, purpose: Purpose, host: str, port: int, address: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, PermittedRequest]:
    """Connect to an address of a host after the gate has permitted it.

    The caller counts the bytes of the streams and ends the returned request.

    Raises:
        NetworkClosed: Offline mode is on.
        OSError: The connection failed.
    """
    permitted = await gate.enter_soon(PendingRequest(purpose, host, port, f"{host}:{port}", address))
    try:
        reader, writer = await asyncio.open_connection(address, port)
    except BaseException as error:
        permitted.failed(error)
        raise
    return reader, writer, permitted


async def listen_here(
    on_connection: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None], *, limit: int
) -> asyncio.Server:
    """Listen at a free port of the loopback address.

    Args:
        on_connection: Called for each connection.
        limit: Maximum bytes that a read up to a separator buffers.
    """
    return await asyncio.start_server(on_connection, HERE, 0, limit=limit)


def socket_here(port: int) -> socket.socket:
    """Return a socket that listens at the loopback address; port 0 selects a free port.

    Raises:
        OSError: The port is taken, or not allowed.
    """
    return socket.create_server((HERE, port))
