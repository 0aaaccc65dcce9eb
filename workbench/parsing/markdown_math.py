r"""Display formulas as blocks, for markdown-it: $$ ... $$, \[ ... \] and LaTeX environments.

The search for a missing end is not repeated for every line that begins a formula: 64 KB of such lines took 5 to 12 s.
"""

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.amsmath import ENVIRONMENTS, amsmath_block
from mdit_py_plugins.dollarmath.index import math_block_dollar

_Rule = Callable[[StateBlock, int, int, bool], bool]

_BEGINNINGS = tuple(f"\\begin{{{name}{star}}}" for name in ENVIRONMENTS for star in ("", "*"))


def display_math(markdown: MarkdownIt) -> None:
    """Add the block rules."""
    ruler = markdown.block.ruler
    within = ["paragraph", "reference", "blockquote", "list"]
    dollars = math_block_dollar(allow_labels=True, label_normalizer=None, allow_blank_lines=True)
    ruler.before("fence", "math_block", _looking_once(dollars, _dollars_opened))
    ruler.before("blockquote", "amsmath", _looking_once(amsmath_block, _environment_opened), {"alt": within})
    ruler.before("fence", "bracket_math", _bracket_math, {"alt": within})


def _dollars_opened(line: str) -> str:
    # If there are dollar signs later in the line, its end is not searched for.
    return "$$" if line.startswith("$$") and "$$" not in line[2:] else ""


def _environment_opened(line: str) -> str:
    return next((one for one in _BEGINNINGS if line.startswith(one)), "") if line.startswith("\\begin{") else ""


def _looking_once(rule: _Rule, opened: Callable[[str], str]) -> _Rule:
    """Return a rule that does not repeat the search for a missing end.

    Args:
        rule: Searches for the end of its block down to the last line.
        opened: Returns the mark that a line opens, or an empty string if the rule would not search for its end.
    """

    def read(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        is_outside = state.is_code_block(start_line) or state.sCount[start_line] < state.blkIndent
        kind = "" if is_outside else opened(_line(state, start_line))
        if kind and _is_unclosed(state, kind, start_line, end_line):
            return False
        found = rule(state, start_line, end_line, silent)
        if kind and not found:
            _remember(state, kind, start_line, end_line)
        elif found and not silent:
            state.tokens[-1].map = [start_line, state.line]  # an environment's map lacks its last line
        return found

    return read


def _bracket_math(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    r"""Read a block from a line that starts with \[ to one that ends with \], before any empty line."""
    if state.is_code_block(start_line) or not _line(state, start_line).startswith("\\["):
        return False
    if _is_unclosed(state, "\\[", start_line, start_line + 1):
        return False
    for line in range(start_line, end_line):
        if line > start_line and state.isEmpty(line):
            end_line = line
            break
        rest = _line(state, line)[2 if line == start_line else 0 :]
        if rest.rstrip().endswith("\\]"):
            if not silent:
                token = state.push("math_block", "math", 0)
                token.map = [start_line, line + 1]
                state.line = line + 1
            return True
    _remember(state, "\\[", start_line, end_line)
    return False


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _is_unclosed(state: StateBlock, kind: str, start_line: int, end_line: int) -> bool:
    """Return True if the lines of a range are known to contain no end for such a beginning."""
    first, last = state.env.get(kind, (0, 0))
    return bool(first <= start_line and end_line <= last)


def _remember(state: StateBlock, kind: str, start_line: int, end_line: int) -> None:
    state.env[kind] = start_line, end_line
