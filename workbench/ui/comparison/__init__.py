"""Comparison of two alternative answers at the same point of a conversation, side by side in a window.

comparison_dialog.py      Window with two answers side by side, in which the text differences are marked
comparison_tables.py      Comparison of two runs row by row: figures, sources and steps, and the tables that show them
"""
