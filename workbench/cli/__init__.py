"""The command line: every operation without a window, for scripts, servers without a screen, and checks.

parser.py    what may be typed
commands.py  one function a command
records.py   model -> the JSON objects that --json prints
output.py    one JSON object a line on stdout, or words for people; logs go to stderr
tour.py      the whole way on the sample documents, with a picture of the window
"""

from workbench.cli.main import main

__all__ = ["main"]
