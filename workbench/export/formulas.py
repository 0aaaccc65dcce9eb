"""LaTeX formulas as HTML: italic letters, superscripts and subscripts, symbols for commands.

A formula is never drawn as an image: it is text that can be selected, copied and read by a screen reader. A formula
that cannot be converted is shown as its LaTeX source.
"""

import functools
import html
import logging
import re
from collections.abc import Sequence
from typing import Any

_LONGEST = 4_000
# Deeper nesting does not occur in real formulas, and at some 120 levels the parser overflows Python's stack.
_DEEPEST = 40
# Broken LaTeX that is nested deeper is shown as its source: the parser reads broken input twice at each level,
# so "\sqrt[" 12 times takes 0.4 s and 16 times more than 6 s.
_DEEPEST_BROKEN = 4
_DELIMITERS = ("$$", "$", "\\[", "\\(")
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
_UPRIGHT = ("text", "mathrm", "operatorname", "textrm", "textit", "textbf", "mbox", "mathsf", "mathtt")
_SPACES = {",": " ", ":": " ", ";": " ", " ": " ", "quad": " \u2003", "qquad": " \u2003\u2003", "!": ""}
_SILENT = ("left", "right", "middle", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "limits", "displaystyle")
_BRACKETS = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "matrix": "  "}
# Operators and relations, written with a space on both sides.
_RELATIONS = frozenset("≤≥≠≈≡∼≃≅∝∈∉⊂⊆⊃⊇∪∩→⇒⇔↔←⇐⟹⟺⟶↦±∓×·∘∧∨⊕⊗≪≫≺≻∣∥⊢⊨")
_CLOSES = {"}": "{", "]": "[", "\\)": "\\(", "\\end": "\\begin"}
_NESTING = re.compile(r"(?<!\\)[{}]|[\[\]]|\\(?:[()]|(?:begin|end)(?![a-zA-Z]))")
_INDICES = re.compile(r"<(su[bp])>.*?</\1>")
_SPACE = re.compile(r"\s+")
_FORMULA = re.compile(r'(<(span|div) class="formula">)(.*?)(?=</\2>)', re.DOTALL)
# The parser logs formulas that a model has not finished writing; these are not errors of this program.
logging.getLogger("pylatexenc").setLevel(logging.ERROR)


def set_formulas(safe: str) -> str:
    """Return the safe HTML of an answer with its formulas set instead of their LaTeX source."""
    return _FORMULA.sub(lambda found: found[1] + formula_html(html.unescape(found[3])), safe)


@functools.lru_cache(maxsize=512)
def formula_html(source: str) -> str:
    """Return a formula, with or without its delimiters, as safe HTML."""
    latex = _strip_delimiters(source)
    as_written = f"<code>{html.escape(source)}</code>"
    if len(latex) > _LONGEST or (depth := _depth(latex)) > _DEEPEST:
        return as_written
    # Imported here, because few answers have a formula.
    from pylatexenc.latexwalker import LatexWalker

    try:
        nodes, _, _ = LatexWalker(latex, tolerant_parsing=depth <= _DEEPEST_BROKEN).get_latex_nodes()
        return _SPACE.sub(" ", _html(nodes, tight=False)).strip() or as_written
    except Exception:  # noqa: BLE001 - the library raises arbitrary errors for broken LaTeX: KeyError, IndexError
        return as_written


def _strip_delimiters(source: str) -> str:
    source = source.strip()
    for opening in _DELIMITERS:
        if source.startswith(opening):
            closing = {"\\[": "\\]", "\\(": "\\)"}.get(opening, opening)
            return source[len(opening) :].removesuffix(closing).strip()
    return source


def _depth(latex: str) -> int:
    """Return the maximum nesting depth of groups, optional arguments and environments, unclosed ones included."""
    deepest, depths = 0, dict.fromkeys(_CLOSES.values(), 0)
    for sign in _NESTING.findall(latex):
        if sign in depths:
            depths[sign] += 1
            deepest = max(deepest, sum(depths.values()))
        else:
            depths[_CLOSES[sign]] = max(0, depths[_CLOSES[sign]] - 1)
    return deepest


class _Line:
    """Writer of a sequence of nodes; "^" and "_" apply to the next node or character, whatever it is."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._index = ""
        self._tight = False

    def read(self, nodes: Sequence[Any], *, tight: bool) -> str:
        """Return nodes as HTML; tight omits the spaces, as in an index."""
        self._tight = tight
        for node in nodes:
            # The parser's classes are distinguished by name, so that it is imported in one place only.
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
            self._put(html.escape(_plain_text(arguments[-1])))
        else:
            self._put_symbol(_plain_text(node).strip() or node.latex_verbatim().strip())

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
    """Return one side of a fraction, in parentheses if it has more than one term."""
    piece = _html([node], tight=False).strip()
    text = html.unescape(re.sub(r"<[^>]*>", "", _INDICES.sub("", piece)))
    return piece if len(text) <= 1 or text.isalnum() else f"({piece})"


def _environment(name: str, nodes: Sequence[Any]) -> str:
    """Return the rows of an environment: a matrix on one line, equations on separate lines."""
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
    """Return the arguments of a command; None if the last ones are missing, as in an unfinished stream."""
    if node.nodeargd is None:
        return []
    given = list(node.nodeargd.argnlist or [])
    return given if len(given) == len(node.nodeargd.argspec or "") else None


def _plain_text(node: Any) -> str:
    """Return a node as plain text: α, ℝ, x̂."""
    from pylatexenc.latex2text import LatexNodes2Text

    text: str = LatexNodes2Text(strict_latex_spaces=True).nodelist_to_text([node])
    return text
