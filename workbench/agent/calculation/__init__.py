"""Arithmetic in the notation of people and models, evaluated exactly where possible.

expressions.py  Tokenizer and evaluator of arithmetic expressions, with operator precedence and located errors
numbers.py      Exact and approximate numbers of the calculator, and the functions and constants that an expression
                may name

Libraries on the package index do not fit: they evaluate with Python's own grammar (^ is not a power, % never a
percentage) and in floats (0.1 + 0.2). None of them reports the position of an error, or accepts １２ × ３. mpmath does
the mathematics.
"""
