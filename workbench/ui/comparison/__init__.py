"""Two answers that stand in one another's place, side by side: a window of its own.

opening.py          Which answers of the session that is shown can be compared, and the window that compares them
dialog.py           Two answers side by side: either is chosen from all that stand in one another's place, and what
                    differs is marked
compared_answer.py  An answer with what only it says marked
marks.py            What became of one text in another -> the places in both that differ, and how these are drawn
facts.py            Two runs -> what is compared of them beside their words: figures, sources, steps; knows no Qt
parts.py            What is compared beside the words of two answers, row by row: figures, sources, steps
"""
