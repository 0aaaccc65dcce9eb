"""Fit and measure the certainty of an answer: reliability, and shares found, hedged and refused by circumstance.

    python tests/benchmarks/certainty.py [--data DIR] [--libraries DIR] [--evidence FILE] [--questions N]

Two groups with equal weight: "real" (the reports and filings of the data, read from their PDFs into libraries kept in
--libraries) and "old" (sets similar to SQuAD, one document per paragraph). Each question is asked with its answer
available, and without it: without its paragraph, its article or its document, in another language, of other reports, or
as a question that the documents do not answer. The features of each ranking are stored in --evidence; if the file
exists, only the fit is repeated, which takes seconds.

The coefficients are fitted by logistic regression with 5-fold cross-validation over documents and articles; every share
and bin below is of questions whose document was not used for the fit. The last lines are the coefficients of a fit on
everything, for workbench/retrieval/relevance.py.
"""

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from benchmark_library import DEFAULT_DATA, default_embedder, library_of, loaders, sample
from numpy.typing import NDArray
from offline_answers import RememberingEmbedder, article
from refusals import SETS

import workbench
from workbench.embedding.base import Embedder
from workbench.operations import Library
from workbench.retrieval import relevance
from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.question_words import question_words, shorten_question
from workbench.retrieval.relevance import search_features
from workbench.retrieval.retriever import Retriever
from workbench.store.keywords import KeywordIndex

Row: TypeAlias = dict[str, Any]
"""Columns of a row: group, set, circumstance, answer (whether it is available), document, by (with vectors or by
words), and the features of the ranking and of the search."""

REAL = ("filings", "reports")
PRESENT = "answered there"
FOLDS = 5
# In units of the weight of one question: keeps redundant features from growing against each other.
RIDGE = 3.0
FIXED = {"near": 0.05}
"""Coefficients that are not fitted: a free one is -0.10, by which a further word of the question in the sentence would
lower the certainty; the loss is the same (0.4440 instead of 0.4438)."""
_SMALL = 10
"""Paragraphs of a small library: documents of one person, where the best passage is easily the best by chance."""


