"""One turn of a conversation -> the events of a model's answer.

offline.py           quotes from the documents, no model (offline_results.py: what the search gave; offline_choice.py:
                     which sentences; offline_layout.py, offline_passage.py: what stands together; offline_wording.py)
openai_provider.py   an OpenAI-protocol server: connection, retries, which of the two wire formats
openai_chat.py       the Chat Completions wire format
openai_responses.py  the Responses wire format
server_counts.py     what its server tells of tokens: how many a text is, how many the model sees
text_stream.py       pieces of text: split characters joined, <think> told apart
wire.py              what both formats share: arguments and text made fit to be sent
base_url.py          what a person types as an address -> a base URL
errors_map.py        whatever the client raises -> a sentence
connection.py        the HTTP client: no key from the environment, no redirect followed
connection_check.py  what a server and its model can do, for the "Test" button; model_listing.py: which models it has,
                     and which servers of this machine have any
keyless.py           keys that a server says back, taken out
factory.py           profile -> provider
"""
