"""Why a passage was found, or was not -> a sentence, what would help, and a picture of where it stands.

presenter.py   Which passage and which question are meant -> the explanation, fetched from the library
rank_strip.py  Rank diagram of one list of a search: its data from an explanation, and the widget that paints it
view.py        The explanation of a search for one passage: question words as chips, one sentence, advice, and rank
               diagrams
tab.py         The tab “Why” beside a passage's page and text, and the ways to it from both
"""
