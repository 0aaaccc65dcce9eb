"""Run a command without access to other machines, and count the bytes that it tried to send: make no-network.

The command runs in a separate network namespace with loopback and one more interface, which has the default route but
is connected to nothing. Everything that is sent to another machine, including name servers, goes to that interface,
where the kernel counts and discards it. The count is therefore independent of the code of the program.

    python packaging/no_network.py COMMAND...    exits with the command's status, or with 3 if it tried to send bytes

Linux only; it needs “unshare”, “ip”, and a system that allows user namespaces.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

LEFT = 3
"""Exit status if the command succeeded, but tried to send bytes to another machine."""
CANNOT = 77
"""Exit status if the system provides no such network: the usual exit status of a skipped test."""
_INSIDE = "--inside"
_SAID = "NO_NETWORK"
_AWAY = "away"
_ADDRESS = "198.18.0.1/15"
"""Address from the benchmarking block of RFC 2544, which no machine has."""


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status, or one of those above."""
    if arguments[:1] == [_INSIDE]:
        return _inside(arguments[1:])
    if not all(map(shutil.which, ("unshare", "ip"))):
        return _exit_with("“unshare” and “ip” are needed.", CANNOT)
    here = [sys.executable, str(Path(__file__).resolve()), _INSIDE]
    probe = subprocess.run(["unshare", "-rn", *here], capture_output=True, text=True, check=False)
    if probe.returncode:
        return _exit_with(f"This system gives no network of one's own: {probe.stderr.strip()}", CANNOT)
    return subprocess.run(["unshare", "-rn", *here, *arguments], check=False).returncode


def _inside(command: list[str]) -> int:
    """Set up the network and run the command in it; without a command, only test whether that is possible."""
    try:
        _set_up()
    except (OSError, subprocess.CalledProcessError) as error:
        return _exit_with(str(getattr(error, "stderr", "") or error), CANNOT)
    if not command:
        return 0
    before = _sent()
    status = subprocess.run(command, check=False).returncode
    left = tuple(after - earlier for after, earlier in zip(_sent(), before, strict=True))
    sys.stdout.write(f"{_SAID} {json.dumps({'bytes': left[0], 'packets': left[1]})}\n")
    return status or (LEFT if left[0] else 0)


def _set_up() -> None:
    _ip("link", "set", "lo", "up")
    try:
        _ip("link", "add", _AWAY, "type", "dummy")
    except subprocess.CalledProcessError:
        # Without the kernel module of dummy interfaces: one end of a pair whose other end is not used.
        _ip("link", "add", _AWAY, "type", "veth", "peer", "name", f"{_AWAY}-end")
        _ip("link", "set", f"{_AWAY}-end", "up")
    # Disable IPv6, over which the kernel itself sends packets when an interface comes up.
    silent = Path(f"/proc/sys/net/ipv6/conf/{_AWAY}/disable_ipv6")
    if silent.exists():
        try:
            silent.write_text("1")
        except OSError:
            _ip("link", "set", _AWAY, "addrgenmode", "none")
    # Disable ARP: no machine would answer its requests, so that packets would never be sent and counted.
    _ip("link", "set", _AWAY, "arp", "off")
    _ip("address", "add", _ADDRESS, "dev", _AWAY)
    _ip("link", "set", _AWAY, "up")
    _ip("route", "add", "default", "dev", _AWAY)


def _sent() -> tuple[int, int]:
    """Return the number of bytes and packets sent to the interface so far."""
    for line in Path("/proc/self/net/dev").read_text("ascii").splitlines():
        name, colon, figures = line.partition(":")
        if colon and name.strip() == _AWAY:
            received_and_sent = figures.split()
            return int(received_and_sent[8]), int(received_and_sent[9])
    raise OSError("the interface is not there")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def _exit_with(text: str, status: int) -> int:
    sys.stderr.write(f"{text}\n")
    return status


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    sys.exit(main(sys.argv[1:]))
