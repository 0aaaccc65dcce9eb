"""Why a passage was found, or was not -> a sentence, what would help, and a picture of where it stands.

presenter.py   Which passage and which question are meant -> the explanation, fetched from the library
strips.py      Explanation -> the strips that show where a passage stands
rank_strip.py  One list of a search, drawn: its head at the left, what was compared, what was given, and the passage
               in it
word_chip.py   One word of the question as a chip: a tick or a cross, and below it how much the word counts
view.py        Why a passage was found, or was not: the question, one sentence, what would help, and the picture
tab.py         The tab “Why” beside a passage's page and text, and the ways to it from both
"""
