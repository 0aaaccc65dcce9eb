"""Custom metadata: valid keys and values, and the parsing of typed ones."""

import datetime

import pytest

from workbench.errors import MetadataError
from workbench.model.custom_metadata import (
    checked_metadata,
    metadata_in_file,
    read_again,
    replaced,
    typed_pairs,
)
from workbench.model.metadata import CustomSource, ValueKind


def plain(given: dict[str, object]) -> dict[str, object]:
    return {field.key: field.plain for field in checked_metadata(given)}


def kinds(given: dict[str, object]) -> list[ValueKind]:
    return [value.kind for field in checked_metadata(given) for value in field.values]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("dept=hr", {"dept": "hr"}),
        ("Dept = Human  Resources ", {"dept": "Human Resources"}),
        ("部门=人事", {"部门": "人事"}),
        ("budget=1200", {"budget": 1200}),
        ("budget=-12.50", {"budget": -12.5}),
        ("code=007", {"code": "007"}),
        ("account=12345678901234567890", {"account": "12345678901234567890"}),
        ("team=hr; it", {"team": ["hr", "it"]}),
        ('team=["a;b", 2]', {"team": ["a;b", 2]}),
        ("note=a=b", {"note": "a=b"}),
    ],
)
def test_typed_metadata_is_parsed_as_the_user_means_it(typed: str, meant: dict[str, object]) -> None:
    assert plain(typed_pairs([typed])) == meant


def test_values_of_one_key_are_a_list_and_no_value_takes_the_key_away() -> None:
    assert plain(typed_pairs(["team=hr", "team=it"])) == {"team": ["hr", "it"]}
    assert checked_metadata(typed_pairs(["team="]))[0].values == ()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("hr", ValueKind.TEXT),
        ("100", ValueKind.TEXT),
        ("2024-05", ValueKind.DATE),
        ("2024-05-31T10:00", ValueKind.DATE),
        ("2024-13", ValueKind.TEXT),
        (100, ValueKind.NUMBER),
        (True, ValueKind.TEXT),
        (datetime.date(2024, 5, 31), ValueKind.DATE),
        (datetime.datetime(2024, 5, 31, tzinfo=datetime.UTC), ValueKind.DATE),
        (10**18, ValueKind.TEXT),
    ],
)
def test_a_value_keeps_its_kind(value: object, kind: ValueKind) -> None:
    assert kinds({"any": value}) == [kind]


@pytest.mark.parametrize("key", ["author", "KB", "year", "knowledge_base", "op", "not", "status"])
def test_b29_a_key_of_the_program_is_refused_and_another_one_named(key: str) -> None:
    with pytest.raises(MetadataError, match="uses it itself") as caught:
        checked_metadata({key: "x"})
    assert f"“my_{key.casefold()}”" in caught.value.hint


@pytest.mark.parametrize("key", ["", "7up", "a b", "due-date", "a:b", "x" * 61, "a\ud800"])
def test_a_key_that_no_filter_could_name_is_refused(key: str) -> None:
    with pytest.raises(MetadataError, match="cannot be a key"):
        checked_metadata({key: "x"})


@pytest.mark.parametrize(
    "value", ["", " ", "x" * 1001, {}, object(), float("nan"), 1e300, 10**100, [[]], [str(one) for one in range(201)]]
)
def test_a_value_that_cannot_be_is_refused(value: object) -> None:
    with pytest.raises(MetadataError):
        checked_metadata({"any": value})


def test_e9_a_file_gives_its_own_keys_and_leaves_the_programs_alone() -> None:
    found, told = metadata_in_file({"Title": "T", "Due-Date": "2024-05-01", "dept": ["hr"], "bad": {}, "none": None})
    assert {field.key: field.plain for field in found} == {"due_date": "2024-05-01", "dept": ["hr"]}
    assert told == ["Metadata left out: “bad” cannot have such a value."]


def test_metadata_set_or_removed_by_the_user_is_kept_when_the_file_is_read_again() -> None:
    def in_file(dept: str) -> tuple[object, ...]:
        return metadata_in_file({"dept": dept, "team": dept, "note": dept})[0]

    user = replaced(in_file("old"), checked_metadata({"dept": "mine", "team": None}))  # type: ignore[arg-type]
    after = read_again(user, in_file("new"))  # type: ignore[arg-type]
    assert [(one.key, [value.text for value in one.values]) for one in after] == [
        ("dept", ["mine"]),
        ("note", ["new"]),
        ("team", []),
    ]
    assert [one.source for one in after] == [CustomSource.USER, CustomSource.FILE, CustomSource.USER]
    assert replaced(checked_metadata({"dept": 1}), checked_metadata({"dept": None})) == ()
