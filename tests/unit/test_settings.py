"""Settings are declared once and never hold a bad value."""

from dataclasses import asdict, fields

import pytest

from workbench.errors import SettingError
from workbench.settings import DECLARATIONS, Settings, declaration


def test_every_setting_is_declared_with_the_default_it_has() -> None:
    assert {d.key: d.default for d in DECLARATIONS} == asdict(Settings())


def test_declarations_follow_the_order_of_the_settings() -> None:
    assert [d.key for d in DECLARATIONS] == [f.name for f in fields(Settings)]


@pytest.mark.parametrize(
    ("key", "value"),
    [("chunk_tokens", 5), ("rounds", 1000), ("theme", "pink"), ("rounds", "x"), ("rounds", float("inf"))],
)
def test_a_value_out_of_bounds_is_refused(key: str, value: object) -> None:
    with pytest.raises(SettingError):
        declaration(key).check(value)


def test_e12_a_chunk_aims_at_512_tokens_at_the_most() -> None:
    assert declaration("chunk_tokens").check(512) == 512
    with pytest.raises(SettingError, match="513"):
        declaration("chunk_tokens").check(513)


def test_a_stored_value_that_is_no_longer_allowed_falls_back_to_the_default() -> None:
    assert Settings.from_stored({"theme": "pink", "rounds": 3, "unknown": 1}) == Settings(rounds=3)
