"""Retrieval: the hits for a question, and the sentences that answer it.

base.py                  Protocols of the lower layers that a search needs, and of the search that the agent needs
question_words.py        Words of a question with their weights in this library, and the split of a question that asks
                         for several things
embedder_calibration.py  Calibration of an embedder: how well its cosines separate right from wrong passages in the
                         script of a question; measured on its own questions and answers in several scripts
hybrid_search.py         Hybrid search: the dense list and the keyword list of a question, and their weights in the
                         fusion
document_names.py        Recognition of the documents that a question or a request names, by their names or by words for
                         them
relevance.py             Probabilities (0 to 1) that a hit is about a question and that an answer exists, comparable
                         between questions
query_expansion.py       Query expansion: business and science terms, and abbreviations with their long forms as
                         documents define them
abbreviation_spellings.py
                         Spellings of an abbreviation by words: by their initials, by their first letters, and by parts
                         of compounds
unknown_abbreviations.py Reading of abbreviations in a question that stand in no document, by runs of words there that
                         they abbreviate
candidates.py            Search for candidates: both lists, parts of the question, named documents and named places
ranking.py               Linear ranking of candidates, with weights read from ranking.json
request_recognition.py   Recognition of requests about a whole document or the whole library, by patterns in English and
                         Chinese
deduplication.py         Deduplication of passages with the same words, and diversification: a passage that resembles a
                         higher one moves down
retriever.py             Retriever: filter, hybrid search, fusion, deduplication, reranking and limit for one question
search_explanation.py    Explanation of a search: the fate of each chunk, word weights, and words that find a passage
explanation_summary.py   Explanation of one passage: its chunks, found by a place in a document, and its way through a
                         search in words
asked_rows.py            Table rows whose name is what a question asks for
markdown_stripping.py    Removal of Markdown marks from a text, with the source offset of each remaining character
quotable_spans.py        Quotable spans of a passage: its sentences, the rows of its tables, and its listings
topic_words.py           Topic words: the words that distinguish each group of texts from the others
chunk_context.py         Context of a chunk in its document: its neighbours, its whole section, and the sections inside
                         it
recent_chunks.py         Recent chunks: those that the last searches found, looked up by their text
sentence_similarity.py   Similarity of a question and the sentences of passages, by stored token vectors
answer_sentences.py      Ranking of the verbatim sentences that answer a question
compression.py           Compression of passages into verbatim excerpts that fit a model's token budget
filters/                 Filters as written by a person, a script or a model, parsed into a tree and written back
reranking/               Reranking of the candidates of a search
"""
