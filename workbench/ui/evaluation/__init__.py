"""The evaluation: passages marked right or wrong -> golden questions -> figures of one or two ways to search.

passage_marks.py       Passages marked right or wrong for a question
presenter.py           Presenters of the evaluation: golden questions, preview of hits in the inspector, and how the
                       parts are connected
run_presenter.py       Presenters of evaluation runs and of saved search configurations, with the wording of both
result_summary.py      What is shown of an evaluation, or of two side by side: figures, ranks, rows and sentences;
                       knows no widgets
evaluation_dock.py     The dock of the evaluation: in its place from the start, its content made when it is first
                       shown
pane.py                The evaluation pane with its tabs, and the page of the golden questions
compare_page.py        The page that runs configurations and shows their results, and its panel that starts a run
configuration_form.py  Two search configurations side by side: a row a step, a column each
result_view.py         The view of an evaluation result, and the row that makes a configuration the one that searches
                       use
history_page.py        The page with the evaluations of a set over time, and its trend chart
comparison_charts.py   Charts that compare one or two configurations: dumbbell chart of figures, slope chart of ranks
rows.py                Golden questions, outcomes and evaluations as rows of one kind, and the item model of them
question_list.py       A list of rows: how a row is painted, and the view with its keys and menu
"""
