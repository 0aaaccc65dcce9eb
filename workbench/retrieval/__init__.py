"""Question -> Hits, and the sentences that answer it.

base.py           what a search needs of the rooms below
question.py       a question -> its words, each with what it is worth in this library
probe_texts.py    small questions and answers in several scripts, for understanding.py
understanding.py  an embedder -> how well it tells right from wrong passages in a script, measured
fusion.py         dense list + keyword list -> one order, each list weighed by what it is worth
relevance.py      a hit's scores -> how sure we are that it is about the question, 0 to 1
retriever.py      question -> SearchResult
answer_types.py   "when", "how many", "who" -> does a sentence hold such a thing?
plain_reading.py  text without Markdown's marks, and where it stood
quotables.py      a passage -> the spans that may be quoted
sentences.py      question + passages -> the sentences that answer best, or nothing below the floor
"""
