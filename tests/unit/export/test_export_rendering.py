import re
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.export.rendering import DARK_CODE, answer_html, code_css
from workbench.model.hit import Citation


def cited(text: str, *, invalid: tuple[int, ...] = ()) -> tuple[Citation, ...]:
    """Return a citation for every [n] of the text, like the agent does for a checked answer."""
    return tuple(
        Citation(
            int(match[1]),
            int(match[1]) not in invalid,
            document_name="Report.pdf",
            page=3,
            quote="said so",
            answer_start=match.start(),
            answer_end=match.end(),
        )
        for match in re.finditer(r"\[(\d+)\]", text)
    )


def rendered(text: str, *, invalid: tuple[int, ...] = (), code_style: str = "") -> str:
    return answer_html(
        text, cited(text, invalid=invalid), link=lambda citation: f"#c{citation.marker}", code_style=code_style
    )


def test_valid_marker_becomes_a_link_right_after_the_claim() -> None:
    html = rendered("Sales **rose**[1].")
    assert '<strong>rose</strong><a class="citation" href="#c1"' in html
    assert 'title="Report.pdf · page 3' in html


def test_invented_marker_is_flagged_and_never_a_link() -> None:
    html = rendered("Sales rose [7].", invalid=(7,))
    assert '<s class="citation-invalid"' in html
    assert "[7]</s>" in html
    assert "<a" not in html


def test_marker_that_is_no_citation_stays_text() -> None:
    assert answer_html("See [3].", (), link=str) == "<p>See [3].</p>\n"


def test_two_citations_of_one_marker_become_two_chips() -> None:
    pair = [Citation(number, True, answer_start=4, answer_end=10) for number in (1, 2)]
    html = answer_html("Yes [1, 2].", pair, link=lambda citation: f"#c{citation.marker}")
    assert html.count('class="citation"') == 2
    assert ", 2]" not in html


def test_range_of_markers_becomes_a_chip_for_each_number() -> None:
    span = {1: (4, 6), 2: (6, 6), 3: (6, 9)}
    cited_range = [Citation(number, True, answer_start=start, answer_end=end) for number, (start, end) in span.items()]
    html = answer_html("Yes [1-3].", cited_range, link=lambda citation: f"#c{citation.marker}")
    assert re.findall(r'href="#c(\d)"', html) == ["1", "2", "3"]
    assert "[" not in html


def test_marker_before_parenthesis_is_not_read_as_a_markdown_link() -> None:
    html = rendered("Yes [1](http://elsewhere.example)")
    assert 'href="#c1"' in html
    assert "elsewhere" not in re.findall(r'href="([^"]*)"', html)


@pytest.mark.parametrize("text", ["`a[1]`", "```\na[1]\n```", "    a[1]", "$a[1]$", "$$\na[1]\n$$", r"\(a[1]\)"])
def test_marker_inside_code_or_formula_stays_as_written(text: str) -> None:
    html = rendered(text)
    assert "a[1]" in html
    assert 'class="citation"' not in html


def test_marker_inside_a_link_stays_text_and_its_address_whole() -> None:
    html = rendered("[see [1]](https://example.org/?q=[1])")
    assert ">see [1]</a>" in html
    assert "?q=%5B1%5D" in html
    assert 'class="citation"' not in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=http://example.org/x.png onerror=alert(1)>",
        "![picture](http://example.org/x.png)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,AAAA)",
        "[x](file:///etc/passwd)",
        "[x](other.html)",
        "[x](//example.org/x)",
        "<iframe src='https://example.org'></iframe>",
        '<a href="https://example.org" onclick="alert(1)">x</a>',
        "<style>body { display: none }</style>",
        "[x](cite:1)",
    ],
)
def test_answer_cannot_bring_scripts_images_or_foreign_addresses(text: str) -> None:
    html = rendered(text)
    assert not re.search(r"<(script|img|iframe|style|object|embed|form|input)\b", html)
    assert not re.search(r"<[^>]*\son\w+=", html)
    for address in re.findall(r'href="([^"]*)"', html):
        assert address.startswith(("http://", "https://", "mailto:"))


def test_picture_is_offered_as_a_link_and_not_loaded() -> None:
    assert '<a href="https://example.org/x.png"' in rendered("![a chart](https://example.org/x.png)")


