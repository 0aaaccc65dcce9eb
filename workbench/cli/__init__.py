"""The command line: every operation without a window, for scripts, servers without a screen, and checks.

main.py                 The entry point: parse, open the library, run one command, turn errors into a sentence and an
                        exit status
parser.py               What may be typed: one sub-parser a command; the options of all commands may stand before or
                        after it
library_folder.py       The library and the user when none is named, and which commands make one where there is none
commands.py             One coroutine a command: run the operation, print its result, return the exit status; with the
                        context of hits
search_arguments.py     Arguments of the commands that search: filters, read-all, explain, eval and MCP; and the
                        filter that was typed
explaining.py           The command explain, and the search configuration that --mode and --no-rerank stand for
mapping.py              The map of the library in words: what stands together, and which documents it is of
evaluation_commands.py  The command eval: golden questions measured, compared and exported; its JSON records and its
                        words
exhaustive.py           The command read-all: a question asked of every passage; its JSON records and its words
exporting.py            Sessions written to files and read from them; typed as add_export_commands says
setup_commands.py       Commands for settings, model profiles and the embedding model
store_commands.py       Commands for the vector store: show it, move to another one, keep the key of a server
catalogue.py            Commands that keep a library in order: knowledge bases, fields, tags, custom metadata, and the
                        check of documents
document_arguments.py   Arguments of the commands about documents
integrity_commands.py   Commands for the integrity of a library: check, repair, backup, and the report of the doctor
chunks.py               The commands for the passages of a document: listed, and changed by hand with the way back
linking.py              The commands about linked folders and the bin
source_commands.py      Commands for links, database queries, notes and encrypted files
runs.py                 Runs as they were kept: listed, shown, played again, compared, gone on from. Typed as
                        add_run_commands says
tool_approval.py        Asking at the terminal before a tool is called: yes, no, other arguments, or always
agents.py               The commands agents and prompt: agents listed, changed, imported from a workspace folder; what
                        a model was told
mcp.py                  The commands mcp, mcp-servers and tools
plugins.py              Plug-in files: listed, allowed, forbidden; and the retrievers that there are. Typed as
                        add_plugin_command says
memory.py               What is remembered of conversations: listed, added, edited, removed. Typed as
                        add_memory_command says
network.py              What was asked of the network: shown, listed, exported, cleared; the air gap. Typed as
                        add_network_command says
library_access.py       The library that a command works on
records.py              Model -> JSON records, whose keys are a contract with scripts, and words for people at a
                        terminal
output.py               Where the command line writes: records as JSON lines or words on stdout, everything else on
                        stderr
"""

from workbench.cli.main import main

__all__ = ["main"]
