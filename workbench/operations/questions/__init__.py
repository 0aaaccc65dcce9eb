"""Questions: search, agents with their tools and memories, and the run that answers.

ask.py                Ask: answer a question with events as they happen, fork runs, and pass on decisions of the user
                      meanwhile
run_persister.py      Run persister: passes a run's events to the listener at once and to the store in batches
agent_session.py      Agent session: search scope, tools, prompt, limits, planning and claim check of one run, wired
                      from its agent
stopped_answers.py    Claim check of stopped answers: by text alone, after the stop, which nothing may delay
agents.py             Agents: list, change, copy, remove, restore; and agents imported from workspace folders
memory_management.py  Memories of conversations: list, edit, remove, restore; recall for a question and extraction after
                      an answer
pending_decisions.py  Pending decisions of runs: tool calls and searches that wait for a person, each as a future
plugin_files.py       Plug-in files: list, allow and forbid; and the custom retrievers of an agent
run_tools.py          Tools of one run: opened from the library, from MCP servers, and for web requests through the
                      fetcher
tool_documents.py     Documents that tools may read: only those within a run's knowledge base and filter
tool_servers.py       MCP servers whose tools agents may use: set up, allow, check, remove
library_search.py     Search: hits of a question and its coverage, filter values, surrounding text, explanation of a
                      result
reranking.py          Rerankers: built from the settings and tested; and the stored token vectors that late interaction
                      reads
"""
