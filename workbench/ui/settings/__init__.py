"""The settings dialog: declarations -> fields, and the model profiles.

presenter.py    reads and changes settings and profiles; no widget in it
resetting.py    settings back to their defaults, and undo; outdated.py: what documents do not follow yet
pages.py        which settings stand on which page, and how their values are said
fields.py       one declared setting -> one row; page.py: the rows of a page, with cards below them
finding.py      what is typed -> what is found, with its words marked; search.py: the line for it, and the pages
notice.py       the bar that has documents indexed again
presets.py      addresses of the usual model servers
model_picker.py who is to answer: offline, what runs here, presets; model_list.py: the models of a server
model_servers.py  asks servers, without a window; report_view.py: what the test of one found out
profile_form.py one model profile, its key, and the connection test
profiles.py     the page with the list of model profiles
embedder_presenter.py the decisions about another embedding model; embedder_change.py the card about it
tool_servers.py MCP servers; tool_servers_presenter.py: the same without a window
key_field.py    a key, as it is entered
model_fetch.py  a model of the hub, fetched once under the air gap
base_search.py  how each knowledge base is searched; base_search_presenter.py: the same without a window
network_card.py the air gap, and the way to what went over the network
web_search.py   what a web search sends where, and the key of its server
reranking.py    what the reranker chosen means, its key, and a trial
dialog.py       the window
"""
