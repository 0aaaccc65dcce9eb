"""Formulas in linear notation; those without one keep their source."""

import html
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.export.formulas import formula_html, set_formulas


def said(latex: str) -> str:
    return re.sub("</?i>", "", formula_html(latex))


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("$E = mc^2$", "E = mc<sup>2</sup>"),
        (r"\alpha_i \le \sum_{k=1}^{n} x_k^2", "α<sub>i</sub> ≤ ∑<sub>k=1</sub><sup>n</sup> x<sub>k</sub><sup>2</sup>"),
        (r"$$\frac{a + b}{c}$$", "(a + b)/c"),
        (r"\frac12", "1/2"),
        (r"\frac{P_t}{P_{t-1}}", "P<sub>t</sub>/P<sub>t−1</sub>"),
        (r"\[\sqrt{x} \]", '√<span style="text-decoration: overline">x</span>'),
        (r"\sqrt[3]{x}", '<sup>3</sup>√<span style="text-decoration: overline">x</span>'),
        (r"x > 0 \text{ if } y \in \mathbb{R}", "x &gt; 0 if y ∈ ℝ"),
        (r"a\times b", "a × b"),
        (r"\sin x", "sin x"),
        (r"\hat{x}", "x̂"),
        (r"f'(x) - 1", "f′(x) − 1"),
        (r"\left( x \right)", "( x )"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b<br>c = d"),
        (r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}", "(1 0; 0 1)"),
    ],
)
def test_formula_reads_as_it_is_written_by_hand(latex: str, expected: str) -> None:
    assert said(latex) == expected


@pytest.mark.parametrize("latex", [r"\frac{a", r"\sqrt", r"x^", r"\begin{aligned} a", r"\unknown", "{" * 900])
def test_formula_that_breaks_off_is_still_shown(latex: str) -> None:
    assert formula_html(latex)


def test_formula_cannot_bring_html() -> None:
    shown = formula_html(r"<script>x</script> \text{<img src=x>} \<b> & \begin{<i>}")
    assert not re.search(r"<(?!/?(i|sub|sup|br|code)\b)", shown)


@pytest.mark.parametrize("piece", ["\\frac", "{", "\\left(", "^", "\\begin{a}", "x_", "\\sqrt[", "&"])
def test_hostile_formula_takes_no_time(piece: str) -> None:
    began = time.process_time()
    formula_html(piece * (4_000 // len(piece)))
    assert time.process_time() - began < 2  # measured: at most 0.2


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="\\{}[]^_&$abx1 <>'~%-", max_size=40))
def test_no_text_explodes_or_brings_html(text: str) -> None:
    assert not re.search(r"<(?!/?(i|sub|sup|br|code|span)\b)", formula_html(text))


@pytest.mark.parametrize("opening", ["\\sqrt[", "\\frac{", "]]]]\\sqrt[a", "\\sqrt[}"])
def test_a_formula_broken_on_many_levels_stays_as_it_was_written(opening: str) -> None:
    assert formula_html(opening * 30) == f"<code>{html.escape(opening * 30)}</code>"


@pytest.mark.parametrize("opening", ["{", "\\sqrt{", "\\sqrt[", "\\begin{matrix}", "\\("])
def test_a_formula_nested_too_deeply_for_the_parser_keeps_its_source(opening: str) -> None:
    closing = {"\\begin{matrix}": "\\end{matrix}", "\\(": "\\)"}.get(opening, "]{y}" if opening[-1] == "[" else "}")
    deep = f"x{opening * 100}x{closing * 100}"
    assert formula_html(deep) == f"<code>{html.escape(deep)}</code>"


def test_a_formula_nested_deep_reads_well() -> None:
    assert formula_html("\\sqrt{" * 8 + "x" + "}" * 8).count("√") == 8


def test_the_formulas_of_an_answer_are_set_and_other_spans_stay() -> None:
    shown = set_formulas('<p><span class="formula">$x^2 &lt; 4$</span> and <span class="kn">x^2</span></p>')
    assert shown == '<p><span class="formula"><i>x</i><sup>2</sup> &lt; 4</span> and <span class="kn">x^2</span></p>'
