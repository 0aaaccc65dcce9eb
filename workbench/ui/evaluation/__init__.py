"""The evaluation: passages marked right or wrong -> golden questions -> figures of one or two ways to search.

marks.py          which passages of a question are marked; told to the chat and the inspector
spots.py          a passage as golden questions know it
mark_buttons.py   a tick and a cross beside a passage

presenter.py      all decisions together, and who is told what by whom; part.py: what the parts share
questions.py      sets of golden questions: read, written, removed, brought back
measuring.py      evaluations: begun, stopped, compared, kept; whether they still hold
promoting.py      named configurations, and which one searches use
looking.py        a question -> its hits, for the inspector
results.py        evaluations -> figures, ranks, rows, sentences; wording.py: configurations in words

dock.py           the dock, in its place from the start; its pane is made when it is first shown
pane.py           an invitation, or the three pages
questions_page.py the golden questions of a set
compare_page.py   run_panel.py: what is run (configuration_form.py: its fields); result_view.py: what came of it
history_page.py   what came of it earlier
promote_row.py    one click that makes a configuration the one that searches use

dumbbells.py      figures of two configurations, drawn
slopes.py         ranks before and after, drawn
trend.py          figures over time, drawn
rows.py           rows of all lists and their item model; row_view.py: how they are painted, and the view
"""
