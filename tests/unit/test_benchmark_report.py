"""Report of the benchmark of real documents: one table per kind of set, and its failures."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def real_documents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import real_documents

    return real_documents


def measured(whole: float) -> dict[str, Any]:
    return {
        "cpu": {"name": "A CPU", "flags": ["avx2"], "cores": 2},
        "real": {"filings": {"questions": 34, "recall5": 0.7, "recall10": 0.9, "recall50": 1.0, "mrr10": 0.5}},
        "peers": {"filings": [{"peer": "chroma", "page_recall5": 0.3, "page_recall10": 0.4, "pages_per_s": 4.7}]},
        "old": {"squad2": {"keyword": 0.9, "both": 0.94, "whole": whole}},
    }


def test_a_report_names_the_cpu_and_has_a_row_for_each_set_and_peer(real_documents: ModuleType) -> None:
    lines = real_documents.markdown(measured(0.95))
    assert lines[0] == "A CPU, 2 cores, avx2"
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}
    assert "0.7 / 0.9 / 1.0" in rows["filings, 34 questions"]
    assert "0.3 / 0.4 / –" in rows["chroma, same files"]
    assert rows["squad2"].endswith("0.950 | – |")
    assert len({line.count("|") for line in lines[2:6]}) == 1, "each row has as many columns as the head"


def test_a_set_that_lost_more_than_half_a_point_fails_the_run(real_documents: ModuleType) -> None:
    before, now = measured(0.955), measured(0.949)
    assert real_documents.losses(now, before) == pytest.approx({"squad2": -0.006})
    assert "| squad2 | 0.900 | 0.940 | 0.949 | -0.006 |" in real_documents.markdown(now, before)
    assert real_documents.losses(measured(0.951), before) == {}
