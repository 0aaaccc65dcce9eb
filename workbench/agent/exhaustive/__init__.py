"""Exhaustive reading: a question asked of every passage of many documents, with verdicts and a conclusion.

passage_batches.py  Batches of passages for exhaustive reading: the PassageReader protocol, packing into a model's
                    context window, and the prompt
reader_answers.py   Parser for a model's answers on passages (JSON or lines), and the search for its quotes in their
                    passages
passage_readers.py  Passage readers: one asks a model, checks its quotes and asks again, the other selects sentences
                    without a model
conclusion.py       Verdicts on documents from their passages, and the conclusion that a model writes from them, with
                    checked citations
"""
