"""Search in dense tables and long reports: page recall@5 and @10, MRR@10, and the rank of the right document.

    python tests/benchmarks/long_reports.py [--data DIR] [--sets NAME...] [--ways NAME...] [--folder FOLDER]

"reports": documents of the data with realistic names, all in one library; the questions of long_reports.jsonl were
written for this benchmark, each with the page that answers it. "filings": annual reports that differ little apart from
the file's name (filings.py). With --folder, documents and questions are only written there, in the format that the
benchmark of other programs reads.
"""

import argparse
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
from benchmark_library import DEFAULT_DATA, Library, default_embedder, library_of_documents
from filings import write_filings

from workbench.embedding.base import Embedder
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.parsing.parse import parse_file

Asked: TypeAlias = list[tuple[str, set[tuple[str, int]]]]
"""Questions, each with the pages (name, number) that answer it."""

QUESTIONS = Path(__file__).with_suffix(".jsonl")

# File of the data -> its name in the library. Files without a question serve as distractors.
DOCUMENTS = {
    "pdf_varied/long/qpdf__deterministic-id-in.pdf": "qpdf-manual-5.1.3.pdf",
    "pdf_varied/long/format-corpus__test_fontArialNotEmbedded.pdf": "KB_2009_PDF_preservation_risks.pdf",
    "pdf_varied/paper_twocol/tika__testPDF_bad_page_303226.pdf": "DEA_controlled_substances_2000.pdf",
    "parse_truth/tabula/us-007.pdf": "IRS_Notice_1036_2011.pdf",
    "parse_truth/tabula/spanning_cells.pdf": "EPA_datacenter_report.pdf",
    "pdf_varied/plain/markitdown__REPAIR-2022-INV-001_multipage.pdf": "REPAIR-2022-INV-001.pdf",
    "pdf_varied/plain/markitdown__SPARSE-2024-INV-1234_borderless_table.pdf": "Inventory_report_2024.pdf",
    "pdf_varied/plain/markitdown__movie-theater-booking-2024.pdf": "movie-theater-booking-2024.pdf",
    "parse_truth/tabula/jpeg2000.pdf": "Chambers_County_election_2016.pdf",
    "parse_truth/tabula/20.pdf": "Sumas_River_survey.pdf",
    "parse_truth/tabula/frx_2012_disclosure.pdf": "Forest_Laboratories_2012_disclosure.pdf",
    "parse_truth/tabula/npe_issue_206.pdf": "Hexagon V62 manual.pdf",
    "pdf_varied/cjk/pypdf__issue-914-xmp-data.pdf": "商品清单.pdf",
    "office/markitdown/RECEIPT-2024-TXN-98765_retail_purchase.pdf": "TechMart-receipt-2024.pdf",
    "parse_truth/tabula/eu-002.pdf": "School_projects_evaluation.pdf",
    "parse_truth/tabula/m27.pdf": "Oklahoma_licenses_2014.pdf",
    "parse_truth/tabula/sort_exception.pdf": "Nanotechnology_societal_implications.pdf",
    "parse_truth/tabula/indictb1h_14.pdf": "national-accounts-2014.pdf",
    "pdf_varied/tables/markitdown__test.pdf": "multi-agent-paper.pdf",
    "pdf_varied/plain/tika__testPDF_XFA_govdocs1_258578.pdf": "park-rangers-2009.pdf",
    "generated/page_truth/book0_en.pdf": "articles-1.pdf",
    "generated/page_truth/book1_en.pdf": "articles-2.pdf",
    "generated/page_truth/book0_zh.pdf": "文章1.pdf",
    "generated/page_truth/book1_zh.pdf": "文章2.pdf",
}

_PLAIN = {"reranking": "none", "names": False, "parts": False}
WAYS = {
    "dense": SearchConfiguration(SearchMode.DENSE, **_PLAIN),
    "keyword": SearchConfiguration(SearchMode.KEYWORD, **_PLAIN),
    "fused": SearchConfiguration(**_PLAIN),
    "names": SearchConfiguration(reranking="none", parts=False),
    "reranked": SearchConfiguration(names=False, parts=False),
    "all": SearchConfiguration(),
}


