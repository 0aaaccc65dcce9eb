"""Recognition of the documents that a question or a request names, by their names or by words for them.

"What did American Express earn in 2022?" names AMERICANEXPRESS_2022_10K.pdf, and the rest of it asks what was earned. A
question names a document if it contains enough of the words of its name, title or author, weighted by how few documents
share them; words that all documents share name none. Numbers alone name nothing: "1066" is more likely a year than
1066.txt.

In a request, "this" and "everything" mean all documents, "the survey" those with that word in their name, "report.pdf"
one, "the PDFs" those of that format. Other words are a separate subject: "summarise the oxygen problem" names none.
naming() recognises documents in passing and needs more evidence than referenced_documents(), whose words can only mean
documents or a subject.
"""

import difflib
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from workbench.model.document import Document
from workbench.model.document_name import DocumentNameWords
from workbench.store.name_words import INITIALS, name_words, periods_in
from workbench.store.segmentation import STOP_WORDS, has_content_words, question_words, segment

# Minimum share of the weight of a name's words; higher for a single word: "system" does not name "Immune system".
_LEAST_SHARE = 0.5
_LEAST_OF_ONE_WORD = 0.6
# Further documents are named if they have at least this share of the weight of the best one.
_LEAST_BESIDE = 0.5
# With more documents than this, none is named: the question contains only words that they have in common.
_MOST = 20
# A word in the names of more documents than this adds weight to documents found by other words, but finds none itself.
_MOST_CALLED = 200
# Number of words that may be separate in a question and joined in a file name: "American Express".
_MOST_GLUED = 3
BY_TITLE = 0.6
"""Certainty of a title, which is weaker evidence than a file name: "Pew Research Center" and "United States Court of
Appeals" are titles of PDFs but also occur in other texts. Of 14 reports that a question named by title, 5 were
meant."""

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_OWNER = re.compile(r"['’]s?$")
# "IBM", "J&J", "JnJ"; two capitals alone are too ambiguous ("IT", "US").
_INITIALS = re.compile(r"[A-Z]{3,5}|[A-Z][&n][A-Z]")


class NameSource(Protocol):
    """Names and titles of documents; implemented in store/name_index.py."""

    @property
    def count(self) -> int:
        """Number of documents."""
        ...

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of documents that have each word in their names; words without any are left out."""
        ...

    def called(self, word: str, *, most: int) -> list[DocumentNameWords]:
        """Return at most this many documents that have a word in their names."""
        ...

    def chunks(self, documents: Sequence[int]) -> dict[int, int]:
        """Return chunk -> document for these documents, in ascending order of chunks."""
        ...


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """Documents that a question names.

    Attributes:
        strengths: Document -> certainty that it is meant, 0 to 1; the best match by file name has 1.
        rest: Question without the words that name them; empty if nothing else is asked.
        identities: Words of each document's name that the question contains, without years and form numbers.
    """

    strengths: Mapping[int, float]
    rest: str
    identities: Set[frozenset[str]] = frozenset()

    def means(self, name: str) -> bool:
        """Return True for the name of a document that the question names, or of another one of the same series."""
        return self.is_mentioned_in(set(name_words(name).split()))

    def is_mentioned_in(self, words: Set[str]) -> bool:
        """Return True for words, such as those of a passage, among which are those of a named document's name."""
        return any(identity <= words for identity in self.identities)


@dataclass(frozen=True, slots=True)
class _Form:
    """Word that may name a document, with its position in the question; is_glued: joined from several words."""

    word: str
    start: int
    end: int
    is_glued: bool = False


@dataclass(frozen=True, slots=True)
class _Match:
    """Words that name a document, their weight, and the certainty of this kind of name, 0 to 1."""

    weight: float = 0.0
    words: Set[str] = frozenset()
    sureness: float = 1.0


