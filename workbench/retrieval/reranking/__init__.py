"""Candidates of a search -> a better order.

base.py              what a reranker is
ordering.py          candidates + reranker -> order; a failure leaves it and says so
late_interaction.py  by the embedding model's token vectors; the default;
                     stored_tokens.py compares those that the library keeps; passage_vectors.py embeds
letters.py           by letters: needs nothing but the texts; letter_runs.py: all at once; characters.py: Chinese
topics.py            words that stand all around a passage do not tell it apart; for these two
neighbours.py        what stands beside good passages is raised, by these two
cross_encoder.py     by a cross-encoder of sentence-transformers
server.py            by a server; wire.py: Cohere's, Jina's and TEI's formats
judgement.py         scores of these two -> how sure it is that a passage is about the question
"""
