"""Exhaustive reading: a question asked of every passage of many documents, with verdicts and a conclusion.

passage_batches.py  Batches of passages for exhaustive reading: the PassageReader protocol, packing into a model's
                    context window, and the prompt
model_reader.py     The passage reader that asks a model: parser for its answers (JSON or lines), search for its quotes
                    in their passages, and a second question where an answer is unusable
offline_reader.py   The passage reader without a model: it selects sentences
conclusion.py       Verdicts on documents from their passages, and the conclusion that a model writes from them, with
                    checked citations
"""
