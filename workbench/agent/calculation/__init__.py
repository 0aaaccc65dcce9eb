"""Arithmetic as people and models write it -> a number, exact where it can be.

tokens.py     Characters -> tokens, each with its place in the text as it was given
grammar.py    Tokens -> value, by precedence; what is wrong is said in a sentence that names the place
numbers.py    Numbers that are exact while they can be, approximate to 50 digits where they cannot, and never too
              large
functions.py  The functions and constants that an expression may name
writing.py    A value as text: exact where it can be written so, else to 15 significant digits, and said to be so

Why not a library: those on the package index evaluate through Python's own grammar (^ is then no power, % never a
percentage), in floats (0.1 + 0.2), and none says where in the text the fault is, or takes １２ × ３. mpmath does the
mathematics.
"""
