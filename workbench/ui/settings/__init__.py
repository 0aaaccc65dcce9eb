"""The settings dialog: declarations -> fields, and the model profiles.

presenter.py               Reads and changes settings and model profiles; works without a window
resetting.py               Settings back to their defaults, and the way back from there; works without a window
outdated.py                Settings that documents only follow once they are indexed again: whether one was changed,
                           and for how many
pages.py                   Which settings stand on which page, and how their values are said
fields.py                  One declared setting as one row: title, marker, help, field, reset
page.py                    One page of the settings: its rows in a card, cards below it, and a way back for all that
                           was changed on it
finding.py                 What is typed into the search of the settings -> whether it is found in texts, and where it
                           stands in them
search.py                  The left side of the settings: a line that looks for settings, the pages, and how much is
                           found on each
notice.py                  The bar that says that documents keep what a setting had before, and has them indexed again
presets.py                 Where the usual model servers are found, so that nobody has to remember a port
model_picker.py            Who is to answer: the offline default, servers that run on this machine, and the usual ones
                           by preset
model_list.py              The models of a server, to choose from: a line that filters, and a list
model_servers.py           Tries what model servers can do, lists their models, and looks which run on this machine;
                           works without a window
report_view.py             What the test of a connection found out, a line each: a mark, what was tried, and what was
                           seen
profile_form.py            One model profile as a form: address, model, wire format, key, and a test of what its
                           server can do
profiles.py                The page with the model profiles: who can answer, and who does
embedder_presenter.py      The decisions about the change of the embedding model; works without a window
embedder_change.py         The card about the embedding model in force: what it is, a change under way, the way back
tool_servers.py            The card with the MCP servers: set up, allowed, checked, removed
tool_servers_presenter.py  Sets up MCP servers; works without a window
key_field.py               A key as it is entered: never shown, kept in the system's keyring, gone from the field as
                           soon as it is kept
model_fetch.py             A model of the hub, fetched once under the air gap: what that opens is said beside the
                           button
base_search.py             The card that says how a knowledge base is searched, and lets it be searched otherwise than
                           the others
base_search_presenter.py   How each knowledge base is searched: shown, changed, reset and undone; works without a
                           window
network_card.py            The card below the setting of the air gap: what it means now, and the way to what went over
                           the network
web_search.py              The card below the settings of tools: what a web search sends where, and the key of its
                           server
reranking.py               The card below the settings of search: what the reranker chosen means, its key, and a trial
dialog.py                  The settings dialog: what answers, how documents are indexed, limits, appearance
"""