def main() -> None:
    """Print the tables and the coefficients."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--libraries", type=Path, default=Path("/tmp/workbench-real"), help="kept between runs")
    parser.add_argument("--evidence", type=Path, help="read where it is there, else written")
    parser.add_argument("--questions", type=int, default=160, help="sample size of each old set")
    options = parser.parse_args()
    if options.evidence is not None and options.evidence.exists():
        rows = [json.loads(line) for line in options.evidence.read_text("utf-8").splitlines()]
    else:
        rows = [*_real_rows(options.data, options.libraries), *_old_rows(options.data, options.questions)]
        if options.evidence is not None:
            options.evidence.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    answer, search = (_held_out(rows, key) for key in ("features", "search"))
    _print_levels(rows, answer, search)
    _print_reliability(rows, answer)
    for title, key in (("ANSWER_COEFFICIENTS", "features"), ("SEARCH_COEFFICIENTS", "search")):
        print(f"\n{title} = {{")
        fitted = _fitted(_features(rows, key), _answers(rows), _weights(rows), _fixed(rows, key))
        for name, value in zip(rows[0][key], fitted, strict=True):
            print(f'    "{name}": {value:.2f},')
        print("}")


def _features(rows: Sequence[Row], key: str) -> NDArray[np.float64]:
    return np.array([[row[key][name] for name in rows[0][key]] for row in rows])


def _answers(rows: Sequence[Row]) -> NDArray[np.float64]:
    return np.array([row["answer"] for row in rows], float)


class Questioner:
    """Asks questions of one library, with vectors and, on the same passages, by words alone."""

    def __init__(self, retriever: Retriever, ranker: SentenceRanker, keywords: KeywordIndex) -> None:
        self._retriever = retriever
        self._keywords = keywords
        self._rankers = {"meaning": ranker, "words": SentenceRanker(None, keywords)}

    def rows(self, question: str, about: Row) -> Iterator[Row]:
        """Yield a row for each ranking that had candidates."""
        hits = self._retriever.search(question, k=10).hits
        words = question_words(shorten_question(question), self._keywords)
        search = search_features(
            max((hit.scores.relevance for hit in hits), default=0.0),
            words=len(words.weights),
            pairs=words.pairs,
            asks_for_stranger=words.asks_for_stranger,
        )
        passages = [(hit.rank, hit.chunk.text) for hit in hits]
        # As the offline answerer receives them; the paragraphs of the old sets have no title.
        above = {
            hit.rank: f"{hit.document_title or hit.document_name} {' > '.join(hit.chunk.headings)}" for hit in hits
        }
        for by, ranker in self._rankers.items():
            ranking = ranker.rank(question, passages, headings=above if about["group"] == "real" else {})
            if ranking.features:
                yield about | {"by": by, "features": ranking.features, "search": search}


def _real_rows(data: Path, libraries: Path) -> Iterator[Row]:
    for name in REAL:
        folder = libraries / name
        if not folder.exists():
            with workbench.open_library(folder) as made:
                made.add([data / "real" / name / "pdfs"])
        library = Library.open(folder)
        try:
            yield from _asked_of_real(name, data, library)
        finally:
            library.close()


def _asked_of_real(name: str, data: Path, library: Library) -> Iterator[Row]:
    models = library.models
    ranker = SentenceRanker(models.embedder_or_none(), library.keywords, similarity=models.sentence_similarity())
    asker = Questioner(models.retriever(), ranker, library.keywords)
    ids = {Path(document.name).stem: document.id for document in library.documents.list()}
    for asked_of in REAL:
        for line in (data / "real" / asked_of / "questions.jsonl").read_text("utf-8").splitlines():
            asked = json.loads(line)
            gold = sorted({document for document, _page in asked["gold"]})
            about = {"group": "real", "set": name, "document": asked.get("document") or gold[0]}
            question = asked["question"]
            if asked_of != name:
                yield from asker.rows(question, about | {"circumstance": "of other reports", "answer": False})
                continue
            yield from asker.rows(
                question, about | {"circumstance": PRESENT if gold else "not answerable", "answer": bool(gold)}
            )
            if gold:
                library.documents.mark_removed([ids[document] for document in gold])
                yield from asker.rows(question, about | {"circumstance": "document gone", "answer": False})
                library.documents.restore([ids[document] for document in gold])


def _old_rows(data: Path, size: int) -> Iterator[Row]:
    found = loaders(data)
    embedder = RememberingEmbedder(default_embedder("auto"))
    for name in SETS:
        yield from _asked_of_old(name, found, embedder, size)


def _asked_of_old(name: str, data: ModuleType, embedder: Embedder, size: int) -> Iterator[Row]:
    kind, _, language = name.partition("_")
    paragraphs, questions, gold, _ = getattr(data, kind)(*([language] if language else []))
    chosen = sample(list(questions), size, seed=5)
    articles = {key: article(next(iter(gold[key]))) for key in chosen}

    def about(circumstance: str, document: str, *, answer: bool = False) -> Row:
        return {"group": "old", "set": name, "circumstance": circumstance, "answer": answer, "document": document}

    with library_of(paragraphs, embedder) as library:
        asker = Questioner(library.retriever, library.ranker, library.keywords)
        for key in chosen:
            yield from asker.rows(questions[key], about(PRESENT, articles[key], answer=True))
            library.forget(set(gold[key]))
            yield from asker.rows(questions[key], about("paragraph gone", articles[key]))
            library.bring_back()
        for key, question in _sampled(data.xquad(SETS[name])[1], size // 2):
            yield from asker.rows(question, about("other language", key))
        if name == "squad2":
            article_of = {text: article(key) for key, text in paragraphs.items()}
            for _, question, text in sample(data.squad2_unanswerable(), size, seed=5):
                yield from asker.rows(question, about("not answerable", article_of[text]))
    every = sorted({article(paragraph) for paragraph in paragraphs})
    for away in (set(every[part::4]) for part in range(4)):
        kept = {key: text for key, text in paragraphs.items() if article(key) not in away}
        with library_of(kept, embedder) as library:
            asker = Questioner(library.retriever, library.ranker, library.keywords)
            for key in chosen:
                if articles[key] in away:
                    yield from asker.rows(questions[key], about("article gone", articles[key]))
    for part in range(4):
        own = dict(_sampled({key: key for key in chosen}, 30 * (part + 1))[-_SMALL:])
        kept = {next(iter(gold[key])): paragraphs[next(iter(gold[key]))] for key in own}
        there = {article(paragraph) for paragraph in kept}
        with library_of(kept, embedder) as library:
            asker = Questioner(library.retriever, library.ranker, library.keywords)
            for key in own:
                yield from asker.rows(
                    questions[key], about("answered there, small library", articles[key], answer=True)
                )
            for key in [key for key in chosen if articles[key] not in there][:_SMALL]:
                yield from asker.rows(questions[key], about("article gone, small library", articles[key]))
    yield from _asked_of_topics(name, data, embedder, size)


def _asked_of_topics(name: str, data: ModuleType, embedder: Embedder, size: int) -> Iterator[Row]:
    """Ask about the subject of small libraries, each with half of the paragraphs of one article, ten at most."""
    kind, _, language = name.partition("_")
    paragraphs, questions, gold, _ = getattr(data, kind)(*([language] if language else []))
    own_paragraphs, own_questions = defaultdict(list), defaultdict(list)
    for paragraph in paragraphs:
        own_paragraphs[article(paragraph)].append(paragraph)
    for key, paragraph in ((key, next(iter(found))) for key, found in gold.items()):
        own_questions[paragraph].append((questions[key], "answered there"))
    if name == "squad2":
        name_of = {text: paragraph for paragraph, text in paragraphs.items()}
        for _, question, text in data.squad2_unanswerable():
            own_questions[name_of[text]].append((question, "not answerable"))
    for of_article in sample(sorted(own_paragraphs), size // 8, seed=5):
        own = own_paragraphs[of_article]
        kept = own[::2][:_SMALL]
        asked = [one for paragraph in kept for one in own_questions[paragraph]]
        asked += [(question, "paragraph gone") for one in own[1::2] for question, _ in own_questions[one]]
        with library_of({paragraph: paragraphs[paragraph] for paragraph in kept}, embedder) as library:
            asker = Questioner(library.retriever, library.ranker, library.keywords)
            for circumstance in ("answered there", "not answerable", "paragraph gone"):
                about = {
                    "group": "old",
                    "set": name,
                    "circumstance": f"{circumstance}, one topic",
                    "answer": circumstance == "answered there",
                    "document": of_article,
                }
                for question, _ in sample([one for one in asked if one[1] == circumstance], 6, seed=5):
                    yield from asker.rows(question, about)


def _sampled(texts: dict[str, str], size: int) -> list[tuple[str, str]]:
    return [(key, texts[key]) for key in sample(list(texts), size, seed=5)]


def _weights(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Return a weight per row: groups have equal weight, and so have answered and unanswered rows in each."""
    kinds: dict[tuple[Any, ...], dict[tuple[Any, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, row in enumerate(rows):
        kinds[row["group"], row["answer"], row["by"]][row["set"], row["circumstance"]].append(place)
    weights = np.zeros(len(rows))
    for (_group, _answer, by), circumstances in kinds.items():
        for places in circumstances.values():
            weights[places] = (1.0 if by == "meaning" else 0.25) / (len(circumstances) * len(places))
    return weights * len(rows) / weights.sum()


def _fixed(rows: Sequence[Row], key: str) -> dict[int, float]:
    """Return the coefficients that are not fitted, by place."""
    return {place: FIXED[name] for place, name in enumerate(rows[0][key]) if name in FIXED}


def _held_out(rows: Sequence[Row], key: str) -> NDArray[np.float64]:
    """Return the prediction for each row by a fit on the documents and articles of the other folds."""
    features, fixed = _features(rows, key), _fixed(rows, key)
    folds = np.array([zlib.crc32(str(row["document"]).encode()) % FOLDS for row in rows])
    answers, weights, predicted = _answers(rows), _weights(rows), np.zeros(len(rows))
    for fold in range(FOLDS):
        kept, left = folds != fold, folds == fold
        predicted[left] = _logistic(features[left] @ _fitted(features[kept], answers[kept], weights[kept], fixed))
    return predicted


def _fitted(
    features: NDArray[np.float64],
    answers: NDArray[np.float64],
    weights: NDArray[np.float64],
    fixed: Mapping[int, float],
) -> NDArray[np.float64]:
    """Return the coefficients by Newton's method; the ridge penalty excludes the constant."""
    coefficients = np.zeros(features.shape[1])
    coefficients[list(fixed)] = list(fixed.values())
    free = [place for place in range(features.shape[1]) if place not in fixed]
    ridge = np.eye(features.shape[1]) * RIDGE
    ridge[0, 0] = 0.0
    for _ in range(100):
        expected = _logistic(features @ coefficients)
        gradient = features.T @ (weights * (answers - expected)) - ridge @ coefficients
        curvature = (features.T * (weights * expected * (1 - expected))) @ features + ridge
        step = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        coefficients[free] += step
        if np.abs(step).max() < 1e-6:
            break
    return coefficients


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values, -40, 40)))
    return result


