"""Fit the weights of the ranking (workbench/retrieval/ranking.json), and measure them on other documents.

usage: python tests/benchmarks/fit_ranking.py --library FOLDER [--data DIR] [--questions N] [--write]

FOLDER contains the libraries of the real sets as real_documents.py creates them with --library. One linear score over
the features of the search and of its reranking (ranking_rows.py) is fitted to real and old sets together; an L2 penalty
on the change of the weights, in units of their size, keeps them near the current ones. The loss is the negative log
likelihood of the answers under a softmax over the candidates; each set has its own weight. Prints figures for the
current weights, and for weights fitted on the other documents (five folds by document, paragraph or text), by strength
of the penalty: recall@10 and MRR@10 of pages on the real sets, nDCG@10 on paragraphs, the share of the evidence in five
passages; each after the boost for neighbours, as the program ranks. --write stores the weights fitted on everything
with --penalty.
"""

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from benchmark_library import DEFAULT_DATA, default_embedder, loaders
from ranking_rows import NAMES, PARAGRAPHS, REAL, Matrix, Row, evidence_rows, paragraph_rows, real_rows
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from workbench.retrieval import ranking
from workbench.retrieval.ranking import ranking_weights

_FOLDS = 5
_PENALTIES = (10.0, 3.0, 1.0, 0.3)
# Weights of the sets: real sets matter most, and large sets must not outweigh small ones.
_COUNTS = {"filings": 3.0, "reports": 2.0, "evidence": 1.5, "xquad_zh": 0.7, "xquad_en": 0.7}
# A weight of 0 may move, too.
_LEAST_SCALE = 0.3
_SHARPNESS = 10.0
_NEIGHBOURS = 2
_AT_AN_END = 0.5

Figures = dict[str, tuple[float, ...]]


def main() -> None:
    """Fit, print, and store if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=300, help="sample size of each old set, 0 for all")
    parser.add_argument("--penalty", type=float, default=10.0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = read(options.library, options.data, options.questions)
    force = in_force()
    report("in force", figures(rows, lambda _: force))
    groups = sorted({(row.set, row.group) for row in rows})
    fold = dict(zip(groups, np.random.RandomState(0).permutation(len(groups)) % _FOLDS, strict=True))
    for penalty in _PENALTIES:
        held_out = [
            fit([row for row in rows if fold[row.set, row.group] != number], force, penalty) for number in range(_FOLDS)
        ]
        report(f"held out, penalty {penalty:g}", figures(rows, partial(_of_fold, held_out, fold)))
    fitted = fit(rows, force, options.penalty)
    print(json.dumps({" ".join(name).strip(): round(float(one), 3) for name, one in zip(NAMES, fitted, strict=True)}))
    if options.write:
        write(fitted)


def _of_fold(weights: Sequence[Matrix], fold: Mapping[tuple[str, str], int], row: Row) -> Matrix:
    """Return the weights that were fitted without the document of each row."""
    return weights[fold[row.set, row.group]]


def read(library: Path, folder: Path, size: int) -> list[Row]:
    """Return the rows of all sets."""
    data, embedder = loaders(folder), default_embedder("auto")
    rows = [row for name in REAL for row in real_rows(name, library, folder)]
    rows += [row for name in PARAGRAPHS for row in paragraph_rows(name, data, size, embedder)]
    return rows + list(evidence_rows(data, size, embedder))


def in_force() -> Matrix:
    """Return the shipped weights, in the order of NAMES."""
    weights = ranking_weights()
    groups = [getattr(weights, group) for group, _ in NAMES]
    return np.array([one[key] if key else one for one, (_, key) in zip(groups, NAMES, strict=True)])


def fit(rows: Sequence[Row], start: Matrix, penalty: float) -> Matrix:
    """Return weights near the start that maximise the likelihood of the answers, on the scale of the start."""
    scale = np.maximum(np.abs(start), _LEAST_SCALE)
    many = {name: sum(row.set == name for row in rows) for name in {row.set for row in rows}}
    shares = [row.answers / row.answers.sum() for row in rows]

    def loss(change: Matrix) -> tuple[float, Matrix]:
        weights, sharpness = start + change[:-1] * scale, np.exp(change[-1])
        total, gradient = 0.0, np.zeros_like(change)
        for row, share in zip(rows, shares, strict=True):
            counts = _COUNTS.get(row.set, 1.0) / many[row.set]
            scores = row.features @ weights + row.located
            slope = softmax(sharpness * scores) - share
            total += counts * float(logsumexp(sharpness * scores) - share @ (sharpness * scores))
            gradient[:-1] += counts * sharpness * (slope @ row.features) * scale
            gradient[-1] += counts * sharpness * float(slope @ scores)
        gradient[:-1] += 2 * penalty * change[:-1]
        return total + penalty * float(change[:-1] @ change[:-1]), gradient

    begin = np.append(np.zeros(len(start)), math.log(_SHARPNESS))
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    weights: Matrix = start + found.x[:-1] * scale
    return weights


def figures(rows: Sequence[Row], weights_of: Callable[[Row], Matrix]) -> Figures:
    """Return the mean figures of each set."""
    return {
        name: tuple(np.mean([_figure(row, _order(row, weights_of(row))) for row in rows if row.set == name], axis=0))
        for name in dict.fromkeys(row.set for row in rows)
    }


def report(title: str, of_sets: Figures) -> None:
    """Print the figures of one set of weights."""
    told = (f"{name} " + " / ".join(f"{one:.3f}" for one in found) for name, found in of_sets.items())
    print(f"{title:24}", "  ".join(told), flush=True)


def _order(row: Row, weights: Matrix) -> list[int]:
    """Return the candidates, best first, with the boost for neighbours of good candidates."""
    scores = row.features @ weights + row.located
    leads = scores - scores.min()
    distance = np.abs(row.ordinals[:, None] - row.ordinals[None])
    near = (row.documents[:, None] == row.documents[None]) & (distance > 0) & (distance <= _NEIGHBOURS)
    beside = np.maximum(np.where(near, leads[None], 0.0).max(axis=1), _AT_AN_END * leads * row.at_ends)
    return list(np.argsort(-(scores + ranking_weights().reranking["neighbours"] * beside), kind="stable"))


def _figure(row: Row, order: Sequence[int]) -> tuple[float, ...]:
    if row.set == "evidence":
        return (float(row.answers[list(order[:5])].sum()),)
    places = list(dict.fromkeys(row.places[place] for place in order))[:10]
    right = {place for place, answer in zip(row.places, row.answers, strict=True) if answer}
    ranks = [rank for rank, place in enumerate(places, start=1) if place in right]
    if row.set in REAL:
        return float(bool(ranks)), 1 / ranks[0] if ranks else 0.0
    most = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, row.wanted) + 1))
    return (sum(1 / math.log2(rank + 1) for rank in ranks) / most,)


def write(weights: Matrix) -> None:
    """Store weights in the file that the program reads."""
    path = Path(ranking.__file__).with_suffix(".json")
    kept = json.loads(path.read_text("utf-8"))
    keyword = np.array([group == "keyword" for group, _ in NAMES])
    weights = np.where(keyword, weights / weights[keyword].sum(), weights)  # shares of one list's weight
    for (group, key), weight in zip(NAMES, weights.round(2).tolist(), strict=True):
        if key:
            kept[group][key] = weight
        else:
            kept[group] = weight
    rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in kept.items())
    path.write_text(f"{{\n{rows}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
