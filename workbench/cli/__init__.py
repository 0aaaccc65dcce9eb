"""Command line: every operation without a window, for scripts, servers without a screen, and checks.

main.py                 Entry point: parses the arguments, runs a command of the table, and turns errors into a message
                        and an exit status
parser.py               Argument parser: one sub-parser per command; common options may come before or after the command
library_folder.py       Default library and user, and the commands that create a missing library
commands.py             Commands for documents, questions and model profiles
search_arguments.py     Arguments of the commands that search: filters, read-all, explain, eval and MCP
evaluation_commands.py  Command eval: golden questions measured, compared and exported
read_all_command.py     Command read-all: exhaustive readings, with their JSON records and texts
setup_commands.py       Commands for settings, the embedding model and the vector store
shared_commands.py      Commands for shared libraries, and the worker that reads their documents
catalogue.py            Commands for knowledge bases, linked folders, the bin, fields, tags, custom metadata, and the
                        check of documents
document_arguments.py   Arguments of the commands about documents
integrity_commands.py   Commands for the integrity of a library (check, repair, backup), the doctor's report, version
mapping.py              Command map: the map of the library in words
chunks.py               Commands for passages: list, edit and undo those of a document, and explain why a search finds
                        one or not
source_commands.py      Commands for links, database queries, notes and encrypted files
run_commands.py         Command runs: stored answers listed, shown, replayed, compared and continued; commands export,
                        import-session
tool_approval.py        Approval of tool calls at the terminal
agent_commands.py       Commands agents, prompt and memory
mcp.py                  Commands mcp, mcp-servers and tools
plugins.py              Command plugins: plug-in files and retrievers
network.py              Command network: the request ledger and offline mode
library_access.py       Opening of the library for a command, and changes made directly or through the window
records.py              JSON records, whose keys are a contract with scripts, and texts for people at a terminal
output.py               Output: records as JSON lines or text on stdout, everything else on stderr
"""

from workbench.cli.main import main

__all__ = ["main"]
