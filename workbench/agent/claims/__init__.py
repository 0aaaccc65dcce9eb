"""Answer + what its run found -> each claim of it, borne out or not by the passages that it cites.

splitting.py    An answer -> what it claims, sentence by sentence, each with the numbers of the passages that it rests
                on
figures.py      Numbers as values: 1,234.5 and 1234.5, 12 % and twelve percent, 1.2 million and 1200000, 三万 and 30,000
names.py        Names in a claim that stand nowhere in what it rests on
opposites.py    Words that cannot both be said of the same thing: opposites, and the members of a series such as the
                seasons
antonyms.py     Further pairs of opposites of general vocabulary, read by opposites.py
quantities.py   Numbers with what they count and how they bound it: "more than 5 km", "after 1990", 超过30万元, 1990年以后
alignment.py    Two sentences side by side: what of the one stands in the place of what of the other, and what changed
                places
roles.py        Who does what to whom: names whose roles around a verb changed, and another name in the place of one
differences.py  A claim beside the sentence of a passage that says most of it -> where one says otherwise than the
                other
wording.py      How a sentence is said: whether it denies something, and whether two texts are in languages that share
                no words
evidence.py     A claim and the passages that it rests on -> what of it stands there
verdict.py      Evidence -> verdict: fitted on sentences that are borne out by their paragraph and on such that are
                not
checking.py     An answer and what its run has found -> its claims, each with a verdict: by words, numbers, names and
                meaning
by_model.py     The chat model asked whether each claim of an answer is borne out: the prompt, and what it says read
                leniently
base.py         The check at the end of a run: whatever becomes of it, the answer stays
"""
