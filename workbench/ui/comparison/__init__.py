"""Two answers that stand in one another's place, side by side: a window of its own.

comparison_controller.py  Which answers of the session that is shown can be compared, and the window that compares
                          them
comparison_dialog.py      Window with two answers side by side, in which the text differences are marked
comparison_tables.py      Comparison of two runs row by row: figures, sources and steps, and the tables that show them
"""
