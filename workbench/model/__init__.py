"""The nouns: frozen dataclasses from the standard library, known to every room.

Document, ParsedDocument (with Page, Finding) -> Chunk -> Hit -> Reference and Citation -> RunEvent -> Run -> Session.

document.py              A document as parsed (ParsedDocument) and as the library keeps it (Document), the findings of
                         its parser
source_lines.py          Lines of a long file, or rows of a table: where the text of one of its parts stands in it
chunk.py                 Chunks: slices of a document's text that are embedded, found and cited
text_diff.py             Two versions of a text -> what was left, taken out and put in, word by word
document_name.py         Names of documents: the words in a file's name, what a document is called in front of its
                         chunks
metadata.py              Metadata of a document that the user may write: checked fields and tags, and values of the
                         user's own fields
custom_metadata.py       Metadata of the user's own: any key with a text, a number, a date or a list of these, on any
                         document
diagnosis.py             What the ingestion doctor says of a document: symptoms with their remedies, and the lengths
                         of its chunks
knowledge_base.py        Knowledge bases, the folders that are linked to them, and the bin of removed documents
import_progress.py       Progress and results of an import: its events, and what a drop of files holds before anything
                         is added
integrity_report.py      Integrity of a library: what a check found, what repair did and what was lost; backups of the
                         database
embedder.py              Which embedding model a library is bound to, a change of it in progress, and how an embedder
                         counts tokens
filter.py                Filters of a search: the keys that can be asked about, the tree of conditions
hit.py                   What a search returns
explanation.py           Why a passage was found, or at which step of the search it was lost
claim.py                 What an answer says, sentence by sentence, and how far the passages that it cites bear it out
extensions.py            Extensions of a library: custom retrievers, plug-in files, tools, and MCP tool servers
search_configuration.py  How a search goes: which lists, which steps. What two evaluations differ in, and what a
                         knowledge base keeps
map.py                   The map of a library: every chunk a point in a plane, what is alike close together
evaluation.py            Golden questions with their judgements, and evaluations: how well a way of searching finds
                         what they ask for
visible.py               Text that a document or a model controls -> the same with what nobody would see spelt out:
                         "gpj⟨U+202E⟩.exe"
web_address.py           Where an address really leads, whatever it looks like
options.py               Arguments of public classes: what people write is converted, and what cannot be is refused
                         with what could be
setting.py               One setting: its key, type, default and bounds, and what people read of it
agent.py                 An agent as data: instructions, searches, tools and limits; what it may name
memory.py                Users of a library, and the notes that are remembered of their conversations
approval.py              What waits for a person's decision during a run: tool calls to approve, and found passages to
                         curate
egress.py                What the program asks of the network: each request as it stands in the ledger, and the air
                         gap
profile.py               How a chat model is reached, and what the test of a connection found out about it and its
                         server
message.py               Messages to and from a chat model, tool calls, and the parts of a prompt
run.py                   An agent run: its events, its plan, its limits, and the run as it is stored
plan_state.py            The plan of a run as its events tell of it: which steps there are, how each stands, and what
                         it came to
exhaustive.py            A question asked of every passage that a filter lets through: what each said, what that makes
                         of each document
session.py               A session: a conversation over the library with all its runs, the branches of its answers
"""