@dataclass
class Figures:
    """Results of one search configuration, one number per question."""

    first_five: list[bool] = field(default_factory=list)
    first_ten: list[bool] = field(default_factory=list)
    reciprocal: list[float] = field(default_factory=list)
    document: list[bool] = field(default_factory=list)

    def add(self, order: list[tuple[str, int]], gold: set[tuple[str, int]]) -> None:
        """Record the result of one question."""
        place = next((number for number, page in enumerate(order[:10], start=1) if page in gold), 0)
        self.first_five.append(0 < place <= 5)
        self.first_ten.append(place > 0)
        self.reciprocal.append(1 / place if place else 0.0)
        self.document.append(bool(order) and order[0][0] in {name for name, _ in gold})


def main() -> None:
    """Print a table for each set, or write the sets into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--sets", nargs="*", default=["reports", "filings"], choices=["reports", "filings"])
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--backend", default="fp32", help='or "int8", or "auto" for what the program chooses here')
    parser.add_argument("--folder", type=Path, help="write documents and questions there, for another program")
    parser.add_argument("--missed", action="store_true", help="print each question that the last way has not in ten")
    options = parser.parse_args()
    for name in options.sets:
        with TemporaryDirectory() as temporary:
            folder = options.folder / name if options.folder else Path(temporary)
            asked = written(name, options.data, folder)
            if not options.folder:
                print(f"\n| {name} | page recall@5 | @10 | MRR@10 | first in right document |\n|---|---|---|---|---|")
                _print(folder, asked, options.ways, default_embedder(options.backend), with_missed=options.missed)


def _print(folder: Path, asked: Asked, ways: list[str], embedder: Embedder, *, with_missed: bool) -> None:
    parsed = {path.name: parse_file(path) for path in sorted(folder.glob("*.pdf"))}
    missed: list[str] = []
    with library_of_documents(parsed, embedder, are_named=True) as library:
        for name in ways:
            figures, missed = measured(library, WAYS[name], asked)
            columns = (figures.first_five, figures.first_ten, figures.reciprocal, figures.document)
            print(f"| {name} | " + " | ".join(f"{np.mean(column):.3f}" for column in columns) + " |", flush=True)
    if with_missed:
        print("\n".join(missed))


def written(name: str, data: Path, folder: Path) -> Asked:
    """Write the documents of a set and its questions in the format of the other benchmarks; return the questions."""
    folder.mkdir(parents=True, exist_ok=True)
    if name == "filings":
        asked = [(one.text, {(one.name, one.page)}) for one in write_filings(folder)]
    else:
        asked = questions()
        for file, called in DOCUMENTS.items():
            shutil.copyfile(data / file, folder / called)
    rows = [
        {"question": question, "gold": [[Path(called).stem, page] for called, page in sorted(gold)]}
        for question, gold in asked
    ]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (folder / "questions.jsonl").write_text("".join(lines), "utf-8")
    return asked


def questions() -> Asked:
    """Return each question about the reports with the pages that answer it."""
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    return [(row["question"], {(DOCUMENTS[row["file"]], page) for page in row["pages"]}) for row in rows]


def measured(library: Library, way: SearchConfiguration, asked: Asked) -> tuple[Figures, list[str]]:
    """Return the figures of one search configuration, and the questions that it missed."""
    figures = Figures()
    missed = []
    for question, gold in asked:
        hits = library.retriever.search(question, k=30, configuration=way).hits
        order = list(dict.fromkeys((hit.document_name, hit.page or 0) for hit in hits))
        figures.add(order, gold)
        if not figures.first_ten[-1]:
            missed.append(f"{question} {gold}, first {order[:3]}")
    return figures, missed


if __name__ == "__main__":
    main()
