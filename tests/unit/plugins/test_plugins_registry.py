"""Registry of parts by name, built-in ones first."""

import pytest

from workbench.plugins.registry import Registry


def test_the_registry_creates_a_new_part_on_each_call() -> None:
    registry: Registry[list[int]] = Registry("workbench.test")
    registry.register("list", list)
    assert registry.get("list") is not registry.get("list")


def test_a_name_is_taken_once() -> None:
    registry: Registry[list[int]] = Registry("workbench.test")
    registry.register("list", list)
    with pytest.raises(ValueError, match="twice"):
        registry.register("list", list)


def test_an_unknown_name_is_an_error() -> None:
    registry: Registry[list[int]] = Registry("workbench.test")
    with pytest.raises(KeyError):
        registry.get("none")
