"""What the offline answerer does beside quoting sentences: it answers requests about whole documents from structure.

provider.py           The offline provider: answers with sentences quoted word for word, or from the structure of
                      whole documents
structure_answers.py  Markdown answers from the structure of documents: overviews, comparisons, mentions, tables and
                      lists
phrases.py            What answers from structure say in our own words, in English and Chinese; all else they say is
                      quoted
"""