def naming(question: str, names: NameSource) -> NamedDocuments | None:
    """Return the documents that a question names; None if it names none."""
    forms = list(_find_forms(question))
    known_words = names.frequencies({form.word for form in forms})
    candidates = _find_candidates(names, known_words)
    if not candidates:
        return None
    documents = names.count
    alias_words = {word for one in candidates for alias in one.aliases for word in alias}
    weights = {word: _weight(frequency, documents) for word, frequency in names.frequencies(alias_words).items()}
    glued = {form.word for form in forms if form.is_glued}
    matches = {one.document: _match(one, known_words.keys(), glued, weights) for one in candidates}
    best = max(match.weight for match in matches.values())
    series = {_identity(match.words) for match in matches.values() if match.weight and match.weight == best}
    for one in candidates:
        if not matches[one.document].weight:
            matches[one.document] = _match_series(one, known_words.keys(), series, weights)
    best = max(match.weight for match in matches.values())
    named = {
        number: match for number, match in matches.items() if match.weight and match.weight >= _LEAST_BESIDE * best
    }
    if not named or len(named) > _MOST:
        return None
    naming_words = {word for match in named.values() for word in match.words}
    rest = _remove_forms(question, [form for form in forms if form.word in naming_words])
    strengths = {number: match.sureness * match.weight / best for number, match in named.items()}
    return NamedDocuments(
        strengths, rest, frozenset(_identity(match.words) for match in named.values()) - {frozenset()}
    )


