"""Agent runs: a question becomes an answer with checked citations, and every step is an event.

base.py             Protocols of a run: ModelProvider, Tool, Approver and Curator
agent_loop.py       The agent loop: runs the steps of one question as events, within limits of time and tokens
run_log.py          The event log of a run, the replay of the recorded beginning of an earlier run, and the comparison
                    of two runs
tool_loop.py        The tool loop of a run
token_budget.py     Token estimates, the token budget of a run, and the space that is left in a model's context window
tool_runner.py      Runner of one turn's tool calls: validates them, runs them concurrently, keeps the results in order
approval_gate.py    Approval of tool calls by the user
request_builder.py  Request builder: the prompt, the messages of earlier runs, and the question with the results of
                    searches made beforehand
prompt.py           The system prompt: labelled sections in a fixed order, instructions for reasoning tools
search_step.py      A search step of a run: the search, its curation by the user, and the packing of hits into the
                    context window
searched_ahead.py   The question with the results of a search made beforehand: writer and parser of that text
references.py       Numbered references of a run, and the text of search results for a model: writers and parsers
markers.py          Finds citation markers in an answer's Markdown: [1], [1, 2], [1][2], 【1】, [1-3]
citations.py        Citations of an answer
built_in_agent.py   The built-in agent, and the fixed sentences for refusals and uncertain answers, with their detection
map_reduce.py       Whole documents in a request: their full text if it fits, otherwise map-reduce over their parts
outline.py          A document's outline: its sections in order, each with its opening sentences as citable passages
calculation/        Arithmetic in the notation of people and models, evaluated exactly where possible
claims/             Claim checking: compares each claim of an answer with the passages that it cites
exhaustive/         Exhaustive reading: a question asked of every passage of many documents, with verdicts and a
                    conclusion
mcp_servers.py      MCP servers as tools of agents: a connection per run and server, and their tools; the SDK is
                    imported when used
memory_recall.py    Memories of conversations: extraction by a model, detection of secrets, recall for a question, and
                    the section of the prompt
offline/            The offline answerer: quotes of the passages found, and answers about whole documents
planning/           Plans for questions that need several steps: the model writes the plan, each step is run, and the
                    answer is made from the results
providers/          Model providers: one turn of a conversation becomes the events of a model's answer
retrievers/         Custom retrievers: passages from outside the library, requested concurrently, each within limits
text_protocol.py    Tools for models without tool calling: calls are lines of the answer, and results come back as a
                    message
tools/              Built-in tools: arguments from a model become a text for the model and events for the user
workspace.py        Workspaces: reader of an Agent Gateway folder of agents, the problems in it, and its agents for this
                    program
"""