def test_document_name_cannot_break_out_of_a_chip() -> None:
    evil = Citation(1, True, document_name='"><script>x</script>', quote="<b>", answer_start=0, answer_end=3)
    html = answer_html("[1]", [evil], link=lambda _: '"><i>')
    assert "<script" not in html
    assert "<i>" not in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    "formula",
    [
        "$$a_1 * b_2 * c_3$$",
        "$x_i*y*z_j$",
        r"\(x_i*y*z_j\)",
        r"\[x_i*y*z_j\]",
        "$$\nx_i\n- y*z*\n$$",
        "\\[\nx_i\n\n- y*z*\n\\]",
        "$2*x*y$",
    ],
)
def test_formula_is_not_mangled_by_emphasis(formula: str) -> None:
    html = rendered(f"Here {formula} it is" if "\n" not in formula else formula)
    assert 'class="formula"' in html
    assert "<em>" not in html
    assert "<li>" not in html


def test_amounts_of_money_are_not_formulas() -> None:
    html = rendered("From $5 to $6, or US$ 3.2 million [1], C$ 4 and $AAPL rose [2] in CA$.")
    assert "formula" not in html
    assert html.count('class="citation"') == 2


def test_list_right_after_a_line_of_text_is_a_list() -> None:
    assert "<li>" in rendered("They say:\n- one\n- two")


def test_table_keeps_its_alignment_and_breaks_lines_in_cells() -> None:
    html = rendered("| a | b |\n|---|--:|\n| 1<br>2 | 3 |")
    assert "1<br>2" in html
    assert 'style="text-align:right"' in html


def test_open_fence_of_a_stream_is_already_code() -> None:
    assert '<div class="code"><pre>' in rendered("So:\n\n```python\nx = [1")


def test_code_is_coloured_by_classes_or_inline() -> None:
    assert '<span class="k">' in rendered("```python\nreturn x\n```")
    assert '<span style="color:' in rendered("```python\nreturn x\n```", code_style=DARK_CODE)


def test_unknown_language_is_shown_plain() -> None:
    assert "<pre>a &lt; b</pre>" in rendered("```no-such-language\na < b\n```")


def test_style_sheet_colours_only_below_its_selector() -> None:
    rules = code_css(DARK_CODE, "article .code").splitlines()
    assert len(rules) > 10
    assert all(rule.startswith("article .code .") for rule in rules)


STREAMED = """# Title

Sales rose **12 %** [1], see `x[2]` and $a_1$ [7].

| a | b |
|---|---|
| x [1] | y |

1. one
   ```python
   def f(): return [1]
   ```
> quoted [2]

$$
e = mc^2
$$
"""


def test_every_beginning_of_a_stream_renders() -> None:
    for end in range(len(STREAMED) + 1):
        html = rendered(STREAMED[:end], invalid=(7,))
        assert html.count("<a ") == html.count("</a>")
        assert not re.search("[\U000f0000-\U000fffff]", html)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="[]()12`$*_|\\<>&\"'!#:-~\n \U000f0000aé中/", max_size=60))
def test_no_text_explodes_or_leaks_a_placeholder(text: str) -> None:
    html = rendered(text, invalid=(2,))
    assert not re.search("[\U000f0000-\U000fffff]", html)
    assert html.count('class="citation"') <= text.count("[1")


def test_no_text_at_all_of_any_character_explodes() -> None:
    for code in (*range(0x20), 0x7F, 0x85, 0xA0, 0x2028, 0xD800, 0xDFFF, 0xFFFE, 0xF0000, 0x100000, 0x10FFFF):
        html = rendered(f"a {chr(code)} b [1]")
        assert 'class="citation"' in html
        html.encode("utf-8")


def test_lone_surrogate_is_replaced() -> None:
    assert rendered("a\ud83d b") == "<p>a\ufffd b</p>\n"


@pytest.mark.parametrize("entity", ["&#xF0000;", "&#983040;", "&#0000000983040;", "&#x100000;"])
def test_entity_cannot_pose_as_a_marker(entity: str) -> None:
    html = rendered(f"[1] {entity} `x` {entity}")
    assert html.count('class="citation"') == 1
    assert html.count("<code>") == 1


@pytest.mark.parametrize("indent", ["  ", "   ", "    "])
@pytest.mark.parametrize("outer", ["-", "1.", "10."])
def test_items_indented_by_two_to_four_spaces_are_nested(outer: str, indent: str) -> None:
    html = rendered(f"{outer} a\n{indent}- b\n{indent}- c\n").replace("\n", "")
    assert "<li>a<ul><li>b</li><li>c</li></ul></li>" in html


@pytest.mark.parametrize("closing", ["\n   ```", "\n   ```\n2. b", ""])
def test_fence_inside_an_item_is_code_of_that_item(closing: str) -> None:
    html = rendered(f"1. a\n   ```text\n   x = [1]\n\n     y{closing}")
    assert '<div class="code"><pre>x = [1]\n\n  y</pre></div>\n</li>' in html
    assert html.count("<ol>") == 1


