"""Arithmetic as people and models write it -> a number, exact where it can be.

tokens.py      characters -> tokens, each with its place; full-width forms, × ÷, thousands separators
grammar.py     tokens -> value, by precedence; every fault names its place
numbers.py     exact fractions, and 50-digit approximations where there is no exact value; limits on size
functions.py   the functions and constants that there are
writing.py     value -> text

Why not a library: those on the package index evaluate through Python's own grammar (^ is then no power, % never a
percentage), in floats (0.1 + 0.2), and none says where in the text the fault is, or takes １２ × ３. mpmath does the
mathematics.
"""
