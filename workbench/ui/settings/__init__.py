"""Settings dialog: declarations -> fields, and the model profiles.

presenter.py                   Presenters of the settings, the model profiles and the search settings of knowledge bases
settings_pages.py              Pages of the settings: the settings of each page, and the row that edits one setting
settings_search.py             Search in the settings: the search field with the list of pages, matching, and
                               highlighting of matches
elsewhere.py                   Words that people search for in the settings although they are no setting, and the place
                               of what they mean
model_servers.py               Model servers: presets of common ones, discovery of those that run on this machine, and
                               the connection test
profile_form.py                Form of a model profile, with the choice of a model and the report of the connection test
profiles_page.py               Page of the model profiles, and the picker that offers presets and servers that run on
                               this machine
embedder_card.py               Card of the embedding model in use, and the presenter that changes it
embedding_choice.py            Choice of an embedding model: the built-in one, a folder, a hub name, or a server
embedding_server_presenter.py  Presenter of embedding servers: plan, consent, trial and key; works without a window
tool_servers_card.py           Card with the MCP servers: add, allow, check and remove
tool_servers_presenter.py      Presenter of MCP servers; works without a window
store_card.py                  Card of the vector store: shows the one in use, and moves the library to another one and
                               back
store_presenter.py             Presenter of the vector store; works without a window
model_fetch.py                 Single download of a hub model while offline mode is on, with the hosts shown next to the
                               button
model_packages_notice.py       Installation of the packages that load other models: presenter, and the notice that
                               offers it
base_search.py                 Card that shows how a knowledge base is searched, and changes this for one of them
service_cards.py               Cards below the settings of a page: reranker, web search and offline mode, and the input
                               field of an API key
settings_dialog.py             Settings dialog, and its notice that documents must be indexed again
"""
