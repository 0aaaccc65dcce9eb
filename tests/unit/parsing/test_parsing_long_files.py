"""Files too long for one document: where they are divided, the names of their parts, and that nothing is lost."""

import contextlib
import csv
import io
import mailbox
import random
from pathlib import Path

import pytest

from workbench.errors import DamagedDocument, DocumentTooLarge
from workbench.parsing import long_file_lines, long_files
from workbench.parsing.csv_parser import CsvParser
from workbench.parsing.encoding import decode
from workbench.parsing.long_files import Division, divide, is_long, is_part, write_part


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide files into parts of 1,000 bytes, read 300 at a time."""
    monkeypatch.setattr(long_files, "PART", 1000)
    monkeypatch.setattr(long_files, "LONG", 1500)
    monkeypatch.setattr(long_files, "_NEAR", 400)
    monkeypatch.setattr(long_files, "PIECE", 300)
    monkeypatch.setattr(long_file_lines, "PIECE", 300)
    monkeypatch.setattr(long_file_lines, "_LONGEST_ROW", 700)


def _file(tmp_path: Path, data: bytes, name: str) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def _parts(path: Path) -> tuple[Division, list[str]]:
    """Return the division of a file, and the texts of its parts."""
    division = divide(path, path.name)
    texts = []
    for part in division.parts:
        target = path.with_name("a part")
        write_part(path, division, part, target)
        assert target.stat().st_size == part.file_size
        texts.append(decode(target.read_bytes())[0])
    return division, texts


def _prose(characters: int, words: str = "boat harbour ferry tide pilot quay") -> str:
    chosen = random.Random(1)
    sentences = (" ".join(chosen.choices(words.split(), k=9)) for _ in range(characters // 40))
    return "".join(f"{one}.\n\n" if number % 5 == 4 else f"{one},\n" for number, one in enumerate(sentences))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "gb18030"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_parts_of_a_text_are_the_text(tmp_path: Path, encoding: str, line_end: str) -> None:
    words = (
        "这艘渡轮 在码头 潮水上涨了 我们的船" if encoding == "gb18030" else "Fähre über die Straße möglich größer “Öl”"
    )
    text = _prose(9000, words).replace("\n", line_end)
    division, texts = _parts(_file(tmp_path, text.encode(encoding), "a.txt"))
    assert len(texts) > 4
    assert "".join(texts) == text
    assert all(one.endswith(line_end) for one in texts)
    assert division.count == len(text.splitlines())


def test_text_is_cut_at_a_blank_line_where_one_is_near(tmp_path: Path) -> None:
    _, texts = _parts(_file(tmp_path, _prose(5000).encode(), "a.txt"))
    assert len(texts) > 1
    assert all(one.endswith("\n\n") for one in texts[:-1])


def test_names_of_parts_sort_in_order_and_show_the_line_numbers(tmp_path: Path) -> None:
    division, texts = _parts(_file(tmp_path, b"".join(b"line %d\n" % number for number in range(1, 1001)), "my.log"))
    names = [part.name for part in division.parts]
    lines = [len(one.splitlines()) for one in texts]
    assert names == sorted(names)
    assert names[:2] == [
        f"my, part 001, lines 1 to {lines[0]}.log",
        f"my, part 002, lines {lines[0] + 1} to {lines[0] + lines[1]}.log",
    ]
    assert names[-1].endswith(" to 1,000.log")
    assert all(is_part(tmp_path / "my.log" / name) for name in names)
    assert not is_part(tmp_path / "notes" / names[0])


def test_line_longer_than_a_part_is_cut_between_words(tmp_path: Path) -> None:
    text = " ".join(f"wörd{number}" for number in range(1000))
    _, texts = _parts(_file(tmp_path, text.encode(), "a.txt"))
    assert "".join(texts) == text
    assert all(one.endswith(" ") for one in texts[:-1])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_line_without_a_space_is_cut_between_characters(tmp_path: Path, encoding: str) -> None:
    text = "渡轮在码头，潮水上涨。😀" * 400
    _, texts = _parts(_file(tmp_path, text.encode(encoding), "a.txt"))
    assert len(texts) > 3
    assert "".join(texts) == text


def test_text_added_at_the_end_changes_the_last_parts_only(tmp_path: Path) -> None:
    text = _prose(6000)
    before, _ = _parts(_file(tmp_path, text.encode(), "a.txt"))
    after, _ = _parts(_file(tmp_path, (text + _prose(3000)).encode(), "b.txt"))
    assert [(one.start, one.end) for one in before.parts[:-1]] == [
        (one.start, one.end) for one in after.parts[: len(before.parts) - 1]
    ]


def test_stray_bytes_of_another_encoding_change_no_part(tmp_path: Path) -> None:
    data = ("Müller\n" * 400).encode() + b"M\xfcller\n" + ("Müller\n" * 200).encode()
    _, texts = _parts(_file(tmp_path, data, "a.log"))
    assert "".join(texts) == "Müller\n" * 400 + "M�ller\n" + "Müller\n" * 200


def _rows(text: str, delimiter: str = ",") -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text.replace("\r\n", "\n")), delimiter=delimiter) if row]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_parts_of_a_table_have_its_head_and_its_rows(
    tmp_path: Path, encoding: str, line_end: str, delimiter: str
) -> None:
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(["nö", "said", "then"])
    for number in range(300):
        writer.writerow([number, f'a "{number}",{line_end}; b' if number % 3 else "é", "x\ty" * (number % 4)])
    division, texts = _parts(_file(tmp_path, written.getvalue().encode(encoding), "t.csv"))
    head, *rows = _rows(written.getvalue(), delimiter)
    tables = [_rows(one, delimiter) for one in texts]
    assert len(tables) > 4
    assert all(table[0] == head for table in tables)
    assert [row for table in tables for row in table[1:]] == rows
    assert division.count == 300
    assert division.parts[1].name.startswith(f"t, part 002, rows {len(tables[0])} to ")


def test_table_without_a_last_line_end_keeps_its_last_row(tmp_path: Path) -> None:
    text = "a,b\n" + "\n".join(f"{number},{'x' * 20}" for number in range(200))
    division, texts = _parts(_file(tmp_path, text.encode(), "t.csv"))
    assert (division.count, _rows(texts[-1])[-1][0]) == (200, "199")


def test_titles_and_column_names_are_repeated_at_the_top_of_each_part(tmp_path: Path) -> None:
    text = "sep=;\nDucks 2024;;\nriver;north;south\n" + "Rhine;1;2\n" * 400
    _, texts = _parts(_file(tmp_path, text.encode(), "t.csv"))
    assert len(texts) > 1
    assert all(one.startswith("sep=;\nDucks 2024;;\nriver;north;south\nRhine;1;2\n") for one in texts)


def test_mark_of_inches_ends_no_row(tmp_path: Path) -> None:
    lines = [f'{number}" pipe,"two\nlines, {number}",3 " x' for number in range(200)]
    _, texts = _parts(_file(tmp_path, ("size,note,more\n" + "\n".join(lines) + "\n").encode(), "t.csv"))
    assert len(texts) > 3
    assert [line for one in texts for line in one.split("\n", 1)[1].splitlines()] == "\n".join(lines).split("\n")
    assert all('pipe,"two' in one.split("\n")[1] for one in texts)


def test_quotation_mark_left_open_does_not_swallow_the_rest(tmp_path: Path) -> None:
    text = 'a,b\n"open,1\n' + "c,2\n" * 1000
    _, texts = _parts(_file(tmp_path, text.encode(), "t.csv"))
    assert len(texts) > 3
    assert sum(one.count("c,2\n") for one in texts) == 1000


def test_each_part_of_a_table_is_read_as_one(tmp_path: Path) -> None:
    path = _file(tmp_path, b"name,city\n" + b"Ada,London\n" * 300, "t.csv")
    division = divide(path, path.name)
    write_part(path, division, division.parts[1], tmp_path / "part.csv")
    assert CsvParser().parse(tmp_path / "part.csv").text.startswith("| name | city |\n| --- | --- |\n| Ada | London |")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_mailbox_is_cut_between_messages(tmp_path: Path, line_end: str) -> None:
    one = "From ann@a.org Thu Jan  1 00:00:00 2026\nSubject: Ferry {n}\n\nThe tide is high.\n>From here.\n\n"
    long = one.format(n="long").replace("high.", "high.\n" * 300)
    text = "".join(one.format(n=number) if number != 20 else long for number in range(60)).replace("\n", line_end)
    path = _file(tmp_path, text.encode(), "all.mbox")
    division = divide(path, path.name)
    subjects = []
    for number, part in enumerate(division.parts):
        write_part(path, division, part, tmp_path / f"{number}.mbox")
        with contextlib.closing(mailbox.mbox(tmp_path / f"{number}.mbox", create=False)) as box:
            subjects += [message["Subject"] for message in box]
    assert len(division.parts) > 4
    assert subjects == [f"Ferry {number}" if number != 20 else "Ferry long" for number in range(60)]
    assert division.count == 60


@pytest.mark.parametrize(
    ("name", "divided"),
    [
        ("a.txt", True), ("a.LOG", True), ("a.csv", True), ("a.jsonl", True), ("dump.sql", True), ("README", True),
        ("a.mbox", True), ("a.json", False), ("a.html", False), ("a.pdf", False), ("a.xlsx", False), ("a.zip", False),
    ],
)  # fmt: skip
def test_only_what_stays_a_document_is_divided(name: str, divided: bool) -> None:
    assert is_long(Path("/data", name), 2000) is divided
    assert not is_long(Path("/data", name), 1500)


def test_long_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument):
        divide(_file(tmp_path, bytes(range(256)) * 20, "a.txt"), "a.txt")


def test_file_too_long_even_for_parts_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_files, "MOST_PARTS", 3)
    with pytest.raises(DocumentTooLarge):
        divide(_file(tmp_path, b"word\n" * 1000, "a.txt"), "a.txt")