def _print_levels(rows: Sequence[Row], answer: NDArray[np.float64], search: NDArray[np.float64]) -> None:
    """Print the shares of questions that are found, hedged and refused, and of which the search is certain."""
    found, closest = relevance.ANSWER_FLOOR, relevance.CLOSEST_FLOOR
    print(f"found from {found}, closest passages from {closest}; search sure from {relevance.SURE_FLOOR}\n")
    print("| set | circumstance | by | questions | found | closest | refused | search not sure |")
    print("|---|---|---|---|---|---|---|---|")
    kinds: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        kinds[row["set"], row["circumstance"], row["by"]].append(place)
    for (name, circumstance, by), places in sorted(kinds.items()):
        sure, unsure = answer[places], (search[places] < relevance.SURE_FLOOR).mean()
        shares = (sure >= found).mean(), ((sure >= closest) & (sure < found)).mean(), (sure < closest).mean()
        listed = " | ".join(f"{share:.2f}" for share in (*shares, unsure))
        print(f"| {name} | {circumstance} | {by} | {len(places)} | {listed} |")


def _print_reliability(rows: Sequence[Row], predicted: NDArray[np.float64]) -> None:
    """Print, by bins of the prediction, how often the answer is available; answered and unanswered weigh the same."""
    weights = _weights(rows)
    for group in ("real", "old"):
        places = np.array([row["group"] == group and row["by"] == "meaning" for row in rows])
        print(f"\n| {group}: predicted | mean | observed | questions |\n|---|---|---|---|")
        expected = 0.0
        for low in np.arange(0.0, 1.0, 0.1):
            inside = places & (predicted >= low) & (predicted < low + 0.1 + (low > 0.85))
            if not inside.any():
                continue
            weight = weights[inside] / weights[inside].sum()
            mean = float(weight @ predicted[inside])
            observed = float(weight @ [row["answer"] for row, kept in zip(rows, inside, strict=True) if kept])
            expected += abs(mean - observed) * weights[inside].sum() / weights[places].sum()
            print(f"| {low:.1f} to {low + 0.1:.1f} | {mean:.2f} | {observed:.2f} | {inside.sum()} |")
        print(f"{group}: expected calibration error {expected:.3f}")


if __name__ == "__main__":
    main()
