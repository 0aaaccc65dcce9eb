"""A passage of a document as it reads on one line: without the marks of Markdown; knows no Qt."""

import re

from workbench.retrieval.markdown_stripping import strip_markdown

# The fence of code with its language, the line below a table's head, and what stands around a row.
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++[ \t]*+(?::?-{2,}+:?)?[ \t]*+$", re.MULTILINE)
_EDGES = re.compile(r"^[ \t]*\||\|[ \t]*$", re.MULTILINE)


def plain_words(text: str) -> str:
    """Return the words of a passage on one line."""
    bare = _EDGES.sub(" ", _RULE.sub(" ", _FENCE.sub(" ", text)))
    return " ".join(strip_markdown(bare).text.split())
