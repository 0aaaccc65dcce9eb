"""Escaping: text of documents stays inside its place and stays readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from workbench.export.escaping import (
    code_block,
    code_span,
    html_line,
    html_text,
    markdown_quote,
    markdown_text,
    one_line,
    shorten_line,
)
from workbench.export.markdown import contain_markdown
from workbench.model.visible import visible

_READER = MarkdownIt("commonmark", {"html": True}).enable("table")
_TEXT = st.text(st.sampled_from("ab1 \n`*_[]()<>|~$&#!\\-+=.:^/\"'") | st.characters(), max_size=60)


def test_a_name_with_a_line_end_and_an_override_is_one_visible_line():
    assert one_line("safe\r\n\u202egpj.exe") == "safe ⟨U+202E⟩gpj.exe"


def test_right_to_left_marks_are_left_alone():
    assert visible("שלום\u200f!") == "שלום\u200f!"


def test_code_with_back_ticks_stays_one_block():
    tokens = _READER.parse(code_block("```\n````\nx"))
    assert [token.type for token in tokens] == ["fence"]
    assert code_span("a`b``c") == "``` a`b``c ```"


def test_html_text_survives_an_attribute():
    assert html_line('"><b>\n') == "&quot;&gt;&lt;b&gt;"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcdef … (7 characters)"),
        ("ab  cd ef", 3, "ab … (8 characters)"),
        ("x" * 5000, 2, "xx … (5,000 characters)"),
    ],
)
def test_a_long_text_is_cut_off_with_the_length_that_it_had(text, limit, shown):
    assert shorten_line(text, limit) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain", "`plain`"), ("", "` `"), (" a\n b ", "`a b`"), ("a`b", "`` a`b ``"), ("`", "`` ` ``")],
)
def test_a_code_span_has_one_more_back_tick_than_the_longest_run_in_its_text(text, shown):
    assert code_span(text) == shown


def test_a_code_block_has_a_fence_that_its_text_cannot_close_and_is_indented_like_its_list():
    assert code_block("\n a\n\nb\n") == "```\n a\n\nb\n```"
    assert code_block("````", language="py") == "`````py\n````\n`````"
    assert code_block("X``\nbX\n", indent="  ") == "  ```\n  X``\n  bX\n  ```"


def test_a_quote_shows_what_would_start_a_list_or_a_heading_and_leaves_numbers_alone():
    text = "\n a \n\n- b\n+ c\n=\n1. d\n2) e\n3.5\n-4\n# f\n"
    shown = "> a\n>\n> \\- b\n> \\+ c\n> \\=\n> 1\\. d\n> 2\\) e\n> 3.5\n> -4\n> \\# f"
    assert markdown_quote(text) == shown
    assert markdown_quote("Xa\nbX", indent="   ") == "   > Xa\n   > bX"


def test_text_on_one_line_is_no_list_no_emphasis_and_no_tag():
    assert markdown_text("- a *b*\n<c>") == "\\- a \\*b\\* \\<c\\>"


@pytest.mark.parametrize(("escaped", "shown"), [(html_text, "a\n&lt;&#x27;&quot;"), (html_line, "a &lt;&#x27;&quot;")])
def test_html_is_text_in_quotes_of_both_kinds_too(escaped, shown):
    assert escaped("a\n<'\"") == shown


@given(_TEXT)
def test_escaped_text_is_read_as_one_paragraph_of_plain_text(text):
    tokens = _READER.parse("x " + markdown_text(text))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special"}
    read = "".join(child.content for token in tokens for child in token.children or ())
    assert read == "x " + one_line(text) or read == ("x " + one_line(text)).rstrip()


@given(_TEXT)
def test_a_quote_is_read_as_one_block_quote_of_plain_text(text):
    tokens = _READER.parse(markdown_quote(text))
    kinds = {token.type for token in tokens}
    assert kinds <= {"blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close", "inline"}
    assert {c.type for t in tokens for c in t.children or ()} <= {"text", "text_special", "softbreak", "hardbreak"}


@given(_TEXT)
def test_a_contained_answer_has_no_html_image_or_high_heading_and_ends(text):
    tokens = _READER.parse(contain_markdown(text, below=3) + "\n\nEND")
    children = [child for token in tokens for child in token.children or ()]
    assert not [token for token in tokens if token.type == "html_block"]
    assert not [child for child in children if child.type in ("html_inline", "image")]
    assert not [token for token in tokens if token.type == "heading_open" and int(token.tag[1]) < 4]
    assert (tokens[-2].content, tokens[-2].level) == ("END", 1)


@pytest.mark.parametrize("link", ["javascript:alert(1)", " JavaScript:x", "<data:text/html,x>", "file:///etc/passwd"])
def test_a_link_that_runs_or_reads_something_is_no_link(link):
    assert "](" not in contain_markdown(f"[x]({link})", below=3)


def test_a_plain_answer_is_left_as_it_is():
    answer = "The depth is **14.2 m**.\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```py\nx < 1\n```"
    assert contain_markdown(answer, below=3) == answer


def test_underlined_headings_are_made_deeper_too():
    assert contain_markdown("Depths\n===\n\ntext", below=3) == "#### Depths\n\ntext"


@pytest.mark.parametrize(
    "link",
    [
        "![x](file:///etc/passwd)",
        "[x](javascript&#58;alert(1))",
        "[x](javascript\\:alert(1))",
        "[x](\njavascript:alert(1))",
        "[x](<javascript:alert(1)>)",
        "[x](//evil.example/x)",
        "[x](\\\\server\\share)",
        "[x](../notes.md)",
        "[x](#q1-1)",
        "[x](vscode://file/etc/passwd)",
        "<javascript:alert(1)>",
        "<file:///etc/passwd>",
        "[x]\n\n[x]: javascript:alert(1)",
        "[a\nb]\n\n[a\nb]: javascript:alert(1)",
        "> [x]: file:///etc/passwd\n\n[x]",
        "- [x][y]\n\n  [y]: data:text/html,x",
        "| [x](file:///x) | b |\n| - | - |\n| 1 | 2 |",
    ],
)
def test_no_link_leads_anywhere_but_to_the_web_and_to_mail(link):
    class Everything(MarkdownIt):
        def validateLink(self, _url):
            return True

    tokens = Everything("commonmark", {"html": True}).enable("table").parse(contain_markdown(link, below=3))
    assert not [child for token in tokens for child in token.children or () if child.type == "link_open"]


def test_links_to_the_web_and_to_mail_stay():
    answer = "[x](https://a.example/b_(c)) and <https://a.example> and <me@a.example> and [m](mailto:me@a.example)"
    assert contain_markdown(answer, below=3) == answer


def test_an_image_from_the_web_becomes_a_link_to_it():
    assert (
        contain_markdown("See ![the plan](https://a.example/p.png).", below=3)
        == "See [the plan](https://a.example/p.png)."
    )


@pytest.mark.parametrize("info", ["{=html}", "dataviewjs", "python {cmd=true}", "{r}"])
def test_a_fence_names_a_language_and_nothing_that_a_program_runs(info):
    first = contain_markdown(f"```{info}\nx\n```", below=3).split("\n")[0]
    assert first in ("```", "```python")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`<b>x</b>`{=html}", "`<b>x</b>`&#123;=html}"),
        ("\\input{/etc/passwd}", "\\\\input{/etc/passwd}"),
        ("\\\\input{x}", "\\\\input{x}"),
        ("$\\write18{id}$", "$\\\\write18{id}$"),
        ("![[secrets]]", "!&#91;&#91;secrets]]"),
        ("$\\frac{a}{b} \\leq \\alpha$", "$\\frac{a}{b} \\leq \\alpha$"),
    ],
)
def test_syntax_that_other_markdown_programs_run_or_embed_becomes_plain_text(text, shown):
    assert contain_markdown(text, below=3) == shown
