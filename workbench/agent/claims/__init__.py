"""Claim checking: compares each claim of an answer with the passages that it cites.

antonym_lists.py       Antonyms, converse words and members of a series, with the word lists
quantities.py          Numbers and quantities in claims: values of digits and number words, their units, and their
                       bounds
sentence_alignment.py  Alignment of two sentences: replaced and exchanged words, and names whose roles around a verb
                       differ
differences.py         Contradictions between a claim and the sentence of a passage that matches it best
evidence.py            Evidence for a claim in the passages that it cites: shared words, missing names, negation and
                       language
claim_checker.py       Claim checker: splits an answer into claims and gives each a verdict from its evidence
checks.py              The check of claims at the end of a run, whose errors do not affect the answer, and claim
                       checking by the chat model: the prompt, and a lenient parser for its answer
"""
