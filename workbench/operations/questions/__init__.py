"""Questions: search, agents with their tools and memories, and the run that answers.

ask.py                Ask: a question to a run with events as they happen, forks of runs, and decisions that a person
                      makes meanwhile
run_persister.py      What keeps a run: its events go to the listener at once and to the store in batches
agent_session.py      Agent session: search scope, tools, prompt, limits, planning and claim check of one run, wired
                      from its agent
agents.py             Agents: list, change, copy, remove, restore; and agents imported from workspace folders
memories.py           Memories of conversations: list, edit, remove, restore; recalled for a question and extracted
                      behind an answer
background_jobs.py    Work behind an answer: begun when no answer is under way, and broken off for the next one: none
                      waits for it
pending_decisions.py  Pending decisions of runs: tool calls and searches that wait for a person, each as a future
plugin_files.py       Plug-in files listed, allowed and forbidden; and the custom retrievers of an agent
run_tools.py          Tools of one run: opened from the library, from MCP servers, and for web requests through the
                      fetcher
tool_documents.py     The documents that tools may read: those within a run's knowledge base and filter, and of these
                      no more
tool_servers.py       MCP servers whose tools agents may use: set up, allowed, checked, removed
library_search.py     Search: hits of a question and its coverage, filter values, surrounding text, explanation of a
                      result
reranking.py          Rerankers: built from the settings and tested; and the stored token vectors that late
                      interaction reads
"""
