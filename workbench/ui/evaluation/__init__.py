"""The evaluation: passages marked right or wrong -> golden questions -> figures of one or two ways to search.

marks.py               Which passages of a question are marked right or wrong: asked for once, told to whoever shows
                       them, taken back
spots.py               A passage as golden questions know it, and whether one of their judgements is about it
mark_buttons.py        A tick and a cross beside a passage: it answers the question, or it does not
presenter.py           The evaluation's decisions together: questions, runs, promotions; who is told what by whom
part.py                What the parts of an evaluation share: they ask the library, and say what came of it
questions.py           The golden questions: sets of them, files read and written, questions removed and brought back
measuring.py           Evaluations: begun, watched, stopped; compared, kept over time, and whether they are out of
                       date
promoting.py           Configurations that are kept under a name, and how each knowledge base is searched
looking.py             A question of an evaluation -> its hits as the inspector shows them, and the right passage
                       where none of them is
results.py             What is shown of an evaluation, or of two side by side: figures, ranks, rows and sentences;
                       knows no widgets
wording.py             Configurations, figures and differences in words; makes no widgets
dock.py                The dock of the evaluation: in its place from the start, its content made when it is first
                       shown
pane.py                The evaluation pane: an invitation while there is nothing to ask, then questions, results and
                       history as tabs
questions_page.py      The golden questions of a set: listed, added from a file, removed, written to a file
compare_page.py        The page on which configurations are run and their results shown
run_panel.py           What is to be evaluated, the button that begins it, and how far it is
configuration_form.py  Two search configurations side by side: a row a step, a column each
result_view.py         The result of an evaluation: figures and what to make of them, where the ranks moved, the
                       questions one by one
history_page.py        The evaluations of a set over time: a line a configuration, and each of them in a list
promote_row.py         One click that makes the better configuration the one that searches use; others, and the way
                       back, in a menu
dumbbells.py           Figures of one or two configurations, drawn: a line a figure, a dot a configuration, the way
                       between them
slopes.py              Where each question's first right passage moved from one configuration to the other, drawn as
                       lines
trend.py               A figure over time, drawn: a line a configuration, a mark an evaluation
rows.py                Golden questions, outcomes and evaluations as rows of one kind, and the item model of them
row_view.py            A list of rows: how a row is painted, and the view with its keys and menu
"""
