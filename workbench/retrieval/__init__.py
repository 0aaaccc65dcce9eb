"""Question -> Hits, and the sentences that answer it.

base.py                  The interfaces that a search needs of the layers below, and those that the agent needs of a
                         search
question_words.py        Words of a question with their weights in this library, and the split of a question that asks
                         for several things
probe_texts.py           Questions and the sentences that answer them, the same facts in several scripts; written for
                         this program
embedder_calibration.py  Measures how well an embedder tells right from wrong passages in the script of a question
hybrid_search.py         Hybrid search: the dense list and the keyword list of a question, and the weight that each
                         has in their fusion
document_names.py        Documents that a question or a request names, by their names or by words for them
relevance.py             Probabilities that a hit is about a question, and that an answer is there: 0 to 1, comparable
                         between questions
query_expansion.py       Query expansion: business and science terms, and abbreviations with their long forms as
                         documents define them
candidates.py            Candidates for a question
ranking.py               Linear ranking of candidates
request_recognition.py   Recognition of requests about a whole document or the whole library, by patterns in English
                         and Chinese
diversity.py             Passages in order -> an order in which a passage gives way that says what one above it says
deduplication.py         When two passages say the same: the same words in the same order, whatever their typography
retriever.py             Question -> SearchResult: both lists, filtered before the limit, fused, equal texts folded,
                         reranked, cut
passage_location.py      A place in a document -> the chunks that hold it, or what kept it out of every search
explanation.py           Explanation of a search
explanation_summary.py   A passage's way through a search -> one sentence for people, and what would have found it
markdown_stripping.py    Text as it reads aloud: Markdown's marks taken away, and where each character that is left
                         stood
quotable_spans.py        The spans of a passage that may be quoted: its sentences, the rows of its tables, its
                         listings
topic_words.py           Groups of texts -> the words that tell each group from the others
chunk_context.py         Context of a chunk in its document: its neighbours, its whole section, and the sections
                         inside it
answer_sentences.py      Ranking of the sentences that answer a question, word for word
compression/             Passages -> as much of them, word for word, as a model has room for
filters/                 Filters as a person, a script or a model writes them -> the tree that a search is filtered
                         with, and back
reranking/               Candidates of a search -> a better order
"""
