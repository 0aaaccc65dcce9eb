"""The one way out: whoever wants something of the network asks here, and nobody connects by any other way.

    purpose + host -> Gate -> air gap? -> ledger -> connection -> bytes counted -> ledger

gate.py           May it leave this machine, and does it stand in the ledger: every request of every room passes here
ledger_writer.py  Requests -> the ledger, in order, on a thread of its own; and to whoever watches
clients.py        HTTP clients that ask the gate and count what passes, with the system's proxies and certificates
sockets.py        What is not HTTP: names looked up, streams for a browser's gateway, the socket that our own server
                  listens at
hub.py            A model of Hugging Face -> a folder, downloaded once, through the gate; no other library downloads
                  anything
telemetry.py      What the libraries that we use would tell others of by themselves, switched off before any of them
                  is loaded

What the air gap lets through is what stays on this machine: loopback. That is decided by the address as it is written,
before any name is looked up. And it lets through its exceptions, each for itself only: what the user set up is asked at
its host and port for its own purpose (model/egress.py), and a tool server's program is started by its very command.
For a page or a model that is fetched once, the operation gets a gate of its own, with the hosts open that the user
named (Gate.allowing).

What is sent is in the ledger before it is sent; where it cannot be put there, nothing is sent. Programs that we start
(tool servers, plug-ins, a browser) stand there as programs: what they ask for by themselves cannot be seen, so under
the air gap they run without any network, or not at all (worker/confinement.py). A program that is an exception runs
outside of the gate, which the consent to it and the ledger say; when that is taken back it is ended (Gate.enforce).
"""
