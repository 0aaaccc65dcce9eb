"""Golden questions and the hits of a search -> how well the search finds what it should, in figures and in words.

golden_files.py      Files of golden questions: JSON lines of any common shape read, and written
judgement_places.py  Places of judgements in the library as it is now, found by comparing texts by their letters and
                     digits alone
judging.py           Hits -> the ranks at which they meet the places
metrics.py           Ranks -> recall, hit, MRR, nDCG. A question's ranks: one for each right passage, None where no
                     hit met it
run_comparison.py    Comparison of two evaluation runs with a sign test, and what changed since a run that its figures
                     rest on

Nothing here searches or stores; operations/evaluation/evaluation.py does both and hands in what is needed.
"""
