"""Exhaustive reading: a question asked of every passage of many documents, with verdicts and a conclusion.

passage_batches.py  Batches of passages for exhaustive reading: the PassageReader protocol, packing into a model's
                    context window, and the prompt
reader_answers.py   Parser for a model's answers on passages (JSON or lines), and the search for its quotes in their
                    passages
passage_readers.py  PassageReader that asks a model: parses its answer, checks its quotes, and asks again if some of it
                    cannot be used
offline_reader.py   PassageReader without a model: selects the sentences of each batch that answer the question best,
                    or none
conclusion.py       Verdicts on documents from their passages, and the conclusion that a model writes from them, with
                    checked citations
"""
