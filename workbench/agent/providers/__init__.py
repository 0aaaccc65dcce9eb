"""One turn of a conversation -> the events of a model's answer.

offline_conversation.py       What the offline answerer reads in a conversation: the question, its search, and the
                              passages that came back
offline_quotes.py             Quotes of the offline answerer
offline_passage_structure.py  A passage as the offline answerer reads it: which of its sentences stand together, its
                              lists and its tables
offline_wording.py            What the offline answerer says in its own words, in English and Chinese; all else it
                              says is quoted
openai_provider.py            Provider for OpenAI-compatible servers
openai_chat.py                The Chat Completions wire format: a request's body, and the events of its stream
openai_responses.py           The Responses wire format: a request's body, and the events of its stream
wire_format.py                Parts that both wire formats share
base_url.py                   What a person types as a server's address -> the base URL that the client needs
error_mapping.py              Whatever the client raises -> one of our errors, with a sentence that says what happened
                              and a hint what to do
model_server.py               HTTP client for model servers, the models that a server lists, and its token counts and
                              context length
connection_check.py           The connection test of a model profile: what its server and its model can do, each told
                              as soon as it is known
provider_factory.py           A profile -> the provider that answers for it
"""
