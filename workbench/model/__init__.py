"""Data model: frozen dataclasses based on the standard library only, used by every package.

Document, ParsedDocument (with Page, Finding) -> Chunk -> Hit -> Reference and Citation -> RunEvent -> Run -> Session.

document.py              A document as parsed and as stored by the library, the findings of its parser, and names of
                         places in it
source_lines.py          Line and row numbers of a document's text in a longer file
chunk.py                 Chunks: slices of a document's text that are embedded, found and cited
text_diff.py             Word-by-word difference between two versions of a text
document_name.py         Names of documents: the words in a file's name, and the name prepended to a document's chunks
metadata.py              Editable metadata of a document: checked fields and tags, and values of custom fields
custom_metadata.py       Custom metadata: any key with a text, a number, a date or a list of these, on any document
diagnosis.py             Diagnosis of a document by the ingestion doctor: symptoms with remedies, and chunk lengths
knowledge_base.py        Knowledge bases, the folders that are linked to them, and the bin of removed documents
import_progress.py       Progress and results of an import: its events, and a review of dropped files
reranker.py              Kinds of rerankers that the settings offer, with their texts
release.py               Releases of this program as a release feed names them, and the last question for a newer one
integrity_report.py      Integrity of a library: results of checks and repairs, and backups of the database
embedding_server.py      Embedding model on a server: its form in the settings, and what the server receives
embedder.py              Embedding model of a library, the progress of changing it, token counting, and the packages
                         that other models need
vector_store.py          Vector store of a library, and the progress of moving to another one
filter.py                Filters of a search: keys, the tree of conditions, and the numbers of documents that pass
hit.py                   Search results: hits with every score, references, citations, and the coverage of searches
explanation.py           Explanation of why a passage was found, or at which step of the search it was lost
claim.py                 Claims of an answer, sentence by sentence, and their support by the cited passages
extensions.py            Extensions of a library: custom retrievers, plug-in files, tools, and MCP tool servers
search_configuration.py  Search configuration: the lists and steps of a search
shared_library.py        Shared libraries: their state, members, and events of their imports
map.py                   Map of a library: every chunk is a point in a plane, similar chunks are close together
evaluation.py            Golden questions with their judgements, and evaluations of search configurations by them
visible.py               Escaping of invisible characters in text controlled by a document or a model
web_address.py           Real destination of a web address, regardless of its appearance
options.py               Arguments of public classes: conversion of values, and rejection with a list of valid ones
setting.py               Declaration of a setting: its key, type, default and bounds, and its texts for users
agent.py                 Agent definitions: instructions, searches, tools and limits, and the choices for their fields
memory.py                Users of a library, and memories of their conversations
approval.py              Decisions of a person during a run: approval of tool calls, and curation of found passages
egress.py                Network requests as recorded in the ledger, and offline mode
profile.py               Profiles of chat models: connection settings, and the results of a connection test
message.py               Messages to and from a chat model, tool calls, and the parts of a prompt
run.py                   Agent run: its events, its plan, its limits, and the stored run
plan_state.py            State of a run's plan, derived from its events: the steps, their states and results
exhaustive.py            Exhaustive reading: a question asked of every passage, and its results by document
session.py               Session: its runs, the branches of its answers, and the contents of an export
"""
