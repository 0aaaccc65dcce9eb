"""Answer + what its run found -> each claim of it, borne out or not by the passages that it cites.

splitting.py  an answer -> its claims, and the numbers of the passages that each rests on
figures.py    numbers as values
names.py      names that stand nowhere
opposites.py  words that exclude each other
antonyms.py   further pairs of these
quantities.py numbers with their units and bounds
alignment.py  two sentences side by side
roles.py      names that changed roles, or that stand in the place of others
differences.py where a claim says otherwise than a passage
wording.py    denials, and languages that cannot be compared
evidence.py   a claim and its passages -> what of it stands there
verdict.py    evidence -> supported, weak, unsupported
checking.py   all of it for one answer, offline
by_model.py   the same asked of the chat model
base.py       the end of a run: checked, and never lost by it
"""
