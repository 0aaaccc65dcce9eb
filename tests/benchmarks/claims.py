"""Measure the claim check: precision and recall of "unsupported", and the verdicts for each kind of claim.

usage: python tests/benchmarks/claims.py [--data FOLDER] [--questions N] [--sets NAME...] [--half 0|1]

Two claims are made of each question: the sentence that contains the answer, and question and answer combined into a
sentence. Both are supported by the paragraph. Neither is if another answer of the same kind (number, name, other)
replaces the right one, or if another paragraph of the same article is cited. The verdicts were fitted on half 0 of
squad2, cmrc and drcd; xquad was not used.
"""

import argparse
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark_library import DEFAULT_DATA, default_embedder

from workbench.agent.claims.claim_checker import ClaimChecker
from workbench.chunking.sentences import sentence_spans
from workbench.model.chunk import Chunk
from workbench.model.claim import Claim, Verdict
from workbench.model.document import BlockKind
from workbench.model.hit import Hit, NumberedHit, Scores
from workbench.retrieval.question_words import words_of

FILES = {
    "squad2": "squad/dev-v2.0.json",
    "xquad_en": "xquad/xquad.en.json",
    "xquad_zh": "xquad/xquad.zh.json",
    "cmrc": "cmrc2018/cmrc2018_trial.json",
    "drcd": "drcd/DRCD_dev.json",
}
CHINESE = ("xquad_zh", "cmrc", "drcd")
_ASKS = re.compile(
    r"^(?:in |on |at |to |by |from |of |for )?(?:what|which|who|whom|whose|when|where"
    r"|how (?:many|much|long|old|far|large)|how|why)\b"
    r"(?: (?:year|date|day|month|century|person|type|kind|name|country|city|percentage|number))?"
    r"(?: (?:is|was|were|are|did|does|do))?",
    re.IGNORECASE,
)
_ASKS_HAN = re.compile(r"什么时候|哪一?年|哪里|哪個|哪个|哪些|什么|什麼|多少|谁|誰|何时|何時|几|幾|哪|何")


@dataclass(frozen=True)
class Asked:
    """Answered question of a set."""

    article: str
    paragraph: str
    question: str
    answer: str
    start: int


@dataclass(frozen=True)
class Sample:
    """A claim and the paragraph that it cites."""

    kind: str
    claim: str
    question: str
    paragraph: str
    is_true: bool


class Counts:
    """Document frequencies of words in the paragraphs."""

    def __init__(self, paragraphs: Iterable[str]) -> None:
        texts = set(paragraphs)
        self.count = len(texts)
        self._found = Counter(word for text in texts for word in words_of(text))

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of paragraphs that contain each word."""
        return {term: self._found[term] for term in terms}


def main() -> None:
    """Print two lines per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--sets", nargs="*", default=[*FILES], choices=[*FILES])
    parser.add_argument("--half", type=int, choices=(0, 1), help="of the sets that were fitted on; default 1")
    options = parser.parse_args()
    embedder = default_embedder("int8")
    for name in options.sets:
        asked = list(asked_of(options.data / FILES[name]))
        half = None if name.startswith("xquad") else options.half if options.half is not None else 1
        samples = _samples(asked, options.questions, half, is_chinese=name in CHINESE)
        checker = ClaimChecker(embedder, Counts(one.paragraph for one in asked))
        print(name, json.dumps(_figures([(one, verdict_on(checker, one)) for one in samples])), flush=True)


def verdict_on(checker: ClaimChecker, sample: Sample) -> Verdict | None:
    """Return the verdict for a sample; None if the check finds no claim in it."""
    claim = claim_of(checker, sample)
    return claim.verdict if claim else None


def claim_of(checker: ClaimChecker, sample: Sample) -> Claim | None:
    """Return the claim that the check finds in a sample; the longest if there are several."""
    text = sample.paragraph
    chunk = Chunk(0, 0, len(text), text, None, None, (), BlockKind.PARAGRAPH, 1, id=1, document=1)
    hit = NumberedHit(1, Hit(1, chunk, "", "", "", "", Scores()))
    claims = checker.check(sample.question, f"{sample.claim} [1]", {1: hit})
    return max(claims, key=lambda claim: claim.end - claim.start) if claims else None


