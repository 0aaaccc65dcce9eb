"""Embedding: unit vectors for the texts of chunks.

base.py                  Embedder protocols: unit vectors of texts, and one vector per token for late interaction
sentence_transformer.py  Loading of any sentence-transformers model
model_packages.py        Packages that load other models than the built-in one, and the command that installs them
export.py                Export of a sentence-transformers model to ONNX graphs and a tokenizer, in a child process, and
                         changes to the graphs: no attention mask, weights in a separate memory-mapped file
export_manifest.py       Manifest of a finished export: manifest.json next to the graphs
onnx_embedder.py         Embedder that runs an exported model on onnxruntime, in batches of equal length
static_embedding.py      Static embeddings: a text's vector as the sum of its tokens' vectors from a table, without
                         running the model
tokenizer.py             Tokenizer of the model: token counts, token ids, and start offsets of the tokens of a text
servers                  Embedding by a server: OpenAI's wire format and others
"""
