"""The settings dialog: declarations -> fields, and the model profiles.

presets.py      addresses of the usual local model servers
presenter.py    reads and changes settings and profiles; no widget in it
fields.py       one declared setting -> one row
profile_form.py one model profile, its key, and the connection test
profiles.py     the page with the list of model profiles
embedder_presenter.py the decisions about another embedding model; embedder_change.py the card about it
tool_servers.py MCP servers; tool_servers_presenter.py: the same without a window
key_field.py    a key, as it is entered
web_search.py   what a web search sends where, and the key of its server
reranking.py    what the reranker chosen means, its key, and a trial
dialog.py       the window
"""
