"""One turn of a conversation -> the events of a model's answer.

offline.py           The answerer that needs no model: it runs the same loop as one, and answers with sentences quoted
                     word for word
offline_results.py   What the offline answerer reads in a conversation: the question, its search, and the passages
                     that came back
offline_choice.py    Ranked sentences -> those that are quoted, best first
offline_layout.py    Sentences to quote -> quotes as people read them: sentences that stand together, lists, tables;
                     all word for word
offline_passage.py   A passage as the offline answerer reads it: which of its sentences stand together, its lists and
                     its tables
offline_wording.py   What the offline answerer says in its own words, in English and Chinese; all else it says is
                     quoted
openai_provider.py   An OpenAI-protocol server as a model provider: finds the wire format, retries, and says what goes
                     wrong
openai_chat.py       The Chat Completions wire format: a request's body, and the events of its stream
openai_responses.py  The Responses wire format: a request's body, and the events of its stream
server_counts.py     What a model's server tells of its tokens: how many a text is, and how many the model sees at
                     once
text_stream.py       Pieces of streamed text: characters that were cut in two are joined, and inline thinking is told
                     apart
wire.py              What both wire formats share: arguments and text made fit to be sent, a call's id made sure of
base_url.py          What a person types as a server's address -> the base URL that the client needs
errors_map.py        Whatever the client raises -> one of our errors, with a sentence that says what happened and a
                     hint what to do
connection.py        The HTTP client for a model's server: nothing from the environment is sent, no redirect is
                     followed
connection_check.py  The connection test of a model profile: what its server and its model can do, each told as soon
                     as it is known
model_listing.py     The models that a server lists; and the servers of this machine that list any
keyless.py           A model's server that says our own keys back: they are taken out before anything is shown, kept
                     or sent on
factory.py           A profile -> the provider that answers for it
"""
