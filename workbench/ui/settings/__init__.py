"""The settings dialog: declarations -> fields, and the model profiles.

presenter.py               Reads, changes and resets settings, model profiles and the search settings of knowledge
                           bases
settings_pages.py          Pages of the settings: which setting is on which page, and the row that edits one setting
settings_search.py         Search in the settings: the search field with the list of pages, matching, and highlighting
                           of matches
model_servers.py           Model servers: presets of the usual ones, discovery of those that run here, and the test of
                           a connection
profile_form.py            Form of a model profile, with the choice of a model and the report of the connection test
profiles_page.py           The page of the model profiles, and the picker that offers presets and servers that run on
                           this machine
embedder_card.py           The card of the embedding model in use, and the presenter that changes it
tool_servers_card.py       The card with the MCP servers: set up, allowed, checked, removed
tool_servers_presenter.py  Sets up MCP servers; works without a window
model_fetch.py             A model of the hub, fetched once under the air gap: what that opens is said beside the
                           button
base_search.py             The card that says how a knowledge base is searched, and lets it be searched otherwise than
                           the others
service_cards.py           Cards below the settings of a page: reranker, web search and air gap, and the input field
                           of an API key
settings_dialog.py         The settings dialog, and its notice that documents must be indexed again
"""
