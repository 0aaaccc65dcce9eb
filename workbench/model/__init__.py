"""The nouns: frozen dataclasses from the standard library, known to every room.

Document, ParsedDocument (with Page, Finding) -> Chunk -> Hit -> Reference and Citation -> RunEvent -> Run -> Session.

document.py              What a document is: as parsed (ParsedDocument) and as the library
                         keeps it (Document)
place.py                 Where in a document something stands, in the words of its format
chunk.py                 A chunk: a slice of a document's text, the unit that is embedded,
                         found and cited
tokens.py                What a chunker needs to know of an embedder: how it counts tokens
chunk_edit.py            What the user changed by hand about the chunks of a document, one
                         change at a time
chunk_use.py             Chunks as people look at them: how long a text is, where chunks
                         stand on a page, which answers cited them
text_diff.py             Two versions of a text -> what was left, taken out and put in, word
                         by word
called.py                Words by which a document is called
file_name.py             A file's name -> the words that a person gave it, and what a
                         document is called in front of its chunks
metadata.py              Which of a document's fields the user may write, and what may stand
                         in them
custom_fields.py         Metadata of the user's own, as a document has them: keys with a
                         text, a number, a date or a list of these
custom_metadata.py       Metadata of the user's own: any key with a text, a number, a date or
                         a list of these, on any document
finding.py               What a parser found in a file and what it lost: the ingestion
                         doctor's facts
diagnosis.py             What the ingestion doctor says of a document: symptoms with their
                         remedies, and the lengths of its chunks
knowledge_base.py        A knowledge base: documents that are searched, written and deleted
                         together, apart from all others
linked_folder.py         A folder that is linked: its files are read where they are, and the
                         library follows what becomes of them
review.py                What a drop of files holds, found out before anything is added
progress.py              What an import says while it goes on
soundness.py             Whether a library is sound: what does not agree in it, what repair
                         would do, what it did and what was lost
backup.py                A copy of the library's database that can take its place again
bin.py                   What lies in the bin: documents that were removed and can still be
                         brought back
embedder.py              Which embedding model a library is bound to, and a change of it on
                         its way
filter.py                What a search may look at: one knowledge base or all, and what must
                         hold for the documents and their pages
coverage.py              How much of the library a search could see
filter_expression.py     The tree of a filter: conditions on one key each, put together with
                         AND, OR and NOT
filter_keys.py           What a filter can ask about: the keys, what kind of value each has,
                         and how a value is written
filter_extent.py         How much of the library a filter lets through
stretch.py               A stretch of a document: several chunks in a row, as they stand
                         there
hit.py                   What a search gives back: hits with every score, and the references
                         and citations made of them
explanation.py           Why a passage was found, or at which step of the search it was lost
claim.py                 What an answer says, sentence by sentence, and how far the passages
                         that it cites bear it out
outside.py               Passages that are no chunk of the library: what a retriever or a
                         tool brought, citable like any other
retrieval.py             What a custom retriever is asked with, and how one stands
plugin.py                How a plug-in file of the library stands
workspace.py             A folder of agents as Agent Gateway lays it out, once it was read
search_configuration.py  How a search goes: which lists, which steps. What two evaluations
                         differ in, and what a knowledge base keeps
map.py                   The map of a library: every chunk a point in a plane, what is alike
                         close together
golden.py                Golden questions: questions of which people know what is right to
                         find, and what is wrong
evaluation.py            How well a way of searching finds what golden questions ask for:
                         measured, kept, compared
visible.py               Text that a document or a model controls -> the same with what
                         nobody would see spelt out: "gpj⟨U+202E⟩.exe"
web_address.py           Where an address really leads, whatever it looks like
options.py               Arguments of public classes: what people write is converted, and
                         what cannot be is refused with what could be
setting.py               One setting: its key, type, default and bounds, and what people read
                         of it
tool_server.py           A server whose tools agents may use, by the Model Context Protocol:
                         a program of this machine, or an address
tool_info.py             A tool that agents may name, as it stands in a list
agent.py                 An agent as data: what a model is told, what it may search and call,
                         and how far it may go
agent_choices.py         What an agent may name, and the agents themselves: what a person
                         chooses from who edits or asks one
prompt.py                What a model was told, in parts that a person can tell apart
memory.py                What is remembered of earlier conversations: short notes about the
                         person who asks, apart from all documents
approval.py              A tool call that waits for a person's word: which ones do, and what
                         may be said to one
curation.py              What a search found, shown to a person before an answerer is handed
                         it: what may stay, and in which order
limits.py                What an answer may take, and which of that it needed more of
branches.py              Answers of a session that are branches of one another, and the line
                         of answers that a question goes on from
egress.py                What the program asks of the network: each request as it stands in
                         the ledger, and the air gap
profile.py               How a chat model is reached
message.py               What is said to a model and by it: pure values, independent of any
                         wire format
model_report.py          What the test of a connection found out about a model and its server
run.py                   An agent run: its events as they happen, and the run as it is kept
plan.py                  A plan: the steps by which a question is answered, and how each of
                         them stands
plan_standing.py         The plan of a run as its events tell of it: which steps there are,
                         how each stands, and what it came to
exhaustive.py            A question asked of every passage that a filter lets through: what
                         each said, what that makes of each document
session.py               A session: a conversation over the library, kept with all its runs
user.py                  Who asks: users of one library, each with their own sessions,
                         readings and memories: separated, not protected
export.py                What an export holds, how far it is, and what came of reading one
                         back
"""
