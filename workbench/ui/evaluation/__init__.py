"""Evaluation of search: passages marked right or wrong -> golden questions -> metrics of one or two configurations.

passage_marks.py       Passages marked right or wrong for a question
presenter.py           Presenters of the evaluation: golden questions, preview of hits in the inspector, and the wiring
                       of the parts
run_presenter.py       Presenters of evaluation runs and of saved search configurations, with the wording of both
result_summary.py      Content shown for one evaluation or for two side by side: figures, ranks, rows and sentences;
                       contains no widgets
pane.py                Evaluation pane with its tabs, and the page of the golden questions
compare_page.py        Page that runs configurations and shows their results, with the panel that starts a run
configuration_form.py  Form with two search configurations side by side: one row per step, one column per configuration
result_view.py         View of an evaluation result, and the row that puts a configuration into use
history_page.py        Page with the evaluations of a set over time, and its trend chart
comparison_charts.py   Charts that compare one or two configurations: dumbbell chart of figures, slope chart of ranks
question_list.py       List of golden questions, outcomes and evaluations: rows, item model, delegate, and the view with
                       its keys and menu
"""
