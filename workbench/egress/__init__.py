"""Network access: all outgoing requests pass the egress gate, which enforces offline mode and records a ledger.

    purpose + host -> EgressGate -> offline mode? -> ledger -> connection -> bytes counted -> ledger

gate.py           Egress gate: offline mode decision and ledger entry for every network request
ledger_writer.py  Ledger writer thread and notification of listeners
clients.py        HTTP clients that pass the gate and count bytes, with the system's proxies and certificates
sockets.py        Connections other than HTTP: name resolution, streams, loopback listeners
postgres.py       Connections to PostgreSQL servers: checked addresses, and a pool of connections
pgvector_lists.py  Inverted lists over the vectors of a table in PostgreSQL
hub.py            Download of Hugging Face models through the gate
telemetry.py      Environment variables that disable the telemetry of third-party libraries

Offline mode permits connections that stay on this machine (loopback), as decided by the literal address before any name
is resolved. It also permits its exceptions, each for one purpose only: a service set up by the user at its host and
port (model/egress.py), and the program of a tool server by its exact command. To fetch a page or model once, an
operation gets a copy of the gate that also permits the hosts named by the user (EgressGate.allowing).

A request is recorded in the ledger before it is sent; if it cannot be recorded, it is not sent. Child programs (tool
servers, plug-ins, a browser) are recorded as programs, because their own requests cannot be observed; so under the air
gap they run without network or not at all (worker/confinement.py). A program that is an exception runs outside of the
gate, as its consent and the ledger state; it is ended when the consent is withdrawn (EgressGate.enforce).
"""