def test_numbers_go_on_after_a_fence() -> None:
    html = rendered("1. a\n   ```\n   x\n   ```\n2. b")
    assert html.count("<li>") == 2
    assert "<p>" not in html


@pytest.mark.parametrize("text", ["$$\nx_i*y*z", "$$ x_i*y*z", "\\[\nx_i*y*z"])
def test_formula_that_is_open_while_streaming_is_already_one(text: str) -> None:
    assert '<div class="formula">' in rendered(f"So:\n\n{text}")


def test_sign_that_is_never_closed_takes_no_citations_with_it() -> None:
    html = rendered("$$ for all [1]\n\nand more [2]")
    assert "formula" not in html
    assert html.count('class="citation"') == 2


def test_type_parameters_outside_code_are_text() -> None:
    assert "Vec&lt;T&gt; and &lt;b&gt;x&lt;/b&gt;" in rendered("Vec<T> and <b>x</b>")


def test_hash_without_a_blank_is_no_heading_and_a_sharp_stays() -> None:
    assert "<h" not in rendered("#1 in the market")
    assert "<h2>C#</h2>" in rendered("## C# ##")


def test_year_at_the_start_of_a_line_begins_no_list() -> None:
    assert "<ol" not in rendered("It began in\n1998. Then it went on.")


def test_list_that_starts_later_keeps_its_number() -> None:
    assert '<ol start="3">' in rendered("3) c\n4) d")


def test_table_right_after_a_line_of_text_is_a_table() -> None:
    html = rendered("As follows:\n| a | b |\n|---|---|\n| `x\\|y` | $|z|$ [1] |\nand so on")
    assert "<p>As follows:</p>" in html
    assert "<code>x|y</code>" in html
    assert html.count("<tr>") == 3


def test_a_heading_behind_a_table_keeps_its_back_slashes() -> None:
    html = rendered("| a | b |\n|---|---|\n| `x\\|y` | z |\n\n# `x\\|y`\n")
    assert html.count("<code>x|y</code>") == 1
    assert "<code>x\\|y</code></h" in html


def test_emphasis_beyond_the_limit_stays_as_written() -> None:
    html = rendered("**a** " * 3000)
    assert 300 < html.count("<strong>a</strong>") < 1000
    assert html.count("**a**") + html.count("<strong>") == 3000


def test_strikethrough_emphasis_and_line_breaks_are_read() -> None:
    html = rendered("*a* **b** ~~c~~ d_e_f  \ng\\\nh")
    for part in ("<em>a</em>", "<strong>b</strong>", "<s>c</s>", "d_e_f"):
        assert part in html
    assert html.count("<br>") == 2


def test_footnotes_are_superscript_where_they_are_referenced_and_where_they_are_defined() -> None:
    html = rendered("As said.[^1] And `[^1]`, [^web].\n\n[^1]: The *note* [2].\n\n[^web]: https://example.org/")
    assert html.count("<sup>1</sup>") == 2
    assert "<code>[^1]</code>" in html
    assert "<p><sup>1</sup> The <em>note</em>" in html
    assert '<a href="https://example.org/"' in html


@pytest.mark.parametrize(
    "text",
    ["[x](https://example.org/a_b_(c))", "<https://example.org/a_b_(c)>", "[x]\n\n[x]: https://example.org/a_b_(c)"],
)
def test_links_lead_to_the_address_that_was_written(text: str) -> None:
    assert 'href="https://example.org/a_b_(c)"' in rendered(text)


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "*",
        ">",
        "> ",
        "`",
        "$",
        "_",
        "**a ",
        "*a **b ",
        "[a](",
        "[[a]",
        "- ",
        "- a\n",
        "$$\n",
        "\\[\n",
        "&#",
        "|a|\n|-|\n",
    ],
)
def test_pathological_text_takes_no_time(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.process_time()
    answer_html(text, (), link=str)
    # Measured: at most 1.5 s, mostly 0.1 s; a quadratic algorithm takes minutes.
    assert time.process_time() - began < 15


def test_deep_nesting_is_cut_off_and_stays_readable() -> None:
    html = rendered("".join(f"{'  ' * depth}- item\n" for depth in range(500)) + ">" * 1000 + " end")
    assert html.count("item") == 500
    assert html.count("<ul>") < 50


def test_import_leaves_markdown_and_pygments_for_the_first_answer() -> None:
    script = "import sys, workbench.export.rendering; print([n for n in ('markdown', 'pygments') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_overlapping_emphasis_repeats_no_text() -> None:
    # python-markdown 3.11.3 alone makes two "y" of it.
    assert rendered("*w **_*_y_") == "<p>*w **_*_y_</p>\n"
