"""LaTeX of a formula -> HTML that reads like one: letters slanted, indices raised and lowered, symbols for commands.

A formula is never drawn: what it says stands in the text, can be selected, copied and read aloud. What cannot be said
that way stays as it was written.
"""

import functools
import html
import logging
import re
from collections.abc import Sequence
from typing import Any

_LONGEST = 4_000
# What is nested deeper is no formula, and deeper than a parser likes: at some 120 levels Python's own stack ends.
_DEEPEST = 40
# Nested deeper than this, broken LaTeX stays as it was written: the parser reads what is broken twice at each level,
# 12 times "\sqrt[" in 0.4 s, 16 times in more than 6.
_DEEPEST_BROKEN = 4
_DELIMITERS = ("$$", "$", "\\[", "\\(")
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
_UPRIGHT = ("text", "mathrm", "operatorname", "textrm", "textit", "textbf", "mbox", "mathsf", "mathtt")
_SPACES = {",": " ", ":": " ", ";": " ", " ": " ", "quad": " \u2003", "qquad": " \u2003\u2003", "!": ""}
_SILENT = ("left", "right", "middle", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "limits", "displaystyle")
_BRACKETS = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "matrix": "  "}
# Signs between two things, which stand apart from both.
_RELATIONS = frozenset("≤≥≠≈≡∼≃≅∝∈∉⊂⊆⊃⊇∪∩→⇒⇔↔←⇐⟹⟺⟶↦±∓×·∘∧∨⊕⊗≪≫≺≻∣∥⊢⊨")
_CLOSES = {"}": "{", "]": "[", "\\)": "\\(", "\\end": "\\begin"}
_NESTING = re.compile(r"(?<!\\)[{}]|[\[\]]|\\(?:[()]|(?:begin|end)(?![a-zA-Z]))")
_INDICES = re.compile(r"<(su[bp])>.*?</\1>")
_SPACE = re.compile(r"\s+")
# What a model has not finished writing is no error of this program.
logging.getLogger("pylatexenc").setLevel(logging.ERROR)


@functools.lru_cache(maxsize=512)
def formula_html(source: str) -> str:
    """Return a formula, with or without its dollars or brackets, as HTML that is safe to show."""
    latex = _bare(source)
    as_written = f"<code>{html.escape(source)}</code>"
    if len(latex) > _LONGEST or (depth := _depth(latex)) > _DEEPEST:
        return as_written
    # Imported here: few answers have a formula.
    from pylatexenc.latexwalker import LatexWalker

    try:
        nodes, _, _ = LatexWalker(latex, tolerant_parsing=depth <= _DEEPEST_BROKEN).get_latex_nodes()
        return _SPACE.sub(" ", _html(nodes, tight=False)).strip() or as_written
    except Exception:  # noqa: BLE001 - the library raises what it likes over broken LaTeX: KeyError, IndexError
        return as_written


def _bare(source: str) -> str:
    source = source.strip()
    for opening in _DELIMITERS:
        if source.startswith(opening):
            closing = {"\\[": "\\]", "\\(": "\\)"}.get(opening, opening)
            return source[len(opening) :].removesuffix(closing).strip()
    return source


def _depth(latex: str) -> int:
    """Return how deep groups, optional arguments and environments are nested at most, endless ones included."""
    deepest, depths = 0, dict.fromkeys(_CLOSES.values(), 0)
    for sign in _NESTING.findall(latex):
        if sign in depths:
            depths[sign] += 1
            deepest = max(deepest, sum(depths.values()))
        else:
            depths[_CLOSES[sign]] = max(0, depths[_CLOSES[sign]] - 1)
    return deepest


