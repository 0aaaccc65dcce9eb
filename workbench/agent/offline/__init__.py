"""The offline answerer, and its answers to requests about whole documents, made from their structure.

provider.py           The offline provider: answers with sentences quoted word for word, or from the structure of
                      whole documents
structure_answers.py  Markdown answers from the structure of documents: overviews, comparisons, mentions, tables and
                      lists
phrases.py            Fixed sentences for answers from structure, in English and Chinese
"""
