"""Fake operations take only the calls that the real ones take."""

import pytest
from ui_fake_worker import fake_operations

from workbench import operations


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_operations(monkeypatch)


def test_a_fake_operation_records_its_arguments_without_the_library() -> None:
    job = operations.ask(object(), "When?", session=3)  # type: ignore[arg-type]
    assert (job.name, job.args, job.kwargs) == ("ask", ("When?",), {"session": 3})  # type: ignore[attr-defined]


@pytest.mark.parametrize("arguments", [{}, {"question": "When?", "sesion": 3}])
def test_a_call_that_the_real_operation_does_not_take_raises_an_error(arguments: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        operations.ask(object(), **arguments)  # type: ignore[arg-type]


def test_an_operation_that_does_not_exist_raises_an_error() -> None:
    with pytest.raises(AttributeError):
        operations.answer_everything  # noqa: B018
