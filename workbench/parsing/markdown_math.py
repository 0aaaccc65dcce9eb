r"""Display formulas between \[ and \] as blocks of their own, for markdown-it."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock


def bracket_math(markdown: MarkdownIt) -> None:
    r"""Add the block rule: a line that starts with \[ up to the line that ends with \]."""
    markdown.block.ruler.before(
        "fence", "bracket_math", _bracket_math, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _bracket_math(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("\\[", begin):
        return False
    for line in range(start_line, end_line):
        if line > start_line and state.isEmpty(line):
            return False
        end = state.eMarks[line]
        if state.src[:end].endswith("\\]") if end - begin < 4 else state.src[begin:end].rstrip().endswith("\\]"):
            if not silent:
                token = state.push("math_block", "math", 0)
                token.map = [start_line, line + 1]
                state.line = line + 1
            return True
    return False
