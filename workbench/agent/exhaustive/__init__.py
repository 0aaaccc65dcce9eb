"""A question asked of every passage of many documents: passages -> what each says -> verdicts -> conclusion.

passage_batches.py  Batches of passages for exhaustive reading: the PassageReader protocol, packing to a model's room,
                    and the prompt
reader_answers.py   Parser for a model's answers on passages (JSON or lines), and the search for its quotes in their
                    passages
passage_readers.py  A model reads a batch of passages: its answer read, its quotes checked, asked again where some
                    cannot be used
offline_reader.py   The reader that needs no model: of each batch the sentences that answer best, word for word, or
                    none
conclusion.py       Verdicts on documents from their passages, and the conclusion that a model writes of them with
                    checked citations
"""
