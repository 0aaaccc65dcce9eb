"""Candidates of a search -> a better order.

base.py              Interface of rerankers, the reordering of candidates by one, and the certainty that its scores
                     stand for
late_interaction.py  Reranking by late interaction of token vectors: computed for a passage and cached, or stored and
                     compressed
lexical_overlap.py   Reranking by lexical overlap
cross_encoder.py     Reranks by a cross-encoder of sentence-transformers: bge-reranker, ms-marco-MiniLM, or any other
rerank_server.py     Reranking by a server that the user set up, and the wire formats
"""
