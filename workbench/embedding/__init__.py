"""Chunks' texts -> unit vectors.

base.py                  the protocol
sentence_transformer.py  load_embedder: any sentence-transformers model; exports it once, then runs the export
export.py                a model -> ONNX graphs, in a child process; the only place that imports torch
attention_mask.py        the graphs without the mask of their attention
weights.py               their weights in files of their own, which are mapped
manifest.py              what a finished export says of itself
backend.py               fp32 or int8: measured once on each machine
onnx_embedder.py         texts -> batches -> vectors, on onnxruntime
token_vectors.py         the protocols of one vector a token
static_embedding.py      texts -> rough vectors, by looking their tokens up in a table
batches.py               texts into batches of one length each
tokenizer.py             the model's own tokenizer: for counting, for the chunker, for the model
token_starts.py          where the tokens of a text start, word by word
"""
