"""Fit the weights of the ranking (workbench/retrieval/ranking.json) and tell what they are worth on other documents.

usage: python tests/benchmarks/fit_ranking.py --library FOLDER [--data DIR] [--sets NAME...] [--write]

FOLDER holds a library a set, as real_documents.py leaves them with --library. A question's candidates and features are
the program's own; a candidate is right when it stands on a page that answers. Weights stay positive and near those in
force (an L2 penalty on their logarithms, since 142 questions cannot settle 8 weights); the loss is the negative log
likelihood of the right pages under a softmax over the candidates. Prints page recall@10 and MRR@10 with the weights in
force, and with weights that were fitted on the other documents (five folds by document), for each strength of the
penalty. --write stores the weights fitted on everything with the penalty given by --penalty.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from real_documents import DATA, SETS, Question, questions
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from workbench.model.filter import EVERYTHING
from workbench.model.hit import SearchMode
from workbench.operations import Library
from workbench.retrieval import ranking
from workbench.retrieval.candidates import CandidateSearch
from workbench.retrieval.lists import Extent, ListSearch
from workbench.retrieval.ranking import Features, ranking_weights
from workbench.store.document_names import NameIndex

_DEPTH = 200
_FOLDS = 5
_PENALTIES = (1.0, 0.3, 0.1, 0.03)
NAMES = (
    ("keyword", "question"), ("keyword", "rest"), ("keyword", "page"), ("dense", ""),
    ("expansions", "chunk"), ("expansions", "page"), ("expansions", "dense"), ("named", ""),
)  # fmt: skip

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One question: its set, its document, float64 [candidates, weights], the pages and which are right."""

    set: str
    document: str
    features: Matrix
    located: NDArray[np.float64]
    pages: list[tuple[str, int]]
    right: NDArray[np.bool_]

    def order(self, weights: Matrix) -> list[tuple[str, int]]:
        """Return the pages in the order of the scores, each once."""
        scores = self.features @ weights + self.located
        return list(dict.fromkeys(self.pages[place] for place in np.argsort(-scores)))


def main() -> None:
    """Fit, print, and store where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--penalty", type=float, default=0.1)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [row for name in options.sets for row in read(options.library / name, options.data / "real" / name, name)]
    force = in_force()
    report("in force", rows, [row.order(force) for row in rows])
    documents = sorted({row.document for row in rows})
    fold = dict(zip(documents, np.random.RandomState(0).permutation(len(documents)) % _FOLDS, strict=True))
    for penalty in _PENALTIES:
        orders: dict[int, list[tuple[str, int]]] = {}
        for number in range(_FOLDS):
            fitted = fit([row for row in rows if fold[row.document] != number], force, penalty)
            orders |= {i: row.order(fitted) for i, row in enumerate(rows) if fold[row.document] == number}
        report(f"held out, penalty {penalty}", rows, [orders[i] for i in range(len(rows))])
    fitted = fit(rows, force, options.penalty)
    print(json.dumps({" ".join(name).strip(): round(float(one), 3) for name, one in zip(NAMES, fitted, strict=True)}))
    if options.write:
        write(fitted)


def read(library: Path, folder: Path, name: str) -> list[Row]:
    """Return a row for each answerable question whose page is among the candidates."""
    opened = Library.open(library)
    try:
        lists = ListSearch(opened.keywords, opened.index(), opened.embedder())
        search = CandidateSearch(lists, opened.keywords, opened.documents, NameIndex(opened.database))
        rows = [_row(opened, search, question, name) for question in questions(folder)]
    finally:
        opened.close()
    return [row for row in rows if row.right.any()]


def _row(library: Library, search: CandidateSearch, question: Question, name: str) -> Row:
    ids, features, share = search.features(question.text, Extent(_DEPTH, SearchMode.HYBRID, EVERYTHING, None))
    stored = library.documents.chunks_by_id(ids)
    pages, right = [], []
    for one in ids:
        chunk, document = stored[one]
        stem = Path(document.path).stem
        held = [(stem, page) for page in range(chunk.page or 0, (chunk.page_end or 0) + 1)]
        found = next((page for page in held if page in question.gold), None)
        pages.append(found or held[0])
        right.append(found is not None)
    located = np.asarray(features.located, np.float64)
    return Row(name, min(question.documents), _matrix(features, share), located, pages, np.array(right))


def _matrix(features: Features, share: float) -> Matrix:
    """Return the columns that the weights of NAMES multiply."""
    by_words = (features.keyword, features.keyword_rest, features.page)
    columns = (
        *((1 - share) * one for one in by_words),
        share * features.dense,
        (1 - share) * features.expansions,
        (1 - share) * features.expansions_page,
        share * features.expansions_dense,
        features.named,
    )
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def in_force() -> Matrix:
    """Return the weights that ship, in the order of NAMES."""
    weights = ranking_weights()
    groups = {"keyword": weights.keyword, "expansions": weights.expansions}
    single = {"dense": weights.dense, "named": weights.named}
    return np.array([groups[group][key] if key else single[group] for group, key in NAMES])


def fit(rows: list[Row], start: Matrix, penalty: float) -> Matrix:
    """Return positive weights near the start that make the right pages likely."""
    before = np.log(start)

    def loss(logs: Matrix) -> tuple[float, Matrix]:
        weights, sharpness = np.exp(logs[:-1]), np.exp(logs[-1])
        total, gradient = 0.0, np.zeros_like(logs)
        for row in rows:
            scores = sharpness * (row.features @ weights + row.located)
            total += logsumexp(scores) - logsumexp(scores[row.right])
            slope = softmax(scores)
            slope[row.right] -= softmax(scores[row.right])
            gradient[:-1] += sharpness * (slope @ row.features) * weights
            gradient[-1] += slope @ scores
        distance = logs[:-1] - before
        gradient = gradient / len(rows)
        gradient[:-1] += 2 * penalty * distance
        return total / len(rows) + penalty * float(distance @ distance), gradient

    found = minimize(loss, np.append(before, 1.0), jac=True, method="L-BFGS-B")
    weights: Matrix = np.exp(found.x[:-1])
    return weights


def report(title: str, rows: list[Row], orders: list[list[tuple[str, int]]]) -> None:
    """Print page recall@10 and MRR@10 of each set."""
    for name in dict.fromkeys(row.set for row in rows):
        places = []
        for row, order in zip(rows, orders, strict=True):
            if row.set == name:
                gold = {page for page, right in zip(row.pages, row.right, strict=True) if right}
                places.append(next(number for number, page in enumerate(order, start=1) if page in gold))
        found = np.array(places)
        print(f"{title:24} {name:10} recall@10 {np.mean(found <= 10):.3f} MRR {np.mean((found <= 10) / found):.3f}")


def write(weights: Matrix) -> None:
    """Store weights where the program reads them."""
    path = Path(ranking.__file__).with_suffix(".json")
    kept = json.loads(path.read_text("utf-8"))
    for (group, key), weight in zip(NAMES, weights.round(2).tolist(), strict=True):
        if key:
            kept[group][key] = weight
        else:
            kept[group] = weight
    path.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
