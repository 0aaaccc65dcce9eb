"""Golden questions and the hits of a search -> how well the search finds what it should, in figures and in words.

reading.py      a file -> golden questions, and the lines that are none; shapes.py: the shapes a line can have
writing.py      golden questions -> a file that reading.py reads
letters.py      texts compared by their letters alone, so that spaces, hyphens and markup do not matter
places.py       a judgement -> where it stands in the library as it is now, or that it stands nowhere
judging.py      hits -> the ranks at which they meet the places
metrics.py      ranks -> recall, hit, MRR, nDCG
comparison.py   two runs -> what moved, and whether it could be chance
circumstances.py  what a run rests on -> what changed since then, in words

Nothing here searches or stores; operations/evaluation.py does both and hands in what is needed.
"""
