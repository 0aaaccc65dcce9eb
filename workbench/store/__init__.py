"""The truth on disk: documents, chunks, keywords, vectors, sessions -> SQLite -> the same again after any kill.

database.py               The library's database: one file, one serialised writer, many
                          readers
lock.py                   The one-writer lock of a library folder: held by the operating
                          system, so a killed program leaves none behind
closing.py                A library that an earlier version left open to everybody on the
                          computer -> one for its user alone, once
reading.py                How a library is opened to read, beside the program that writes it
                          or on a medium that nobody can write
migration.py              Bring a database to the newest schema: numbered SQL files, applied
                          in one transaction
backups.py                Backups of the database: made whole and checked or not at all,
                          listed, put in use again, and few of each kind
soundness.py              What does not agree in the database: its file, its indexes, texts,
                          vectors, answers, settings; nothing is changed
repair.py                 The database put in order: what cannot be read is handed out, the
                          rest mended, in one transaction a fault
mending.py                Rows put in order again: what lost its owner gets another one or
                          is handed out, counts are counted anew
recovery.py               Whether files in the library folder are all that is left of
                          documents that its database does not know (any more)
clock.py                  The time by which things are deleted: one that the clock showed at
                          an earlier look, at least a day before
failures.py               The one place where an error of SQLite becomes an error of ours
values.py                 How values stand in the database: text that may lack a UTF-8 form,
                          JSON, times
columns.py                Whole columns of numbers out of the database
latest.py                 What was counted in the library, kept until anything is written
rows.py                   Database rows -> the nouns of workbench.model, and the column
                          lists that go with them
packing.py                How a document's text, blocks and word boxes are packed into blobs
document_contents.py      What the documents of a library hold: text, blocks, pages and
                          chunks
definitions.py            Abbreviations that a text defines
abbreviations.py          Table of the abbreviations that the documents of a library define,
                          searched by short and by long form
replacement.py            Replace a document's content inside one transaction, keeping what
                          did not change
documents.py              The documents of a library with their content and chunks
chunk_edits.py            The user's changes of chunks: each made, undone and redone in one
                          transaction with all that searches go by
chunk_log.py              The edits of chunks as they are kept, and what can be told of
                          them: which are in force, which hang together
chunk_rows.py             Some chunks of a document put in the place of others, with their
                          rows in the keyword index and their vectors
chunk_reapply.py          What the user changed about chunks by hand, applied again when
                          their document was read or cut anew
chunk_uses.py             Which answers cited a document: asked of the citations that each
                          kept run has
intake.py                 Documents on their way in: rows that stand before their file is
                          read, and what is known of files without reading
origins.py                Documents that did not come as files: rows that stand before
                          anything was fetched, and what is known of them
bin.py                    The bin: removed documents, kept with everything they hold until
                          their time is over or the user empties it
linked_folders.py         The linked folders of a library, and what it knows of the files in
                          them
knowledge_bases.py        The knowledge bases of a library: made, renamed, removed;
                          documents moved and copied between them
duplication.py            A document copied into another knowledge base, chunks and vectors
                          and all, without reading it again
metadata.py               What the user writes of a document: its metadata fields and its
                          tags
custom_metadata.py        Metadata of the user's own, as rows of document_metadata;
                          filtering.py compares them
chunk_owners.py           Which document each chunk is of, kept in memory: a filter on
                          documents then needs no look at every chunk
map_rows.py               What the map needs of documents and chunks: whole columns, since
                          it shows all of them at once
filtering.py              ChunkFilter -> SQL over chunks (c) and documents (d); values are
                          always bound, never part of the SQL
filter_values.py          Which values the documents of a library have, so that a filter
                          need not be guessed
segmentation.py           Text -> words for keyword search, the same way for documents and
                          for questions
stemming.py               Light English stemming: forms of one word fall together; the stem
                          need not be a word
stopwords.py              Words that say nothing of what a question is about
document_names.py         Which documents are called by a word: their names, titles and
                          authors, kept by the schema's own triggers
name_words.py             Words of a file name, title or author, by which a question can
                          name a document
keywords.py               The keyword index: FTS5 over segmented text, ranked by BM25
index_reader.py           One transaction's view of the keyword index; what it reads is kept
                          while the library stays the same
postings.py               A word -> the chunks that hold it and how far it is saturated
                          there, 0 to 1: tf / (tf + K) of BM25
chunk_layout.py           Where chunks stand in their documents, as columns: their order,
                          their stretch of the text, their pages
words_around.py           Chunks and words -> which of the words each chunk holds, and how
                          many of the chunks around it hold them, too
bm25.py                   What BM25 is reckoned with: the numbers, and how they come out of
                          FTS5
common_words.py           Words that stand in many chunks -> those chunks as arrays
adding_up.py              Words of a question, as arrays -> the best chunks: BM25 added up
                          over all chunks of the library at once
ranks.py                  Scores -> the best of them, and the ranks of some, by counting
keyword_evidence.py       BM25 shares of chunks and of the pages they stand on, for the
                          parts of a question
changed_chunks.py         Which chunks may have come into what can be found, or gone from it
embedders.py              The embedder that a library is bound to, the one before it, and
                          the swap between two sets of vectors
vectors.py                The vectors of the chunks, by embedder: the truth of which the
                          search index is a cache
token_codes.py            Compressed token vectors of the chunks, each beside the vector
                          that it was made with
checksums.py              Checksums of rows of numbers: vectors, token codes and the codecs
                          of these
row_checksums.py          Checksums of rows that nothing else can tell of: what the user
                          wrote, asked and set up
event_codec.py            Frozen dataclasses <-> JSON, by their fields: what is read back
                          equals what was written
session_intake.py         Sessions that come from elsewhere: put into the library whole,
                          with every run and event, or not at all
sessions.py               Sessions with their runs, every event of them included: what was
                          shown can be shown again, and exported
session_rows.py           Sessions and runs as rows: whose they are, and what is read of
                          them
session_upkeep.py         What is done to the sessions of all users when a library is opened
                          or checked: nobody is shown what it reads
session_shelf.py          Where a session stands: pinned, archived, found by what was said
                          in it, with a question that was not asked yet
agents.py                 The agents that the user made
memories.py               What is remembered of conversations: each user's apart from all
                          others', and apart from the documents
profiles.py               Model profiles: how to reach the chat models; keys are not in here
tool_servers.py           MCP servers whose tools agents may use; whether they may be run is
                          kept for the user, not here
egress_ledger.py          What the program asked of the network: written before anything is
                          sent, completed when the answer is there
unstored.py               What a library that is opened to read cannot keep: answers and
                          requests of this process, in a database beside it
golden_questions.py       Sets of golden questions with their judgements
evaluations.py            Runs over golden questions, kept so that a library can be compared
                          with itself
exhaustive.py             Questions asked of every passage: kept, listed, renamed, removed;
                          exhaustive_passages.py: what each passage said
exhaustive_passages.py    Which passages a reading has to read, which it has read, and what
                          became of them since
exhaustive_pace.py        How fast a model was: in earlier readings, else in its answers
search_configurations.py  Configurations of searches: those kept under a name, and those
                          that knowledge bases are searched with
setting_values.py         The values of settings, and what the program remembers for itself
state.py                  What a library remembers of itself: one value a name, changed in
                          the caller's own transaction
salvage/                  What can still be read of a damaged database: page by page, past
                          SQLite, which gives up where one is off
"""
