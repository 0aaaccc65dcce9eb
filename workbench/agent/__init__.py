"""Question -> agent run -> answer with checked citations; every step an event.

base.py                 The protocols of a run: who answers (ModelProvider), what may be called (Tool), who allows it
                        (Approver, Curator)
run.py                  The agent run: a loop over tool calls whose every step is an event, with limits, that can be
                        stopped anywhere
run_log.py              The events of a run, numbered and timed, and what adds up over its turns
rounds.py               The rounds of a run: the model is asked and its calls are carried out, until it answers or a
                        limit is reached
turns.py                The turns of a model: natively or by text, tried again where nothing of one was used, counted
                        and recorded
token_budget.py         How many tokens a run has used: as its server counts them, or estimated where it does not
time_limit.py           The time that a run may take; what it waits for a person does not count
tool_calls.py           One turn's tool calls: checked, run side by side, answered in the order in which the model
                        made them
approval_gate.py        Where a tool call waits for a person's word
curation_gate.py        Where what a search found waits for a person to choose from it, before an answerer is handed
                        it
recorded.py             The beginning of a run that was kept, to be gone through again without asking the model
run_diff.py             Where two runs differ: question, prompt, calls and their results, references, answer; each as
                        a unified diff
opening.py              What a model is told before it says anything: the prompt, what was said before, and the
                        question
built_in.py             The agent that is always there: it answers from the documents, and from nothing else
prompt.py               The system prompt: sections in a fixed order, each with a label, so that a person can see what
                        a model was told
reasoning_prompt.py     What a model is told of think and analyze, and two examples of their use
substitution.py         {key} in a text -> its value, for keys that are known; everything else, a $ too, stays as it
                        is
finding.py              A search of a run -> what the model is handed and what the user is told; for the tool and for
                        searches ahead
search_remarks.py       Sentences before the references of a search: how sure it is of them, and that not everything
                        can be searched yet
searched_ahead.py       The question with what was found for it before the model is asked: one text, and its parts
                        again
references_format.py    What was found -> the text that a model is handed: JSON or YAML, by one writer for every way
                        it gets there
history.py              Earlier runs of a session as messages: what was asked and what was answered, nothing of how
handing_over.py         What a search found -> the text that a model is handed: whole where there is room, else
                        compressed to it
context_window.py       How much of what a model sees at once is left for what a search found
token_estimate.py       How many tokens a text is for a model whose tokenizer is not at hand: rather too many than too
                        few
special_tokens.py       Marks by which model servers tell who speaks, made harmless where they stand in a text
references.py           The numbers by which a run's hits may be cited: given once, kept for the whole run
markers.py              Finds citation markers in an answer's Markdown: [1], [1, 2], [1][2], 【1】, [1-3]
citations.py            Markers of an answer -> citations, each checked against what this run has found
passage.py              Which sentence of a chunk supports a claim: the words quoted, else the sentence that shares
                        most with it
refusal.py              The agreed sentences by which an answer says that it found nothing, or is not sure, and how
                        they are recognised
map_reduce.py           Whole documents -> what a model is handed of them: as they stand where they fit, else what it
                        found in each part
requested_documents.py  A request about whole documents -> these documents, as far as the run may see them
even_choice.py          Passages of several documents in an order of which every beginning is spread over all
                        documents and sections
counted_provider.py     A model whose calls count as the run's own, without being turns of its conversation
outline.py              A document's outline: its sections in order, each with the sentences that open it, as passages
                        that can be cited
calculation/            Arithmetic as people and models write it -> a number, exact where it can be
claims/                 Answer + what its run found -> each claim of it, borne out or not by the passages that it
                        cites
exhaustive/             A question asked of every passage of many documents: passages -> what each says -> verdicts ->
                        conclusion
mcp/                    MCP servers -> tools of agents: the protocol is the official SDK's, imported only when a
                        server is asked
memories/               What is remembered of a conversation, and what of it comes back to a model's mind
offline/                What the offline answerer does beside quoting sentences: it answers requests about whole
                        documents from structure
planning/               A question that needs several steps: a plan of the model's own, each step of it carried out,
                        the answer made of them
providers/              One turn of a conversation -> the events of a model's answer
retrievers/             Custom retrievers: question -> passages from outside the library, asked side by side, each
                        within its limits
text_protocol/          Tools for models without tool calling: calls are lines of the answer, results come back as a
                        message
tools/                  Arguments from a model -> a text for the model and events for the user
workspace/              A folder of agents, as Agent Gateway lays it out -> agents of ours, and a list of what is
                        wrong in it
"""
