"""The nouns: frozen dataclasses from the standard library, known to every room.

Document, ParsedDocument (with Page, Finding) -> Chunk -> Hit -> Reference and Citation -> RunEvent -> Run -> Session.

document.py       a document, as parsed and as the library keeps it; place.py: the words for its pages
chunk.py          a slice of a document's text; tokens.py: how its length is counted
chunk_edit.py     a change of chunks by the user; chunk_use.py: chunks on a page, in answers; text_diff.py: what is new
called.py         the words by which a document is called; file_name.py: those that a file's name says
metadata.py       the fields of a document that the user may write
custom_fields.py  keys of the user's own with their values; custom_metadata.py: what they can be, and how they compare
finding.py        what a parser found and lost; diagnosis.py: what is said of it
knowledge_base.py documents that are kept apart from all others
linked_folder.py  a folder whose files are read in place
review.py         what a drop holds, before anything is added; progress.py: how far adding it is
soundness.py      what is wrong in a library, and what its repair did; backup.py: a copy of its database
bin.py            what was removed and can be brought back
embedder.py       which embedding model a library is bound to
filter.py         what a search may look at; coverage.py: how much of the library it could see
                  filter_expression.py: its tree; filter_keys.py: what it can ask; filter_extent.py: how much passes
stretch.py        several chunks in a row, as they stand in the text
hit.py            what a search gives back, and the citations made of it; explanation.py: why, and why not
claim.py          what an answer says, sentence by sentence, and how far its sources bear it out
outside.py        passages that are no chunk of the library: a retriever's, a tool's
retrieval.py      what a custom retriever is asked with, and how it stands; plugin.py: how a plug-in file does
workspace.py      a folder of agents, once it was read
search_configuration.py  the steps of a search
map.py            the library as a picture: points, regions, how it stands with it
golden.py         questions of which people know the answer's place; evaluation.py: how well searches find it
visible.py        what nobody would see in a name, spelt out; web_address.py: where an address really leads
options.py        what scripts write as arguments -> values of fields, or an error that lists the choices
setting.py        one setting, declared once in workbench/settings
tool_server.py    how an MCP server is reached; tool_info.py: a tool as it stands in a list
agent.py          who answers: what it is told, may search and call; agent_choices.py: what it may name
prompt.py         what a model was told, in parts; memory.py: what is remembered of conversations
approval.py       which tool calls wait for a person, and what may be said to one; curation.py: which searches do
limits.py         what an answer may take; branches.py: which answers of a session stand in one another's place
egress.py         what was asked of the network, request by request; the air gap
profile.py        how a model is reached; message.py: what is said to it and by it; model_report.py: what it can do
run.py            an answer's events as they happen, and kept
plan.py           the steps by which a question is answered; plan_standing.py: how far they are, as events tell
exhaustive.py     a question asked of every passage: what each said, and each document
session.py        a conversation with all its runs, user.py: whose it is; export.py: what a file of it holds
"""
