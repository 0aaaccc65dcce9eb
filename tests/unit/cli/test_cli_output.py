"""Output of the command line: valid JSON for any text, results on stdout, sentences on stderr."""

import json
import os

import pytest

from workbench.cli.output import Output, printable
from workbench.errors import MissingFile


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("港口 😀 \u202e", "港口 😀 \u202e"),
        (os.fsdecode(b"caf\xe9"), "caf\ufffd"),
        ("half \ud800 a", "half \ufffd a"),
        ("two halves \ud83d\ude00", "two halves 😀"),
        ("", ""),
    ],
)
def test_text_without_a_utf_8_form_is_shown_as_a_replacement_character(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_record_is_printed_on_one_line_for_any_content(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"path": "a\nb\u2028c\"d'\x00\ud800"}
    Output(json=True).record(record, "words")
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"path": "a\nb\u2028c\"d'\x00\ufffd"}


def test_an_error_is_a_sentence_on_stderr_and_a_record_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    error = MissingFile("“x” does not exist.", "Check the spelling.")
    Output(json=False).error(error)
    Output(json=True).error(error)
    captured = capsys.readouterr()
    assert captured.err.splitlines() == ["“x” does not exist. Check the spelling."] * 2
    assert json.loads(captured.out) == {
        "error": "“x” does not exist.", "hint": "Check the spelling.", "kind": "MissingFile",
    }  # fmt: skip


@pytest.mark.parametrize(
    "hostile", ["\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\x1b]52;c;eA==\x07", "\u202e", "a\rb", "\b\x7f"]
)
def test_printed_output_contains_no_terminal_control_characters(
    hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for output in (Output(json=False), Output(json=True)):
        output.record({"name": hostile}, hostile)
        output.words(hostile)
        output.note(hostile)
    captured = capsys.readouterr()
    printed = captured.out + captured.err
    assert all(character.isprintable() for character in printed.replace("\n", ""))
    assert json.loads(captured.out.splitlines()[-1]) == {"name": hostile}