class _Line:
    """Writes one node after the other; a sign for an index takes the next thing, whatever it is."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._index = ""
        self._tight = False

    def read(self, nodes: Sequence[Any], *, tight: bool) -> str:
        """Return nodes as HTML; tight leaves the spaces out, as in an index."""
        self._tight = tight
        for node in nodes:
            # The classes of the parser are told apart by name, so that it is imported in one place only.
            kind = type(node).__name__
            if kind == "LatexCharsNode":
                self._read_characters(node.chars)
            elif kind == "LatexMacroNode":
                self._read_command(node)
            elif kind == "LatexGroupNode":
                self._put(_html(node.nodelist, tight=bool(self._index) or tight))
            elif kind == "LatexEnvironmentNode":
                self._put(_environment(node.environmentname, node.nodelist))
            elif kind == "LatexSpecialsNode":
                self._put({"&": " ", "~": " "}.get(node.specials_chars, html.escape(node.specials_chars)))
        return "".join(self._pieces)

    def _put(self, piece: str) -> None:
        if self._index and piece.strip():
            piece, self._index = f"<{self._index}>{piece.strip()}</{self._index}>", ""
        self._pieces.append(piece)

    def _read_characters(self, text: str) -> None:
        for character in text:
            if character in "^_":
                self._index = "sup" if character == "^" else "sub"
            elif character.isspace():
                self._pieces.append("" if self._tight or self._index else " ")
            elif character.isalpha():
                self._put(f"<i>{character}</i>")
            else:
                self._put({"-": "−", "'": "′"}.get(character, html.escape(character)))

    def _read_command(self, node: Any) -> None:
        name, arguments = node.macroname, _arguments(node)
        if name in _SILENT:
            return
        if name == "\\":
            self._pieces.append("<br>")
        elif name in _SPACES:
            self._pieces.append(_SPACES[name])
        elif arguments is None:
            self._put(html.escape(node.latex_verbatim()))
        elif name in _FRACTIONS and len(arguments) >= 2:
            self._put(f"{_grouped(arguments[-2])}/{_grouped(arguments[-1])}")
        elif name == "sqrt" and arguments:
            root = f"<sup>{_html([arguments[0]], tight=True)}</sup>" if arguments[0] is not None else ""
            self._put(f'{root}√<span style="text-decoration: overline">{_html([arguments[-1]], tight=False)}</span>')
        elif name in _UPRIGHT and arguments:
            self._put(html.escape(_said(arguments[-1])))
        else:
            self._put_symbol(_said(node).strip() or node.latex_verbatim().strip())

    def _put_symbol(self, text: str) -> None:
        symbol = html.escape(text)
        if text in _RELATIONS and not self._tight and not self._index:
            symbol = f" {symbol} "
        elif len(text) == 1 and text.isalpha() and text.islower():
            symbol = f"<i>{symbol}</i>"
        elif text.isalpha() and text.isascii() and len(text) > 1:
            symbol += " "
        self._put(symbol)


def _html(nodes: Sequence[Any], *, tight: bool) -> str:
    return _Line().read(nodes, tight=tight)


def _grouped(node: Any) -> str:
    """Return one side of a fraction, in parentheses where it is more than one thing."""
    piece = _html([node], tight=False).strip()
    said = html.unescape(re.sub(r"<[^>]*>", "", _INDICES.sub("", piece)))
    return piece if len(said) <= 1 or said.isalnum() else f"({piece})"


def _environment(name: str, nodes: Sequence[Any]) -> str:
    """Return rows and cells: a matrix on one line, equations below one another."""
    rows: list[list[Any]] = [[]]
    for node in nodes:
        if getattr(node, "macroname", "") == "\\":
            rows.append([])
        else:
            rows[-1].append(node)
    lines = [line for row in rows if (line := _html(row, tight=False).strip())]
    if (brackets := _BRACKETS.get(name)) is not None:
        return f"{brackets[0]}{'; '.join(lines)}{brackets[1]}".strip()
    return ("{ " if name == "cases" else "") + "<br>".join(lines)


def _arguments(node: Any) -> list[Any] | None:
    """Return the arguments of a command; None where a stream broke off before the last."""
    if node.nodeargd is None:
        return []
    given = list(node.nodeargd.argnlist or [])
    return given if len(given) == len(node.nodeargd.argspec or "") else None


def _said(node: Any) -> str:
    """Return what a node says as plain text: α, ℝ, x̂."""
    from pylatexenc.latex2text import LatexNodes2Text

    said: str = LatexNodes2Text(strict_latex_spaces=True).nodelist_to_text([node])
    return said
