"""Tables in text files."""

from pathlib import Path

import pytest

from workbench.errors import EmptyDocument
from workbench.model.document import BlockKind, FindingKind, ParsedDocument
from workbench.parsing import csv_parser
from workbench.parsing.csv_parser import CsvParser


def parse(tmp_path: Path, data: str | bytes, name: str = "a.csv") -> ParsedDocument:
    path = tmp_path / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return CsvParser().parse(path)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    rows = (("name", "said"), ("Ada", '"a, b; c"'), ("Bob", "x"))
    text = parse(tmp_path, "\n".join(delimiter.join(row) for row in rows)).text
    assert text.split("\n")[2] == "| Ada | a, b; c |"


def test_titles_above_the_table_are_paragraphs(tmp_path: Path) -> None:
    document = parse(tmp_path, "Ducks 2024,,\nas counted,,\nriver,north,south\nRhine,1,2\nElbe,3,4\n")
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH, BlockKind.TABLE]


def test_quotation_mark_left_open_does_not_swallow_the_rest(tmp_path: Path) -> None:
    assert parse(tmp_path, 'a,b\n5" pipe,1\nc,2\n').text.endswith('| 5" pipe | 1 |\n| c | 2 |')


def test_e6_encoding_is_detected(tmp_path: Path) -> None:
    data = "姓名,城市\n王小明,北京市海淀区\n李四,上海市浦东新区\n".encode("gb18030")
    assert "| 王小明 | 北京市海淀区 |" in parse(tmp_path, data).text


def test_formulas_stay_text_and_bars_are_escaped(tmp_path: Path) -> None:
    assert parse(tmp_path, "a,b\n=1+1,x|y\n").text.endswith("| =1+1 | x\\|y |")


def test_rows_of_uneven_length_are_kept(tmp_path: Path) -> None:
    assert parse(tmp_path, "a,b\n1\n1,2,3\n").text == "| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 | 2 | 3 |"


def test_cells_beyond_the_limit_are_not_read_and_a_warning_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_parser, "MOST_CELLS", 10)
    document = parse(tmp_path, "".join(f"row {number},x\n" for number in range(20)))
    assert "row 5" not in document.text
    assert [finding.kind for finding in document.findings] == [FindingKind.TABLES, FindingKind.TRUNCATED]
    assert document.warnings


def test_file_of_delimiters_is_empty(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument):
        parse(tmp_path, ",,,\n,,,\n")
