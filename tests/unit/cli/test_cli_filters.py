import argparse

import pytest

from workbench.cli.search_arguments import add_filter_option, filter_of_options
from workbench.errors import RetrievalError
from workbench.model.filter import ChunkFilter, Condition, Not, Operator


def chosen(*arguments: str) -> ChunkFilter:
    parser = argparse.ArgumentParser()
    parser.set_defaults(kb="Law")
    add_filter_option(parser)
    return filter_of_options(parser.parse_args(arguments), custom=["dept"])


def is_(key: str, value: str) -> Condition:
    return Condition(key, Operator.EQ, (value,))


def test_several_filters_must_all_hold() -> None:
    found = chosen("--filter", "format=pdf", "--filter", '{"tag": "tax"}', "--filter", "-tag:old page:3")
    assert found == ChunkFilter(
        "Law", (is_("format", "pdf"), is_("tag", "tax"), Not(is_("tag", "old")), is_("page", "3"))
    )


def test_a_value_of_several_words_needs_no_second_quotation_marks() -> None:
    assert chosen("--filter", "title=Annual report 2024").where == (is_("title", "Annual report 2024"),)
    assert chosen("--filter", "dept=Human Resources").where == (is_("dept", "Human Resources"),)
    assert chosen("--filter", "title=Annual tag=tax").where == (is_("title", "Annual"), is_("tag", "tax"))


@pytest.mark.parametrize("text", ["colour=red", "format=", "[1", "page=soon", "(a"])
def test_b26_an_invalid_filter_raises_an_error(text: str) -> None:
    with pytest.raises(RetrievalError):
        chosen("--filter", text)
