"""Golden questions and the evaluations of search configurations over them.

golden.py                 Golden questions: list, import, export, edit, remove; and mark passages of answers as right or
                          wrong
evaluation_runs.py        Evaluations over golden questions: run (locate, search, judge, store), list, compare, remove;
                          and repeat outdated ones when idle
search_configurations.py  Search configurations: parse, save under a name, and promote to a knowledge base
"""
