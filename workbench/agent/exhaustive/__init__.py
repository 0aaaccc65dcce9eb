"""A question asked of every passage of many documents: passages -> what each says -> verdicts -> conclusion.

base.py            the protocol: PassageReader (who reads), and what it makes of a passage
packing.py         the chunks of a document -> batches that fit into one call; prompt.py: what is asked of one
answer_form.py     what a model says -> what it says of each passage
quotes.py          a quote -> where it stands in its passage, or nothing
model_reader.py    a model reads; offline_reader.py: words and meaning alone
verdicts.py        what passages said -> what their document says
conclusion.py      all findings -> what a model concludes from them; citing.py: quotes -> citations
"""
