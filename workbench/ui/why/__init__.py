"""Explanation why a search found a passage or missed it: one sentence, advice, diagrams of its ranks, and its scores.

presenter.py  Presenter of the explanations: keeps the passage and the question, and fetches the explanation
rank_strip.py Rank diagram of one list of a search: its data from an explanation, and the widget that paints it
tab.py        The tab “Why” next to the page and the text of a passage: question words as chips, advice, rank diagrams,
              scores; and the actions that open it
"""
