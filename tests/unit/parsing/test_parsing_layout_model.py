"""Layout model: small memory use, and idle CPU cores for others."""

import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

LOOKED_AT = """
import sys
import numpy, onnxruntime, psutil
from pathlib import Path
from workbench.parsing.pdf_table_model import layout_model
from workbench.parsing.mupdf import mupdf
from workbench.worker.process_memory import release_memory, reduce_memory_use
reduce_memory_use()
process, page = psutil.Process(), mupdf().open(sys.argv[1])[0]
threads = process.num_threads()
model = layout_model()
threads = process.num_threads() - threads
release_memory()
loaded = process.memory_info().rss
groups = model.groups(page)
release_memory()
print(len(groups), threads, (process.memory_info().rss - loaded) // 1_000_000)
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    with pymupdf.open() as pdf:
        for row in range(12):
            place = (60, 60 + 14 * row)
            (pdf[0] if row else pdf.new_page()).insert_text(
                place, "The ferry stayed in port for the winter.", fontsize=10
            )
        pdf.save(tmp_path / "page.pdf")
    return tmp_path / "page.pdf"


@pytest.mark.skipif(sys.platform != "linux", reason="what was freed is given back at once there")
def test_the_layout_model_keeps_nothing_of_a_page_and_starts_no_threads(page: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LOOKED_AT, str(page)], capture_output=True, text=True, check=True)
    groups, threads, kept = done.stdout.split()
    assert int(groups) > 0
    assert int(threads) == 0
    assert int(kept) < 40, "its maps of the page's picture alone take 62 MB"
