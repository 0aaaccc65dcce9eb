"""Parameter types of functions in the schemas for models."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional

import pytest

from workbench.agent.tools.function_tool import FunctionTool, spec_of
from workbench.errors import ToolError

Season = Literal["summer", "winter"]


def count(
    harbour,
    year: int,
    share: float = 1.0,
    tide: bool = False,
    seasons: list[Season] | None = None,
    more: Optional[dict[str, Any]] = None,  # noqa: UP045
    place: Annotated[str, "Within the harbour"] = "",
    *_rest: Any,
    **_others: Any,
) -> Any:
    """Count."""
    return [harbour, year, share]


def test_each_parameter_type_becomes_its_json_schema_type() -> None:
    parameters = spec_of(count).parameters
    assert parameters["properties"] == {
        "harbour": {"type": "string"},
        "year": {"type": "integer"},
        "share": {"type": "number"},
        "tide": {"type": "boolean"},
        "seasons": {"type": "array", "items": {"type": "string", "enum": ["summer", "winter"]}},
        "more": {"type": "object"},
        "place": {"type": "string", "description": "Within the harbour"},
    }
    assert parameters["required"] == ["harbour", "year"]


def test_numbers_written_as_texts_are_numbers() -> None:
    result = asyncio.run(FunctionTool(count, spec_of(count), 5).call({"harbour": "a", "year": " 7", "share": "0.5"}))
    assert result.text == '["a", 7, 0.5]'


def season(name: Season, year: int = 0) -> None:
    """Note a season."""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"name": "spring"}, "name must be one of summer, winter."),
        ({"name": "summer", "year": "soon"}, "year must be a whole number, not “soon”."),
    ],
)
def test_arguments_of_an_invalid_type_or_value_are_reported_to_the_model(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError, match=told):
        asyncio.run(FunctionTool(season, spec_of(season), 5).call(arguments))


def test_a_function_without_a_result_returns_done_and_a_long_result_is_truncated() -> None:
    def much() -> str:
        """Give much."""
        return "x" * 50_000

    assert asyncio.run(FunctionTool(season, spec_of(season), 5).call({"name": "summer"})).text == "Done."
    assert asyncio.run(FunctionTool(much, spec_of(much), 5).call({})).text.endswith(
        "2,000 more characters are left out.]"
    )


def of_a_set(names: set[str]) -> None:
    """Take a set."""


def by_place(name: str, /) -> None:
    """Take it by its place."""


@pytest.mark.parametrize("function", [of_a_set, by_place])
def test_functions_with_parameters_that_a_model_cannot_provide_are_rejected(function: Callable[..., None]) -> None:
    with pytest.raises(TypeError, match="name"):
        spec_of(function)
