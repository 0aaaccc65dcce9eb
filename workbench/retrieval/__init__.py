"""Question -> Hits, and the sentences that answer it.

base.py           what a search needs of the rooms below
question.py       a question -> its words, each with what it is worth in this library
probe_texts.py    small questions and answers in several scripts, for understanding.py
understanding.py  an embedder -> how well it tells right from wrong passages in a script, measured
lists.py          question -> the dense list and the keyword list
meant_documents.py  the words of such a request -> the documents that they mean
document_names.py question + what documents are called -> the documents that it names
fusion.py         how much of the say the dense list and the keyword list have
relevance.py      a hit's scores -> how sure we are that it is about the question, 0 to 1
abbreviations.py  a question -> the other forms of what it names, as documents define them
expansion.py      terms of a question -> the phrases that documents write for them
financial_statements.py  line items -> the statements that print them; which one a table is
locators.py       question -> the pages, captions and front matter that it names
candidates.py     question -> candidates from both lists, its parts, named documents and places, in one order
text_features.py  texts of candidates -> what their headings, years and statements say for them
ranking.py        features of candidates -> scores, by the weights of ranking.json
question_parts.py a question that asks for several things -> one for each
request_kinds.py  a question -> the request about whole documents that it makes, if any (request_patterns.py: wordings)
diversity.py      passages in order -> an order in which what repeats gives way
filters/          text, dicts and lists -> filter, and back
folding.py        when two passages say the same
reranking/        the best candidates -> a better order
retriever.py      question -> SearchResult
whereabouts.py    a place in a document -> the chunks that hold it, or what kept it out of every search
explanation.py    question + chunks -> what became of each, step by step (word_chips.py: the question's words)
verdict.py        the same in one sentence, and what would help; better_question.py: words that would find it
answer_types.py   "when", "how many", "what is" -> does a sentence hold such a thing? does the question want a list?
plain_reading.py  text without Markdown's marks, and where it stood
quotables.py      a passage -> the spans that may be quoted
topic_words.py    groups of texts -> the words that tell them apart
surroundings.py   a chunk -> its neighbours, its whole section
compression/      passages -> as much of them, word for word, as a model has room for
sections.py       a chunk + its document's headings -> the sections inside it, each with its path
sentences.py      question + passages -> the sentences that answer best, or nothing below the floor
"""
