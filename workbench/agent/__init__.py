"""Question -> agent run -> answer with checked citations; every step an event.

base.py        the protocols: ModelProvider (who answers) and Tool (what may be called)
run.py         the loop over tool calls, its limits, and how a run ends
tool_calls.py  one turn's tool calls: checked, run side by side, answered in order
prompt.py      the system prompt, in labelled sections
history.py     earlier runs of a session as messages
handing_over.py  what a search found -> what the model is handed: whole, or compressed to what it sees
context_window.py  how much of what it sees is left; token_estimate.py: tokens where nobody counts them
references.py  the numbers by which a run's hits may be cited
markers.py     finds [n] in an answer
citations.py   markers -> citations, checked against the references
passage.py     which sentence of a chunk supports a claim
refusal.py     the sentence that says "nothing found"
tools/         think, analyze, search_knowledge_base
providers/     models: two OpenAI wire formats, and the offline answerer
"""
