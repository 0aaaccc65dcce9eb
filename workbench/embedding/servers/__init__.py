"""Embedding by a server that the user chose: one class for each wire format, one client for all of them.

    ServerEmbedder -> texts cut into windows -> batches -> wire format -> EmbeddingClient -> egress gate -> server

known_models.py     Limits, prices and prompts of known services and models
wire_formats.py     The wire formats: OpenAI's, Cohere's second one, Baidu Qianfan's
client.py           The HTTP client: deadlines, retries with back-off, cancellation, errors in words
server_embedder.py  The embedder: cuts texts into windows that fit the model and these into batches, checks every
                    answer, and averages the windows of a long text

Embedding is idempotent: a request whose connection failed, or that the server was too busy to answer, is sent again. A
request that the server refused is not.
"""
