"""The offline answerer: quotes of the passages found, and answers about whole documents from their structure.

provider.py           The offline provider: answers with sentences quoted word for word, or from the structure of
                      whole documents
conversation.py       Conversation state of the offline answerer: the question, its query, and the passages found
quotes.py             Quotes of the offline answerer
instructions.py       Instructions of a manual: the section whose heading is what a question asks for
passage_structure.py  Structure of a passage: paragraphs, lists and tables
wording.py            Fixed sentences in English and Chinese, and the Markdown of quotes
structure_answers.py  Markdown answers from the structure of documents: overviews, comparisons, mentions, tables and
                      lists
structure_wording.py  Fixed sentences of answers from structure, in English and Chinese
"""
