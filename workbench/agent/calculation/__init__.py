"""Arithmetic as people and models write it -> a number, exact where it can be.

expressions.py  Tokenizer and evaluator of arithmetic expressions, with operator precedence and located errors
numbers.py      Exact and approximate numbers of the calculator, and the functions and constants that an expression
                may name

Why not a library: those on the package index evaluate through Python's own grammar (^ is then no power, % never a
percentage), in floats (0.1 + 0.2), and none says where in the text the fault is, or takes １２ × ３. mpmath does the
mathematics.
"""
