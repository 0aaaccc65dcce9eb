"""The command line: every operation without a window, for scripts, servers without a screen, and checks.

main.py      the whole run of a command: parse, do, and how each error ends
parser.py    what may be typed; library_folder.py: which library, where none is named
commands.py  one function a command
widening.py  what stands around each hit: --context, --section
filters.py   --filter -> what a search may look at
explaining.py  why a passage was found, or was not; typed as explaining_parser.py says
mapping.py   the map of the library in words
evaluating.py  searches measured with golden questions; typed as evaluating_parser.py says, told as evaluating_words.py
             and evaluating_records.py do
exhaustive.py  a question asked of every passage; typed as exhaustive_parser.py says, told as exhaustive_words.py does
exporting.py sessions to files, and from files
configurations.py  --mode and --no-rerank -> a way of searching
settings.py  settings, listed and changed
catalogue.py knowledge bases, fields and tags, the check of documents; typed as catalogue_parser.py says
metadata.py  metadata of one's own, given and listed; typed as metadata_parser.py says
soundness.py  a library looked through for damage, repaired, backed up; typed as soundness_parser.py says
chunks.py    passages of a document, listed and changed; typed as chunks_parser.py says
linking.py   linked folders and the bin; typed as linking_parser.py says
sources.py   links, database queries, notes; typed as sources_parser.py says
unlocking.py encrypted files; typed as unlocking_parser.py says
steering.py  pause and go on; embedder.py: the embedding model; typed as steering_parser.py says
runs.py      answers as they were kept: replayed, compared, gone on from; approving.py: asks before a tool is called
agents.py    agents, and what a model was told
workspaces.py  agents of a folder; parts of agents.py
mcp.py       the library for other programs; mcp_servers.py: servers for our agents; typed as mcp_parser.py says
plugins.py   plug-in files and custom retrievers; profiling.py: model servers, found and tried
reporting.py the doctor, and its report for an issue
memory.py    what is remembered of conversations; network.py: what left this machine, and the air gap
opening.py   files and links that the window is started with
access.py    what a command opens the library for
opened.py    the library that a command works on
changing.py  a change made there, or by the window that has it open
records.py   model -> the JSON objects that --json prints
words.py     model -> words for people
output.py    one JSON object a line on stdout, or words for people; logs go to stderr
"""

from workbench.cli.main import main

__all__ = ["main"]
