"""Chunks' texts -> unit vectors.

base.py                  Embedder protocols: unit vectors of texts, and one vector a token for late interaction
sentence_transformer.py  Loading of any sentence-transformers model
export.py                A sentence-transformers model -> ONNX graphs and a tokenizer, made once in a child process
onnx_graphs.py           Changes to exported ONNX graphs: attention without a mask, and weights in a file of their own
                         that is mapped
export_manifest.py       What a finished export says of itself: manifest.json beside the graphs
onnx_embedder.py         The embedder that runs an exported model on onnxruntime, in batches of one length each
static_embedding.py      Static embeddings: a text's vector as the sum of its tokens' own vectors, looked up in a
                         table without the model
tokenizer.py             The model's own tokenizer: token counts, token numbers, and where the tokens of a text start
"""
