"""Settings: declared once, and never with an invalid value."""

import re
from dataclasses import asdict

import pytest
from source_trees import module_paths, source_of

from workbench.errors import SettingError
from workbench.settings import DECLARATIONS, Settings, declaration


def test_every_setting_is_declared_with_the_default_it_has() -> None:
    assert {d.key: d.default for d in DECLARATIONS} == asdict(Settings())


def test_every_default_is_a_value_that_its_declaration_allows() -> None:
    assert [d.check(d.default) for d in DECLARATIONS] == [d.default for d in DECLARATIONS]
    assert {type(d.default) for d in DECLARATIONS} == {str, int, float}


def test_every_setting_is_read_by_the_program() -> None:
    modules = [path for path in module_paths() if path.parent.name != "settings"]
    source = "\n".join(map(source_of, modules))
    assert [d.key for d in DECLARATIONS if not re.search(rf"\.{d.key}\b", source)] == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("chunk_tokens", 5),
        ("rounds", 1000),
        ("theme", "pink"),
        ("rounds", "x"),
        ("rounds", float("inf")),
        ("retriever_seconds", "nan"),
        ("retriever_seconds", 0.05),
    ],
)
def test_a_value_out_of_bounds_is_refused(key: str, value: object) -> None:
    with pytest.raises(SettingError):
        declaration(key).check(value)


@pytest.mark.parametrize(("value", "stored"), [("on", "yes"), ("Off", "no"), (True, "yes"), (False, "no")])
def test_a_setting_that_is_yes_or_no_takes_other_words_for_them(value: object, stored: str) -> None:
    assert declaration("reduce_motion").check(value) == stored


def test_only_a_setting_that_is_yes_or_no_takes_them() -> None:
    for key in ("plan", "theme", "rounds"):
        with pytest.raises(SettingError):
            declaration(key).check(True)


@pytest.mark.parametrize(("key", "hint"), [("rounds", "Give a whole number."), ("retriever_seconds", "Give a number.")])
def test_a_value_that_is_not_a_number_is_rejected_with_a_hint(key: str, hint: str) -> None:
    with pytest.raises(SettingError) as caught:
        declaration(key).check("soon")
    assert caught.value.hint == hint


def test_the_time_limit_of_a_retriever_takes_fractions_of_a_second() -> None:
    assert declaration("retriever_seconds").check("0.5") == 0.5


def test_e12_a_chunk_aims_at_512_tokens_at_the_most() -> None:
    assert declaration("chunk_tokens").check(512) == 512
    with pytest.raises(SettingError, match="513"):
        declaration("chunk_tokens").check(513)


def test_a_stored_value_that_is_no_longer_allowed_falls_back_to_the_default() -> None:
    assert Settings.from_stored({"theme": "pink", "rounds": 3, "unknown": 1}) == Settings(rounds=3)
