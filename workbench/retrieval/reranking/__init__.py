"""Reranking of the candidates of a search; model/reranker.py says how to add a reranker.

base.py              Interface of rerankers, reordering of candidates by a reranker, and conversion of its scores to
                     probabilities
late_interaction.py  Reranking by late interaction of token vectors: computed for a passage and cached, or stored and
                     compressed
lexical_overlap.py   Reranking by lexical overlap
cross_encoder.py     Reranking by a cross-encoder of sentence-transformers: bge-reranker, ms-marco-MiniLM, or any other
rerank_server.py     Reranking by a server that the user set up, and the wire formats
"""
