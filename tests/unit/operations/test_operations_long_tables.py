"""A table far longer than the embedder's window: a question about one row finds the row with its column heads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.operations import Library
from workbench.worker.job import Operation

ROWS = [f"| Station {number} | {number * 7 % 97} | {number * 13 % 89} |" for number in range(1, 301)]
TABLE = "\n".join(["| Station | Depth | Salinity |", "| --- | --- | --- |", *ROWS])
REPORT = f"""# Survey

The survey was made by boat in spring.

## Soundings of the outer bay

The following table gives depths in metres and salinity in grams per kilogram:

{TABLE}
"""


def test_a_row_in_the_middle_of_300_is_found_with_the_tables_title_its_units_and_its_column_heads(
    library: Library, run: Callable[[Operation[Any]], Any], tmp_path: Path
) -> None:
    (tmp_path / "survey.md").write_text(REPORT, "utf-8")
    (tmp_path / "log.md").write_text("# Log\n\nThe boat stopped at a station to refuel.\n", "utf-8")
    run(operations.add_documents(library, [tmp_path]))
    hit = run(operations.search(library, "What is the depth at Station 150?")).hits[0]
    told = "\n".join((*hit.chunk.headings, hit.chunk.text))
    assert ROWS[149] in hit.chunk.text
    for said in ("Soundings of the outer bay", "depths in metres and salinity in grams", "Station | Depth | Salinity"):
        assert said in told
