"""Model providers: one turn of a conversation becomes the events of a model's answer.

openai_provider.py    Provider for OpenAI-compatible servers
openai_chat.py        The Chat Completions wire format: a request's body, and the events of its stream
openai_responses.py   The Responses wire format: a request's body, and the events of its stream
wire_format.py        Parts that both wire formats share
base_url.py           Normalisation of a server address typed by the user to the base URL for the client
error_mapping.py      Mapping of exceptions of the client to ModelError, with a message and a hint for the user
model_server.py       HTTP client for model servers, the models that a server lists, and its token counts and
                      context length
connection_check.py   Connection test of a model profile: abilities of its server and its model, each reported
                      as soon as it is known
provider_factory.py   Factory of the model provider for a profile
"""
