"""A question asked of every passage of many documents: passages -> what each says -> verdicts -> conclusion.

base.py            What reads passages for a question (PassageReader), and what it makes of each
packing.py         The chunks of one document, in order -> batches of passages that fit into one call of a model
prompt.py          What a model is asked of a batch of passages, and once more where its answer cannot be used
answer_form.py     What a model says of passages -> what it says of each: JSON wherever it stands, else lines
quotes.py          A quote -> where it stands in a passage, or nothing: what does not stand there word for word is no
                   quote
model_reader.py    A model reads a batch of passages: its answer read, its quotes checked, asked again where some
                   cannot be used
offline_reader.py  The reader that needs no model: of each batch the sentences that answer best, word for word, or
                   none
verdicts.py        What the passages of a document said -> what the document says
conclusion.py      What was found in all documents -> a conclusion that a model writes of the findings alone, with
                   checked citations
citing.py          A stretch of a passage -> a citation that opens it
"""