def _weight(frequency: int, documents: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _find_forms(question: str) -> Iterator[_Form]:
    """Yield each word of the question, its years, quarters and initials, and adjacent words joined into one."""
    tokens = [(_OWNER.sub("", match.group()), *match.span()) for match in _WORD.finditer(question)]
    stems = set(question_words(question))
    yield from (_Form(*period) for period in periods_in(question))
    for place, (token, start, end) in enumerate(tokens):
        yield from (_Form(word, *_find_span(token, word, start)) for word in segment(token).split() if word in stems)
        yield from (_Form(year, start, end) for year in _YEAR.findall(token))
        if _INITIALS.fullmatch(token):
            yield _Form(INITIALS + "".join(filter(str.isupper, token)).lower(), start, end)
        glued = token
        for other, _, its_end in tokens[place + 1 : place + _MOST_GLUED]:
            glued += other
            if not glued.isascii() or token.lower() in STOP_WORDS or other.lower() in STOP_WORDS:
                break
            yield from (_Form(word, start, its_end, is_glued=True) for word in segment(glued.lower()).split())


def _find_span(token: str, word: str, start: int) -> tuple[int, int]:
    """Return the position of a word of a token; in a run without spaces, only its own characters."""
    place = -1 if token.isascii() else token.find(word)
    return (start, start + len(token)) if place < 0 else (start + place, start + place + len(word))


def _find_candidates(names: NameSource, frequencies: Mapping[str, int]) -> Collection[DocumentNameWords]:
    """Return the documents that have any of the rarer words in their names."""
    found: dict[int, DocumentNameWords] = {}
    for word in sorted(frequencies, key=lambda word: frequencies[word]):
        if frequencies[word] > _MOST_CALLED or len(found) > _MOST_CALLED:
            break
        if not word.isdigit():
            found |= {one.document: one for one in names.called(word, most=_MOST_CALLED)}
    return found.values()


def _match(one: DocumentNameWords, said: Set[str], glued: Set[str], weights: Mapping[str, float]) -> _Match:
    """Return the words by which a question names a document; with weight 0 if they are too few."""
    best = _Match()
    for alias, sureness in (*((name, 1.0) for name in one.names), *((title, BY_TITLE) for title in one.titles)):
        words = alias & said
        telling = _identity(alias)
        if not words & telling:
            continue
        # A word may have been deleted in the meantime, because an import may be running.
        weight = sum(weights.get(word, 0.0) for word in words & telling)
        missing_weight = sum(weights.get(word, 0.0) for word in telling - words)
        least = _LEAST_SHARE if len(words) > 1 or words & glued else _LEAST_OF_ONE_WORD
        match = _Match(sum(weights.get(word, 0.0) for word in words), words, sureness)
        if weight >= least * (weight + missing_weight) and match.sureness * match.weight > best.sureness * best.weight:
            best = match
    return best


def _match_series(
    one: DocumentNameWords, said: Set[str], series: Set[frozenset[str]], weights: Mapping[str, float]
) -> _Match:
    """Match a document whose file name contains all words that name the best one, and more.

    "Johnson & Johnson" means "JOHNSON_JOHNSON_2022_10K" and "JOHNSON_JOHNSON_2022Q4_EARNINGS".
    """
    for alias in one.names:
        if any(words and words <= alias for words in series):
            return _Match(sum(weights.get(word, 0.0) for word in alias & said), alias & said)
    return _Match()


def _identity(words: Set[str]) -> frozenset[str]:
    """Return the words of a name that identify its subject; "2022", "10K" and "Q2" only distinguish its documents.

    For a name that has only such words, return those that are not bare numbers.
    """
    without_digits = frozenset(word for word in words if not any(character.isdigit() for character in word))
    return without_digits or frozenset(word for word in words if not word.isdigit())


def _remove_forms(question: str, forms: Sequence[_Form]) -> str:
    """Return the question without these words; empty if no word worth searching is left."""
    kept = list(question)
    for form in forms:
        kept[form.start : form.end] = " " * (form.end - form.start)
    rest = " ".join("".join(kept).split())
    return rest if has_content_words(rest) else ""


# Minimum share of the words' weight that a document's name, title, author or folder must contain.
_MEANT_DOCUMENTS_LEAST_SHARE = 0.7
# Minimum share of a name that words other than kinds of documents must cover: "the Corran Gate" does not name
# "corran-gate-maintenance.md".
_LEAST_OF_NAME = 0.6
# Minimum difflib ratio at which a word matches a similar one of a name. "harbor" and "harbour" have 0.92.
_NEARLY = 0.84
_SHORTEST_NEARLY = 5

_POINTING = re.compile(
    r"^(?:(?:all|both|each|every(?:thing|one)?|the|this|that|these|those|them|they|it|my|our|your|of|in|one|ones|two"
    r"|three"
    r"|first|last|whole|entire|complete|following|attached|uploaded|above|given|contents?)\b[\s,]*)+",
    re.IGNORECASE,
)
_POINTING_ZH = re.compile(
    r"^(?:这|這|那|本|该|該|此|它们?|全部|所有|整个?|我的|我们的|上述|以上|的|[一两兩二三几幾]?(?:份|个|個|篇"
    r"|本(?!身)|些|部|封|张))+"
)
_PART = re.compile(
    r"^(?:the )?(?P<part>(?:chapter|section|part|appendix|annex|article|§) ?[\w.]{1,12}"
    r"|第[\d一二三四五六七八九十百]+[章节節部条條编編])"
    r"(?:\s*(?:of|in|from|,|的)\s*(?P<document>.+))?$",
    re.IGNORECASE,
)
_PART_ZH = re.compile(r"^(?P<document>.+?)的?(?P<part>第[\d一二三四五六七八九十百]+[章节節部条條编編])$")

# Words for any document, even if no document has them in its name.
_GENERIC = frozenset(
    segment(
        "document documents doc docs file files report reports paper papers text texts article articles book books"
        " content contents library collection knowledge base folder material materials source sources upload attachment"
        " thing things page pages"
    ).split()
)
_GENERIC_ZH = re.compile(
    r"(?:报告|報告|文件|文档|文檔|资料|資料|文章|材料|内容|內容|东西|東西|资料库|知识库|资料夹|文件夹|库|论文|論文|书"
    r"|書|全文)*"
)
# Words for kinds of documents: such a word names a document that contains it, even if its name has many other words.
_KINDS = frozenset(
    segment(
        "survey manual minutes contract agreement letter guide handbook brochure leaflet policy thesis study essay memo"
        " transcript filing proposal specification protocol presentation slides deck spreadsheet notes plan statement"
        " report paper article book review analysis assessment regulations guidelines invoice budget agenda newsletter"
    ).split()
)
_KINDS_ZH = re.compile(
    r"(?:报告|報告|手册|手冊|规程|規程|合同|说明书|說明書|纪要|紀要|记录|記錄|协议|協議|课件|幻灯片|简历|标准|规范"
    r"|年报|年報|财报|白皮书|指南"
    r"|教程|教材|讲义|笔记|方案|章程|条例|论文|計劃|计划|清单|通知)"
)
_FILE_NAME = re.compile(r"\S\.[A-Za-z][A-Za-z0-9]{1,5}$")
_TAIL = re.compile(r"\s(?:of|on|about|from|for|by|in|with|between)\s.+$", re.IGNORECASE)
_FORMATS = {
    "pdf": ("pdf",),
    "word": ("docx", "doc", "odt", "rtf"),
    "spreadsheet": ("xlsx", "xls", "ods", "csv", "xlsb"),
    "excel": ("xlsx", "xls", "xlsb"),
    "slide": ("pptx", "ppt", "odp"),
    "presentation": ("pptx", "ppt", "odp"),
    "powerpoint": ("pptx", "ppt"),
    "email": ("eml", "msg", "mbox"),
    "mail": ("eml", "msg", "mbox"),
    "markdown": ("markdown",),
    "表格": ("xlsx", "xls", "ods", "csv", "xlsb"),
    "幻灯片": ("pptx", "ppt", "odp"),
    "邮件": ("eml", "msg", "mbox"),
}


@dataclass(frozen=True, slots=True)
class ReferencedDocuments:
    """Documents that a request refers to, in the order in which they were added.

    Attributes:
        documents: At least one document.
        part: Chapter or section of them as typed ("chapter 3"); empty for the whole.
        by_name: True if they were named rather than pointed at ("this", "the report").
    """

    documents: tuple[Document, ...]
    part: str = ""
    by_name: bool = False


def referenced_documents(said: str, documents: Sequence[Document]) -> ReferencedDocuments | None:
    """Return the documents that a phrase refers to; None if it refers to none of these.

    Args:
        said: Subject of a request; empty for all documents.
        documents: Documents that may be accessed.
    """
    said = said.strip().lstrip("@").strip(" \"'“”‘’「」《》")
    if exact := _find_exact(said, documents):
        return ReferencedDocuments(exact, by_name=True)
    if match := _PART.match(said) or _PART_ZH.match(said):
        of = referenced_documents(match["document"] or "", documents)
        return ReferencedDocuments(of.documents, match["part"], of.by_name) if of else None
    rest = _POINTING_ZH.sub("", _POINTING.sub("", said)).strip()
    words = _content_words(rest)
    if not words:
        return ReferencedDocuments(tuple(documents)) if documents else None
    found = _find_by_words(words, rest, documents) or _find_by_format(rest, documents)
    if found:
        return ReferencedDocuments(found, by_name=True)
    if _FILE_NAME.search(said):
        return None
    head = _TAIL.sub("", said)
    if head != said and _names_kind(head) and (of := referenced_documents(head, documents)) and of.by_name:
        return of
    if documents and (words <= _GENERIC or _GENERIC_ZH.fullmatch(rest)):
        return ReferencedDocuments(tuple(documents))
    return None


def _find_exact(said: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    key = said.casefold()
    return tuple(
        one for one in documents if key and key in (one.name.casefold(), one.metadata.title.casefold(), f"#{one.id}")
    )


def _content_words(rest: str) -> frozenset[str]:
    # name_words() drops the extension of a file name; from "the minutes of the last meeting" only content words remain.
    words = name_words(rest).split()
    return frozenset(word for word in words if word not in STOP_WORDS)


def _names_kind(said: str) -> bool:
    return bool(_KINDS & set(segment(said).split())) or _KINDS_ZH.search(said) is not None


def _find_by_words(words: frozenset[str], said: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return the documents whose names contain the most of the words; empty if they contain too few."""
    aliases = [_aliases(one) for one in documents]
    known = {word for names in aliases for name in names for word in name}
    meant = {word: _find_nearest(word, known) for word in words}
    # A generic word for documents counts only if documents have it in their names.
    counted = {word: name for word, name in meant.items() if name is not None or word not in _GENERIC}
    if not counted:
        return ()
    spread = {name: sum(any(name in one for one in names) for names in aliases) for name in known}
    total = len(documents)
    weights = {word: math.log(1 + (total + 0.5) / (spread.get(name or "", 0) + 0.5)) for word, name in counted.items()}
    whole = sum(weights.values())
    least = 0.0 if _names_kind(said) else _LEAST_OF_NAME
    scores = []
    for names in aliases:
        held = frozenset(word for names_ in names for word in names_)
        share = sum(weights[word] for word, name in counted.items() if name in held) / whole
        # Among documents that contain all the words, prefer one whose name has no other words.
        fullness = max((len(name & set(counted.values())) / len(name) for name in names if name), default=0.0)
        scores.append((share if fullness >= least else 0.0, fullness >= 1.0))
    best = max(scores, default=(0.0, False))
    if best[0] < _MEANT_DOCUMENTS_LEAST_SHARE:
        return ()
    return tuple(one for one, score in zip(documents, scores, strict=True) if score == best)


def _aliases(document: Document) -> tuple[frozenset[str], ...]:
    about = document.metadata
    texts = (document.name, about.title, about.author, document.folder)
    return tuple(frozenset(name_words(text).split()) for text in texts if text)


def _find_nearest(word: str, known: set[str]) -> str | None:
    if word in known or len(word) < _SHORTEST_NEARLY or not word.isascii():
        return word if word in known else None
    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=_NEARLY)), None)


def _find_by_format(rest: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    key = rest.casefold().rstrip("s") if rest.isascii() else rest
    formats = _FORMATS.get(key.removesuffix(" file").removesuffix(" document"), ())
    return tuple(one for one in documents if one.format in formats)
