"""Question -> agent run -> answer with checked citations; every step an event.

base.py             The protocols of a run: who answers (ModelProvider), what may be called (Tool), who allows it
                    (Approver, Curator)
agent_loop.py       The agent loop: runs the steps of one question as events, within limits of time and tokens
run_log.py          The event log of a run, numbered and timed, and the replay of the recorded beginning of an earlier
                    run
tool_loop.py        The tool loop of a run
token_budget.py     Token estimates, the token budget of a run, and the room that is left in a model's context window
tool_runner.py      One turn's tool calls: checked, run side by side, answered in the order in which the model made
                    them
approval_gate.py    Where a tool call waits for a person's word
run_comparison.py   Where two runs differ: question, prompt, calls and their results, references, answer; each as a
                    unified diff
request_builder.py  Request builder: the prompt, the messages of earlier runs, and the question with what was found
                    for it beforehand
prompt.py           The system prompt: labelled sections in a fixed order, instructions for reasoning tools
search_step.py      A search step of a run: the search, its curation by a person, and the packing of hits into the
                    context window
searched_ahead.py   The question with what was found for it before the model is asked: one text, and its parts again
references.py       Numbered references of a run, and the text in which a model is handed search results: writers and
                    parsers
markers.py          Finds citation markers in an answer's Markdown: [1], [1, 2], [1][2], 【1】, [1-3]
citations.py        Citations of an answer
built_in_agent.py   The built-in agent, and the agreed sentences by which an answer refuses or doubts, with their
                    recognition
map_reduce.py       Whole documents in a request: which ones are meant, and their text as it fits, else map-reduce
                    over their parts
outline.py          A document's outline: its sections in order, each with the sentences that open it, as passages
                    that can be cited
calculation/        Arithmetic as people and models write it -> a number, exact where it can be
claims/             Answer + what its run found -> each claim of it, borne out or not by the passages that it cites
exhaustive/         A question asked of every passage of many documents: passages -> what each says -> verdicts ->
                    conclusion
mcp/                MCP servers -> tools of agents: the protocol is the official SDK's, imported only when a server is
                    asked
memories/           What is remembered of a conversation, and what of it comes back to a model's mind
offline/            What the offline answerer does beside quoting sentences: it answers requests about whole documents
                    from structure
planning/           A question that needs several steps: a plan of the model's own, each step of it carried out, the
                    answer made of them
providers/          One turn of a conversation -> the events of a model's answer
retrievers/         Custom retrievers: question -> passages from outside the library, asked side by side, each within
                    its limits
text_protocol/      Tools for models without tool calling: calls are lines of the answer, results come back as a
                    message
tools/              Arguments from a model -> a text for the model and events for the user
workspace/          A folder of agents, as Agent Gateway lays it out -> agents of ours, and a list of what is wrong in
                    it
"""
