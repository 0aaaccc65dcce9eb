"""Golden questions and the evaluations of search configurations over them.

golden.py                 Golden questions: list, import, export, edit, remove; and passages of answers marked as
                          right or wrong
evaluation.py             Evaluations over golden questions: run, list, compare, remove; and repeated when idle if
                          outdated
evaluation_run.py         One evaluation run: golden questions located, searched and judged, and the run stored with
                          its circumstances
search_configurations.py  Search configurations: parsed, saved under a name, and promoted to a knowledge base
"""
