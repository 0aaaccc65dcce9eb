"""Golden questions and the evaluations of search configurations over them.

golden.py                 Golden questions: list, import, export, edit, remove; and mark passages of answers as right or
                          wrong
evaluation_runs.py        Evaluations over golden questions: run, list, compare, remove; and repeat outdated ones when
                          idle
evaluation_run.py         Evaluation run: locate, search and judge golden questions, and store the run with its
                          conditions
search_configurations.py  Search configurations: parse, save under a name, and promote to a knowledge base
"""
