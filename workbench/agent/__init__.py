"""Question -> agent run -> answer with checked citations; every step an event.

base.py        the protocols: ModelProvider (who answers), Tool (what may be called), Approver (who allows it), Curator
run.py         one run, its limits, and how it ends; run_log.py: its events, numbered and timed
rounds.py      the loop over tool calls
planning/      a plan of several steps, made, carried out and concluded
turns.py       the model's turns: natively or by text, tried again where nothing of one was used
token_budget.py  the tokens that a run may take; time_limit.py: the seconds, without those that it waits for a person
tool_calls.py  one turn's tool calls: checked, run side by side, answered in order
approval_gate.py  where a call waits for a person's word; curation_gate.py: where what was found does
recorded.py    the turns of a kept run, to go on from; run_diff.py: where two runs differ
text_protocol/ tools for models without tool calling
opening.py     what a model is told before it says anything: prompt, history, question
built_in.py    the agent that is always there; model/agent.py: what an agent is
prompt.py      the system prompt, in labelled sections; reasoning_prompt.py: its part on think and analyze
substitution.py  {key} -> its value
finding.py     a search of the run -> what the model is handed of it, and what the user is told
search_remarks.py  sentences before the references: how sure the search is, and what could not be searched yet
searched_ahead.py  the question with what was found for it before the model is asked
references_format.py  what was found, as JSON or YAML
history.py     earlier runs of a session as messages
handing_over.py  what a search found -> what the model is handed: whole, or compressed to what it sees
context_window.py  how much of what it sees is left; token_estimate.py: tokens where nobody counts them
special_tokens.py  marks by which servers tell who speaks, harmless in texts
references.py  the numbers by which a run's hits may be cited
markers.py     finds [n] in an answer
citations.py   markers -> citations, checked against the references
passage.py     which sentence of a chunk supports a claim
exhaustive/    a question asked of every passage of many documents
claims/        each sentence of an answer, borne out or not by what it cites
memories/      what is remembered of conversations, in the prompt and behind an answer
refusal.py     the sentence that says "nothing found"
retrievers/    custom retrievers, asked side by side
map_reduce.py  whole documents -> what a model is handed of them: as they stand, or what it found in each part
requested_documents.py  which documents a request means; even_choice.py: passages from all of their sections
counted_provider.py  a model whose calls count as the run's, without being turns of it
outline.py     a document -> its sections, each with the sentences that open it
offline/       requests about whole documents, answered without a model
tools/         what a model may call: think, search, read, calculate, look up
calculation/   arithmetic as people write it -> a number
mcp/           tools of other programs, by the Model Context Protocol
providers/     models: two OpenAI wire formats, and the offline answerer
"""
