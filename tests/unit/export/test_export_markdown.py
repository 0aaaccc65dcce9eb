"""Markdown export: footnotes, folded steps, and nothing that breaks out of its place."""

import re

import pytest
from export_session import THOUGHT, cited, invalid, made_run, made_session
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from workbench.export.markdown import MarkdownExporter

HOSTILE = "</details><script>alert(1)</script>\n\n# Fake\n| a | b |\n```\n\u202ereversed\n[x](javascript:alert(1)) ![p](http://x/y)"


def markdown_of(session, context):
    return MarkdownExporter().render(session, context).decode("utf-8")


def tokens_of(text):
    return footnote_plugin_parser().parse(text)


def footnote_plugin_parser():
    return MarkdownIt("commonmark", {"html": True}).enable("table").use(footnote_plugin)


def raw_html(text):
    found = []
    for token in tokens_of(text):
        if token.type == "html_block":
            found.append(token.content)
        found += [child.content for child in token.children or () if child.type == "html_inline"]
    return "\n".join(found)


def test_markers_become_footnotes_with_document_page_heading_quote_and_hash(context):
    text = markdown_of(made_session(made_run()), context)
    assert "The channel is 14.2 m deep [^q1-1]." in text
    definition = text[text.index("[^q1-1]: ") :]
    for part in (
        "**survey.pdf**",
        "page 7",
        "4 Dredging › 4.2 Channel",
        "`abababababab`",
        "> The channel is dredged to 14.2 m.",
    ):
        assert part in definition


def test_footnotes_of_two_runs_never_share_a_label(context):
    text = markdown_of(made_session(made_run(), made_run(number=2)), context)
    labels = re.findall(r"^\[\^(.+?)\]:", text, re.MULTILINE)
    assert labels == ["q1-1", "q2-1"]


def test_a_markdown_reader_sees_every_footnote(context):
    tokens = tokens_of(markdown_of(made_session(made_run(), made_run(number=2)), context))
    assert sum(token.type == "footnote_open" for token in tokens) == 2


def test_two_sentences_under_one_marker_are_two_footnotes(context):
    answer = "Deep [1]. Wide [1]."
    first = cited(answer, 1, start=0, end=5)
    second = cited(answer[9:], 1, start=50, end=60, quote="It is wide.")
    second = type(second)(**{**{f: getattr(second, f) for f in second.__slots__}, "answer_start": 15, "answer_end": 18})
    text = markdown_of(made_session(made_run(answer, (first, second))), context)
    assert "Deep [^q1-1]. Wide [^q1-1b]." in text


def test_an_invented_marker_is_flagged_and_is_no_footnote(context):
    answer = "It is pink [9]."
    text = markdown_of(made_session(made_run(answer, (invalid(answer, 9),))), context)
    assert "It is pink \\[9\\] *(not a source of this run)*." in text
    assert "[^q1-9]" not in text


def test_a_footnote_reference_written_by_the_model_is_no_footnote(context):
    text = markdown_of(made_session(made_run("Deep [1]. Fake [^q1-1].\n\n[^q1-1]: invented")), context)
    tokens = tokens_of(text)
    references = [c for t in tokens for c in t.children or () if c.type == "footnote_ref"]
    assert len(references) == 1
    assert sum(token.type == "footnote_open" for token in tokens) == 1


def test_c13_thoughts_are_in_the_steps_and_not_in_the_answer(context):
    text = markdown_of(made_session(made_run()), context)
    answer = text[text.index("### Answer") : text.index("<details>")]
    assert THOUGHT not in answer
    assert THOUGHT in text


def test_steps_show_arguments_duration_and_a_shortened_result(context):
    text = markdown_of(made_session(made_run()), context)
    assert '{"query": "channel depth"}' in text
    assert "12 ms" in text
    assert "(680 characters)" not in text  # one space between the repeated quotes is missing
    assert "characters)" in text
    assert "failed" in text


def test_searches_are_listed_with_scores(context):
    text = markdown_of(made_session(made_run()), context)
    assert "Query: `channel depth`, 12.3 ms, 1 hits" in text
    assert "| 1 | survey.pdf | page 7 | 4 Dredging › 4.2 Channel | 0.710 | 8.25 | 0.0310 | 0.80 |" in text


@pytest.mark.parametrize("place", ["quote", "name", "question", "answer", "title"])
def test_hostile_text_adds_no_tag_heading_image_or_code(context, place):
    title = HOSTILE if place == "title" else "Harbour depths"
    if place == "answer":
        run = made_run(f"Deep [1].\n\n{HOSTILE}")
    else:
        run = made_run(**{place: HOSTILE} if place != "title" else {})
    text = markdown_of(made_session(run, title=title), context)
    tokens = tokens_of(text)
    html = raw_html(text)
    assert "<script" not in html
    assert html.count("<details>") == html.count("</details>") == 3
    headings = [t for t in tokens if t.type == "heading_open" and int(t.tag[1]) <= 3]
    assert len(headings) == 3
    assert not [c for t in tokens for c in t.children or () if c.type == "image"]
    assert not [c for t in tokens for c in t.children or () if c.type == "link_open"]
    assert "\u202e" not in text
    assert tokens[-1].type == "footnote_block_close"


def test_an_open_fence_in_a_stopped_answer_is_closed(context):
    text = markdown_of(made_session(made_run("Deep [1]:\n\n````python\nx = 1")), context)
    assert "x = 1\n````\n" in text


def test_code_in_an_answer_keeps_its_angle_brackets(context):
    text = markdown_of(made_session(made_run("Deep [1]:\n\n```html\n<b>x</b>\n```\n\nand `a < b`.")), context)
    assert "<b>x</b>" in text
    assert "`a < b`" in text


def test_an_exported_answer_without_text_shows_that_no_answer_was_given(context):
    text = markdown_of(made_session(made_run("", ())), context)
    assert "*No answer was given.*" in text


def test_a_marker_outside_the_answer_does_no_harm(context):
    far = cited("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx [1]", 1)
    text = markdown_of(made_session(made_run("Short.", (far,))), context)
    assert "Short." in text
