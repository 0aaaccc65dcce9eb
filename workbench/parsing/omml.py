"""Formulas of office documents (OMML) as linear text in the manner of LaTeX."""

from collections.abc import Callable

from workbench.parsing.zip_package import Element, local_name

_GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_SIGNS = "∞×÷±∓⋅·∗≤≥≠≈≡∼∝≪≫→←⇒⇔↔∈∉⊂⊆∪∩∅∀∃¬∧∨∂∇…⋯∘ϵϕℏ⊥∥"
_SIGN_NAMES = (
    "infty times div pm mp cdot cdot ast leq geq neq approx equiv sim propto ll gg to leftarrow Rightarrow "
    "Leftrightarrow leftrightarrow in notin subset subseteq cup cap emptyset forall exists neg wedge vee partial nabla "
    "ldots cdots circ epsilon phi hbar perp parallel"
)
_SYMBOLS = dict(zip(_GREEK + _SIGNS, f"{_GREEK_NAMES} {_SIGN_NAMES}".split(), strict=True))
_LARGE_SIGNS = "∑∏∐∫∬∭∮∯∰⋃⋂⋀⋁"
_LARGE_NAMES = r"\sum \prod \coprod \int \iint \iiint \oint \oiint \oiiint \bigcup \bigcap \bigwedge \bigvee"
_LARGE = dict(zip(_LARGE_SIGNS, _LARGE_NAMES.split(), strict=True))
_MARKS = "\u0302\u0303\u0305\u0304\u0307\u0308\u20d7\u0301\u0300\u030c¯⏞⏟→←"
_MARK_NAMES = (
    r"\hat \tilde \bar \bar \dot \ddot \vec \acute \grave \check \overline \overbrace \underbrace "
    r"\overrightarrow \overleftarrow"
)
_ACCENTS = dict(zip(_MARKS, _MARK_NAMES.split(), strict=True))
_FUNCTION_NAMES = (
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim max min sup inf det gcd dim "
    "ker arg deg Pr"
)
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_LINE_END = r" \\ "
_DEEPEST = 100
"""Formulas nested deeper are made to break programs: of those only the words are given."""


def formula(element: Element, depth: int = 0) -> str:
    """Return a formula, or a part of one, as text; what stands in it unknown gives the text inside of it."""
    name = local_name(element)
    if name.endswith("Pr"):
        return ""
    if depth > _DEEPEST:
        return "".join(element.itertext())
    return _RULES.get(name, _inside)(element, depth + 1)


def _inside(element: Element, depth: int) -> str:
    return "".join([formula(child, depth) for child in element])


def _child(element: Element, name: str, depth: int) -> str:
    return next((formula(child, depth) for child in element if local_name(child) == name), "")


def _property(element: Element, name: str) -> str | None:
    """Return the value of a property of an element; empty when it is there without one."""
    for child in element:
        if local_name(child).endswith("Pr"):
            for entry in child:
                if local_name(entry) == name:
                    return next((v for k, v in entry.attrib.items() if k.rpartition("}")[2] == "val"), "")
    return None


def _text(element: Element, depth: int) -> str:  # noqa: ARG001 - as every rule
    text = element.text or ""
    spaced = "".join([rf" \{_SYMBOLS[c]} " if c in _SYMBOLS else c for c in text])
    return spaced if spaced.strip() or not text.isspace() else " "


def _fraction(element: Element, depth: int) -> str:
    over, under = _child(element, "num", depth), _child(element, "den", depth)
    kind = _property(element, "type")
    if kind == "noBar":
        return rf"\binom{{{over}}}{{{under}}}"
    return f"{over}/{under}" if kind == "lin" else rf"\frac{{{over}}}{{{under}}}"


def _root(element: Element, depth: int) -> str:
    degree = _child(element, "deg", depth).strip()
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_child(element, 'e', depth)}}}"


def _scripts(element: Element, depth: int) -> str:
    base = _child(element, "e", depth)
    sub, sup = _child(element, "sub", depth).strip(), _child(element, "sup", depth).strip()
    scripts = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    return f"{{}}{scripts}{base}" if local_name(element) == "sPre" else f"{base}{scripts}"


def _large(element: Element, depth: int) -> str:
    sign = _property(element, "chr")
    operator = _LARGE.get(sign, sign) if sign else r"\int"
    sub, sup = _child(element, "sub", depth).strip(), _child(element, "sup", depth).strip()
    limits = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    return f"{operator}{limits}{'' if limits else ' '}{_child(element, 'e', depth)}"


def _fenced(element: Element, depth: int) -> str:
    opening, closing, between = (_property(element, name) for name in ("begChr", "endChr", "sepChr"))
    parts = [formula(child, depth) for child in element if local_name(child) == "e"]
    left = "(" if opening is None else opening or "."
    right = ")" if closing is None else closing or "."
    fence = {"{": r"\{", "}": r"\}"}
    inside = (between or "|").join(parts)
    return rf"\left{fence.get(left, left)}{inside}\right{fence.get(right, right)}"


def _function(element: Element, depth: int) -> str:
    name = _child(element, "fName", depth).strip()
    word = name.split("_")[0].split("^")[0]
    return f"{chr(92) if word in _FUNCTIONS else ''}{name} {_child(element, 'e', depth)}"


def _limit(element: Element, depth: int) -> str:
    sign = "_" if local_name(element) == "limLow" else "^"
    base = _child(element, "e", depth)
    return f"{base}{sign}{{{_child(element, 'lim', depth)}}}"


def _accent(element: Element, depth: int) -> str:
    sign = _property(element, "chr")
    if local_name(element) == "bar":
        command = r"\underline" if _property(element, "pos") != "top" else r"\overline"
    elif local_name(element) == "groupChr":
        command = _ACCENTS.get(sign or "⏟", r"\underbrace")
    else:
        command = _ACCENTS.get(sign or "\u0302", r"\hat")
    return f"{command}{{{_child(element, 'e', depth)}}}"


def _matrix(element: Element, depth: int) -> str:
    rows = [
        " & ".join(formula(cell, depth) for cell in row if local_name(cell) == "e")
        for row in element
        if local_name(row) == "mr"
    ]
    return r"\begin{matrix}" + _LINE_END.join(rows) + r"\end{matrix}"


def _array(element: Element, depth: int) -> str:
    rows = [formula(child, depth) for child in element if local_name(child) == "e"]
    return _LINE_END.join(rows)


_RULES: dict[str, Callable[[Element, int], str]] = {
    "t": _text,
    "f": _fraction,
    "rad": _root,
    **dict.fromkeys(("sSub", "sSup", "sSubSup", "sPre"), _scripts),
    "nary": _large,
    "d": _fenced,
    "func": _function,
    **dict.fromkeys(("limLow", "limUpp"), _limit),
    **dict.fromkeys(("acc", "bar", "groupChr"), _accent),
    "m": _matrix,
    "eqArr": _array,
}
