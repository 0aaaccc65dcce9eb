"""Exceptions in the log: by type and place, with messages only if they cannot contain private data."""

import os
import sqlite3

import pytest

from workbench.errors import LibraryUnwritable, ModelFailed, RetrieverFailed
from workbench.logs import trace
from workbench.logs.formatting import summary
from workbench.logs.redaction import in_code, named, shortened, without_names

SECRET = "Frau Amsel wird entlassen"


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001
        return caught


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        KeyError(SECRET),
        RuntimeError(SECRET),
        TypeError(SECRET),
        sqlite3.OperationalError(f'fts5: syntax error near "{SECRET}"'),
        UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
        ModelFailed(f"The server failed: {SECRET}", SECRET),
        LibraryUnwritable(f"“{SECRET}” cannot be read: {SECRET}"),
        ExceptionGroup(SECRET, [ValueError(SECRET)]),
    ],
)
def test_a_trace_contains_no_text_that_the_exception_quotes(error: BaseException) -> None:
    told = trace(raised(error))
    assert SECRET not in told
    assert type(error).__name__ in told
    assert "test_logs_traces.py" in told


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AttributeError("'NoneType' object has no attribute 'text'"), "no attribute 'text'"),
        (TypeError("f() missing 1 required positional argument: 'x'"), "missing 1 required"),
        (RuntimeError("Internal C++ object (PySide6.QtWidgets.QLabel) already deleted."), "already deleted"),
        (OSError(28, "No space left on device"), "[28] No space left"),
        (RetrieverFailed("The retriever “a” failed: KeyError in b.py, line 3.", kind="KeyError"), "b.py, line 3"),
    ],
)
def test_exception_messages_that_cannot_contain_private_data_are_logged(error: BaseException, words: str) -> None:
    assert words in summary(error)


def test_the_file_of_a_system_error_is_logged_by_name_and_omitted_from_a_report() -> None:
    told = summary(FileNotFoundError(2, "No such file", "/home/ada/letters/kündigung.pdf"))
    assert "kündigung" in told
    assert without_names(told) == "FileNotFoundError: [2] No such file ‹….pdf›"


def test_the_cause_of_an_exception_comes_before_it_in_a_trace() -> None:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ValueError(SECRET) from error
    except ValueError as error:
        lines = trace(error).splitlines()
    kept = [line for line in lines if not line.startswith("  ")]
    assert kept == ["KeyError", "which was the cause of:", "ValueError"]


def test_an_endless_recursion_is_counted_not_listed() -> None:
    def again() -> None:
        again()

    with pytest.raises(RecursionError) as caught:
        again()
    told = trace(caught.value)
    assert "times)" in told
    assert len(told.splitlines()) < 10


def test_the_user_and_the_users_folder_are_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.logs import redaction

    monkeypatch.setenv("HOME", "/home/ada.lovelace")
    monkeypatch.setenv("USERPROFILE", "/home/ada.lovelace")
    monkeypatch.setenv("USER", "ada.lovelace")
    redaction._private.cache_clear()
    try:
        assert shortened("/home/ada.lovelace/papers/x.pdf") == "~/papers/x.pdf"
        assert shortened("/media/ada.lovelace/stick/x.pdf") == "/media/user/stick/x.pdf"
        assert shortened("/home/ada.lovelacex/papers") == "/home/ada.lovelacex/papers"
    finally:
        redaction._private.cache_clear()


def test_lines_of_code_are_named_without_where_they_are_installed() -> None:
    assert in_code(trace.__code__.co_filename) == "workbench/logs/formatting.py"
    assert in_code("/home/ada/.venv/lib/python3.11/site-packages/httpx2/a.py") == "httpx2/a.py"
    assert in_code(os.__file__) == "os.py"
    assert in_code("C:\\Users\\ada\\my_retriever.py") == "my_retriever.py"


def test_a_name_cannot_end_its_quotation_or_its_line() -> None:
    assert named("a› ERROR\nb") == "‹a> ERROR b›"
    assert without_names(f"reading {named('a›b.docx')} failed") == "reading ‹….docx› failed"
