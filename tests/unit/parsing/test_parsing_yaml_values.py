"""Arbitrary YAML: its values, or BrokenYaml, and never slow."""

import time
from pathlib import Path

import pytest
from parser_contract import read_source

from workbench.parsing.front_matter import BrokenYaml, yaml_values


def test_values_are_those_of_yaml() -> None:
    assert yaml_values("a: &x [1, true]\nb: *x\nc: {<<: {d: 2}}") == {"a": [1, True], "b": [1, True], "c": {"d": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "a: !!bool maybe",
        "a: !!timestamp soon",
        'a: !!int ""',
        'a: !!float ""',
        "a: 2024-13-45",
        f"a: {'1:' * 250}1.5",
        "[" * 3000,
        "a: !!python/object:os.system x",
        "a: {<<: 1}",
    ],
)
def test_a_value_that_cannot_be_is_broken_yaml(text: str) -> None:
    with pytest.raises(BrokenYaml):
        yaml_values(text)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("[{a: ", "}]")])
def test_brackets_are_read_fifty_deep_and_no_deeper(opening: str, closing: str) -> None:
    most = 50 // (opening.count("[") + opening.count("{"))
    assert yaml_values(f"a: {opening * most}1{closing * most}")
    with pytest.raises(BrokenYaml) as broken:
        yaml_values(f"a: {opening * (most + 1)}1{closing * (most + 1)}")
    assert broken.value.line == 1


def test_keys_that_are_merged_over_and_over_are_given_up_soon() -> None:
    lines = ["a0: &a0 {k0: 0, l0: 0}"]
    for number in range(1, 12):
        lines.append(f"a{number}: &a{number} {{<<: [{', '.join([f'*a{number - 1}'] * 12)}], k{number}: 0}}")
    began = time.perf_counter()
    with pytest.raises(BrokenYaml):
        yaml_values("\n".join(lines))
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("head", [f"title: 0x{'f' * 5000}", f"0x{'f' * 5000}: title", "title: !!bool maybe"])
def test_a_document_with_odd_front_matter_is_read(tmp_path: Path, head: str) -> None:
    assert "It froze." in read_source(tmp_path / "a.md", f"---\n{head}\n---\nIt froze.\n").text


def test_a_document_with_a_number_of_thousands_of_digits_in_toml_is_read(tmp_path: Path) -> None:
    source = f"+++\ntitle = 0x{'f' * 5000}\n+++\nIt froze.\n"
    assert "It froze." in read_source(tmp_path / "a.md", source).text
