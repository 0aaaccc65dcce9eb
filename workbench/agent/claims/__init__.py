"""Answer + what its run found -> each claim of it, borne out or not by the passages that it cites.

antonym_lists.py       Antonyms, converse words and members of a series, with the word lists
quantities.py          Numbers and quantities in claims: values of digits and number words, what they count, and their
                       bounds
sentence_alignment.py  Alignment of two sentences: replaced and exchanged words, and names whose roles around a verb
                       differ
differences.py         A claim beside the sentence of a passage that says most of it -> where one says otherwise than
                       the other
evidence.py            Evidence for a claim in the passages that it cites: shared words, missing names, negation and
                       language
claim_checker.py       Claim checker: splits an answer into claims and gives each a verdict from its evidence
by_model.py            The chat model asked whether each claim of an answer is borne out: the prompt, and what it says
                       read leniently
checks.py              The check at the end of a run: whatever becomes of it, the answer stays
"""
