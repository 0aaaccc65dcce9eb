"""Line numbers of a long file in the text of its parts: those of an editor or “grep -n” in the whole file."""

import csv
import io
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from workbench.model.document import ParsedDocument
from workbench.model.source_lines import LineSpan
from workbench.parsing import long_file_lines, long_files
from workbench.parsing.long_files import divide, write_part
from workbench.parsing.parse import parse_file


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide files into parts of 1,000 bytes, read 300 at a time."""
    monkeypatch.setattr(long_files, "PART", 1000)
    monkeypatch.setattr(long_files, "_NEAR", 400)
    monkeypatch.setattr(long_files, "PIECE", 300)
    monkeypatch.setattr(long_file_lines, "PIECE", 300)
    monkeypatch.setattr("workbench.parsing.rst_parser._MOST_CHARACTERS", 300)


def _parts(tmp_path: Path, name: str, data: bytes) -> Iterator[ParsedDocument]:
    """Yield the documents of the parts of a file; several at least."""
    path = tmp_path / name
    path.write_bytes(data)
    division = divide(path, name)
    assert len(division.parts) > 3
    for part in division.parts:
        target = tmp_path / part.name
        write_part(path, division, part, target)
        yield parse_file(target)


def _line_of(document: ParsedDocument, word: str) -> LineSpan | None:
    start = document.text.index(word)
    return document.lines.unpacked.span(start, start + len(word))


def _found(tmp_path: Path, name: str, data: bytes, words: list[str]) -> list[int | None]:
    """Return the line or row of each word, None if it is in no part or in several."""
    seen: dict[str, list[int | None]] = {word: [] for word in words}
    for document in _parts(tmp_path, name, data):
        for word in words:
            if word in document.text:
                span = _line_of(document, word)
                seen[word].append(span.first if span is not None and span.first == span.last else None)
    return [numbers[0] if len(numbers) == 1 else None for numbers in seen.values()]


@pytest.mark.parametrize(
    ("name", "encoding", "line_end"),
    [
        *(("a.txt", "utf-8", line_end) for line_end in ("\n", "\r\n", "\r")),
        *(("a.log", encoding, "\r\n") for encoding in ("utf-16", "gb18030", "cp1252")),
        *((name, "utf-8", "\n") for name in ("a.py", "a.md", "a.rst")),
    ],
)
def test_a_word_in_a_part_of_a_file_has_its_line_number_in_the_whole_file(
    tmp_path: Path, name: str, encoding: str, line_end: str
) -> None:
    ferry = "渡轮在码头" if encoding == "gb18030" else "Fähre über möglich größer"
    lines = [f"{ferry} word{number}x" + (line_end * (number % 3)) for number in range(300)]
    data = line_end.join(lines).encode(encoding)
    whole = line_end.join(lines).split(line_end)
    right = [next(at for at, line in enumerate(whole, 1) if f"word{number}x" in line) for number in range(300)]
    assert _found(tmp_path, name, data, [f"word{number}x" for number in range(300)]) == right


def test_a_carriage_return_within_a_line_ends_none(tmp_path: Path) -> None:
    lines = [f"{number % 7 * 10} %\r{number % 7 * 20} %\rdone word{number}x" for number in range(300)]
    found = _found(tmp_path, "a.log", "\n".join(lines).encode(), [f"word{number}x" for number in range(300)])
    assert found == list(range(1, 301))


def test_a_line_longer_than_a_part_has_one_number(tmp_path: Path) -> None:
    data = ("first\n" + " ".join(f"word{number}x" for number in range(900)) + "\nlast").encode()
    assert set(_found(tmp_path, "a.txt", data, [f"word{number}x" for number in range(900)])) == {2}


def test_tables_and_front_matter_of_markdown_leave_the_lines_right(tmp_path: Path) -> None:
    table = "<table><tr><th>a</th></tr>\n<tr><td>b</td></tr>\n<tr><td>c</td></tr></table>"
    lines = "\n".join(["---\ntitle: Log\n---", *(f"word{number}x\n\n{table}\n" for number in range(60))]).split("\n")
    right = [number for number, line in enumerate(lines, 1) if line.startswith("word")]
    data = "\n".join(lines).encode()
    assert _found(tmp_path, "a.md", data, [f"word{number}x" for number in range(60)]) == right


@pytest.mark.parametrize("above", ["", "Catch of the year\n", "Catch\nof all harbours\n", "sep=,\n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_word_in_a_part_of_a_table_has_its_row_number_in_the_whole_file(
    tmp_path: Path, above: str, line_end: str
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number in range(300):
        writer.writerow([number, f"word{number}x", "two\nlines" if number % 10 == 3 else "one"])
        out.write("\n" if number % 50 == 7 else "")
    text = f"{above}id,word,note\n{out.getvalue()}"
    rows = enumerate(csv.reader(io.StringIO(text)), 1)
    right = {row[1]: number for number, row in rows if len(row) > 1}
    words = [f"word{number}x" for number in range(300)]
    data = text.replace("\n", line_end).encode("utf-16")
    assert _found(tmp_path, "a.csv", data, words) == [right[word] for word in words]


def test_a_block_of_a_table_has_the_rows_below_its_repeated_head(tmp_path: Path) -> None:
    rows = "".join(f"{number},word{number}x,{'fish' * 4}\n" for number in range(300))
    documents = list(_parts(tmp_path, "a.csv", f"id,word,note\n{rows}".encode()))
    assert len(documents) > 1
    for document in documents:
        lines = document.lines.unpacked
        spans = [lines.span(block.start, block.end) for block in document.blocks]
        assert all(before.last + 1 == after.first for before, after in pairwise(spans))


RECORDS = {
    "a record each": lambda number: {"title": f"word{number}x", "body": {"text": "fish " * 4, "more": {"a": [1, 2]}}},
    "rows of a table": lambda number: {"id": number, "word": f"word{number}x"},
    "plain values": lambda number: f"word{number}x" + " fish" * (80 if number % 20 == 3 else 1),
    "mixed": lambda number: (
        f"word{number}x" if number % 3 else {"title": f"word{number}x", "rows": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]}
    ),
}


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("kind", RECORDS)
def test_a_word_in_a_record_has_its_line_number_in_the_whole_file(
    tmp_path: Path, kind: str, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if many:
        monkeypatch.setattr("workbench.parsing.json_parser._MOST_RECORDS", 3)
    lines: list[str] = []
    right = []
    for number in range(300):
        lines += [""] * (number % 5 == 1) + [json.dumps(RECORDS[kind](number))]
        right.append(len(lines))
    data = "\r\n".join(lines).encode()
    assert _found(tmp_path, "a.jsonl", data, [f"word{number}x" for number in range(300)]) == right


def test_a_whole_file_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    assert not parse_file(path).lines