def _figures(checked: list[tuple[Sample, Verdict | None]]) -> dict[str, object]:
    flagged = [(sample, verdict) for sample, verdict in checked if verdict is Verdict.UNSUPPORTED]
    right = sum(not sample.is_true for sample, _ in flagged)
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for sample, verdict in checked:
        kinds[sample.kind][verdict.value if verdict else "no claim"] += 1
    return {
        "claims": len(checked),
        "precision": round(right / max(1, len(flagged)), 3),
        "recall": round(right / max(1, sum(not sample.is_true for sample, _ in checked)), 3),
        "kinds": {
            kind: {verdict: round(count / counts.total(), 2) for verdict, count in counts.most_common()}
            for kind, counts in kinds.items()
        },
    }


def asked_of(path: Path) -> Iterator[Asked]:
    """Yield the questions of a set that have an answer of at most 60 characters."""
    for article in json.loads(path.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                if question["answers"] and not question.get("is_impossible"):
                    answer = question["answers"][0]
                    text, start = answer["text"], answer["answer_start"]
                    if len(text) <= 60 and paragraph["context"][start:].startswith(text):
                        article_name = article.get("title", article.get("id", ""))
                        yield Asked(article_name, paragraph["context"], question["question"], text, start)


def _samples(asked: list[Asked], questions: int, half: int | None, *, is_chinese: bool) -> list[Sample]:
    chance = random.Random(0)
    answers: dict[str, list[str]] = defaultdict(list)
    paragraphs: dict[str, set[str]] = defaultdict(set)
    for one in asked:
        answers[_kind(one.answer)].append(one.answer)
        paragraphs[one.article].add(one.paragraph)
    chosen = [one for one in asked if half is None or half_of(one.paragraph) == half]
    found: list[Sample] = []
    for one in chance.sample(chosen, min(questions, len(chosen))):
        sentence = _sentence(one)
        if len(sentence[0]) + len(sentence[1]) > 440:
            continue
        others = [
            other
            for other in chance.sample(answers[_kind(one.answer)], min(40, len(answers[_kind(one.answer)])))
            if other.lower() not in one.paragraph.lower() and one.answer.lower() not in other.lower()
        ]
        elsewhere = sorted(text for text in paragraphs[one.article] if one.answer not in text)
        claims = {
            "verbatim": one.answer.join(sentence),
            "put together": put_together(one.question, one.answer, is_chinese=is_chinese),
        }
        found += [Sample(name, claim, one.question, one.paragraph, True) for name, claim in claims.items()]
        if elsewhere:
            other = chance.choice(elsewhere)
            found += [Sample(f"{name}, elsewhere", text, one.question, other, False) for name, text in claims.items()]
        if others:
            wrong = {
                "verbatim": others[0].join(sentence),
                "put together": put_together(one.question, others[0], is_chinese=is_chinese),
            }
            kind = f"other {_kind(one.answer)}"
            found += [
                Sample(f"{name}, {kind}", text, one.question, one.paragraph, False) for name, text in wrong.items()
            ]
    return found


def _sentence(one: Asked) -> tuple[str, str]:
    """Return the text before and after the answer in its sentence."""
    spans = [span for span in sentence_spans(one.paragraph) if span[0] <= one.start < span[1]]
    start, end = spans[0] if spans else (one.start, len(one.paragraph))
    behind = one.start + len(one.answer)
    return one.paragraph[start : one.start], one.paragraph[behind : max(end, behind)]


def put_together(question: str, answer: str, *, is_chinese: bool) -> str:
    """Combine question and answer into a sentence, as well as possible without grammar."""
    question = question.strip().rstrip("?？")
    if is_chinese:
        said = _ASKS_HAN.sub(lambda _: answer, question, count=1)
        return f"{said}。" if said != question else f"{question}是{answer}。"
    match = _ASKS.search(question)
    if match is None:
        return f"{question} {answer}."
    return f"{answer[0].upper()}{answer[1:]} {question[match.end() :].strip()}."


def _kind(answer: str) -> str:
    if re.search(r"\d", answer):
        return "number"
    return "name" if answer[:1].isupper() else "words"


def half_of(text: str) -> int:
    """Return the half that a text belongs to, 0 or 1."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 2


if __name__ == "__main__":
    main()
