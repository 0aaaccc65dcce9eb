"""Evaluation of the search with golden questions: figures, and a description of them.

golden_files.py      Files of golden questions: JSON lines of several common shapes read, and written
judgement_places.py  Places of judgements in the current library, found by comparing texts by their letters and digits
                     alone, and the judging of a search result: the ranks of its hits that match the judgements
run_figures.py       Figures of evaluation runs: metrics (recall, hit, MRR, nDCG), comparison of two runs with a sign
                     test, and changes since a run that affect its figures

This package neither searches nor stores; operations/evaluation/evaluation_runs.py does both and passes in the data.
"""
