"""Why a passage was found, or was not -> a sentence, what would help, and a picture of where it stands.

presenter.py   which passage and question are meant -> its Explanation; no widget in it
strips.py      Explanation -> what a strip shows; knows no Qt
rank_strip.py  one list of the search drawn from its head to its end, with the passage in it
word_chip.py   one word of the question: found or missing, and how much it counts
view.py        all of it put together
tab.py         beside the page and the text of a passage, and the ways to it from both
"""
