"""JSON and YAML of search results."""

import json
from dataclasses import replace
from datetime import date

import pytest
import yaml
from fakes import make_hit

from workbench.agent.references import parse_references, render_references, rendered_hits, result_of
from workbench.model.agent import ReferencesFormat
from workbench.model.hit import NumberedHit

JSON, YAML = ReferencesFormat.JSON, ReferencesFormat.YAML


def test_s17_json_is_indented_by_two_and_dates_become_text() -> None:
    text = render_references([{"name": "报告", "meta_data": {"made": date(2024, 5, 1)}, "content": "x"}], JSON)
    assert text.startswith('[\n  {\n    "name": "报告",\n    "meta_data": {\n      "made": "2024-05-01"')


def test_s17_yaml_is_in_blocks_with_its_keys_sorted() -> None:
    text = render_references([{"name": "报告", "meta_data": {"page": 3}, "content": "收入\n增长"}], YAML)
    assert text == "- content: |-\n    收入\n    增长\n  meta_data:\n    page: 3\n  name: 报告"


@pytest.mark.parametrize("format", [JSON, YAML])
@pytest.mark.parametrize(
    "text", ["", "yes", "2024-01-01", "a: b # c", " x \n y ", "\ta\n", "a\x85b\u2028c", "😀", "</references>", "- x\n"]
)
def test_s18_every_text_comes_back_as_it_was(format: ReferencesFormat, text: str) -> None:
    assert parse_references(render_references([{"content": text}], format)) == [{"content": text}]


@pytest.mark.parametrize("format", [JSON, YAML])
def test_b5_values_that_neither_format_supports_are_written_as_text(format: ReferencesFormat) -> None:
    made = render_references([{"at": date(2024, 5, 1), "n": float("nan"), 3: (1, {2})}], format)
    assert parse_references(made) == [{"at": "2024-05-01", "n": "nan", "3": [1, "{2}"]}]


def test_s19_content_comes_last_in_json_and_both_formats_hold_the_same() -> None:
    hits = [(NumberedHit(1, make_hit("A.")), "A.")]
    assert list(json.loads(rendered_hits(hits, JSON))[0]) == ["name", "meta_data", "content"]
    assert yaml.safe_load(rendered_hits(hits, YAML)) == json.loads(rendered_hits(hits, JSON))


def test_e34_a_passage_names_its_chunk_and_a_knowledge_base_that_the_user_made() -> None:
    usual, other = (
        result_of(NumberedHit(1, replace(make_hit("A."), knowledge_base=name)), "A.") for name in ("default", "Law")
    )
    assert usual["meta_data"]["chunk"] == 1
    assert "knowledge_base" not in usual["meta_data"]
    assert list(other["meta_data"])[:3] == ["citation", "document", "knowledge_base"]


def test_text_that_is_neither_json_nor_yaml_raises_an_error() -> None:
    with pytest.raises(ValueError, match="neither"):
        parse_references("[1, ")
