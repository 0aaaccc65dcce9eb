"""The words by which a request means documents -> those documents, among the ones that may be seen.

"this" and "everything" mean all of them, "the survey" the ones that are called so, "report.pdf" one, "the PDFs" those
of that format. Words that name no document are a subject of their own: "summarise the oxygen problem" means none.
document_names.py finds documents that a question names in passing, and has to be surer; here the words stand where
only documents, or a subject, can be meant.
"""

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model.document import Document
from workbench.store.name_words import name_words
from workbench.store.segmentation import segment
from workbench.store.stopwords import STOP_WORDS

# Of the weight of the words so much has to be in a document's name, title, author or folder.
_LEAST_SHARE = 0.7
# Words that name no kind of document have to be so much of a name: the Corran Gate is no "corran-gate-maintenance.md".
_LEAST_OF_NAME = 0.6
# A word that is nearly one of a name is taken for it; difflib's ratio. "harbor" and "harbour" have 0.92.
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

# Words for any document, also where none is called so.
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
# Words for kinds of documents: a document that is called by one is meant by it, also where its name holds much more.
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
class MeantDocuments:
    """The documents that are meant, in the order they were added.

    Attributes:
        documents: At least one.
        part: A chapter or section of them, as it was said ("chapter 3"); empty for all.
        by_name: Whether they were named, rather than pointed at ("this", "the report").
    """

    documents: tuple[Document, ...]
    part: str = ""
    by_name: bool = False


def meant_documents(said: str, documents: Sequence[Document]) -> MeantDocuments | None:
    """Return the documents that words mean; None where they mean none of these.

    Args:
        said: The subject of a request, empty for all documents.
        documents: Those that may be seen.
    """
    said = said.strip().lstrip("@").strip(" \"'“”‘’「」《》")
    if exact := _exact(said, documents):
        return MeantDocuments(exact, by_name=True)
    if match := _PART.match(said) or _PART_ZH.match(said):
        of = meant_documents(match["document"] or "", documents)
        return MeantDocuments(of.documents, match["part"], of.by_name) if of else None
    rest = _POINTING_ZH.sub("", _POINTING.sub("", said)).strip()
    words = _telling(rest)
    if not words:
        return MeantDocuments(tuple(documents)) if documents else None
    found = _called(words, rest, documents) or _of_format(rest, documents)
    if found:
        return MeantDocuments(found, by_name=True)
    if _FILE_NAME.search(said):
        return None
    head = _TAIL.sub("", said)
    if head != said and _names_kind(head) and (of := meant_documents(head, documents)) and of.by_name:
        return of
    if documents and (words <= _GENERIC or _GENERIC_ZH.fullmatch(rest)):
        return MeantDocuments(tuple(documents))
    return None


def _exact(said: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    key = said.casefold()
    return tuple(
        one for one in documents if key and key in (one.name.casefold(), one.metadata.title.casefold(), f"#{one.id}")
    )


def _telling(rest: str) -> frozenset[str]:
    # A file name keeps its ending out; "the minutes of the last meeting" keeps only what tells documents apart.
    words = name_words(rest).split()
    return frozenset(word for word in words if word not in STOP_WORDS)


def _names_kind(said: str) -> bool:
    return bool(_KINDS & set(segment(said).split())) or _KINDS_ZH.search(said) is not None


def _called(words: frozenset[str], said: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return the documents whose names hold the words best; none where they hold too little of them."""
    aliases = [_aliases(one) for one in documents]
    known = {word for names in aliases for name in names for word in name}
    meant = {word: _nearest(word, known) for word in words}
    # A word for any document is worth something only where documents are called by it.
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
        # Of documents that hold all of the words, the one that is called by nothing else.
        fullness = max((len(name & set(counted.values())) / len(name) for name in names if name), default=0.0)
        scores.append((share if fullness >= least else 0.0, fullness >= 1.0))
    best = max(scores, default=(0.0, False))
    if best[0] < _LEAST_SHARE:
        return ()
    return tuple(one for one, score in zip(documents, scores, strict=True) if score == best)


def _aliases(document: Document) -> tuple[frozenset[str], ...]:
    about = document.metadata
    said = (document.name, about.title, about.author, document.folder)
    return tuple(frozenset(name_words(text).split()) for text in said if text)


def _nearest(word: str, known: set[str]) -> str | None:
    if word in known or len(word) < _SHORTEST_NEARLY or not word.isascii():
        return word if word in known else None
    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=_NEARLY)), None)


def _of_format(rest: str, documents: Sequence[Document]) -> tuple[Document, ...]:
    key = rest.casefold().rstrip("s") if rest.isascii() else rest
    formats = _FORMATS.get(key.removesuffix(" file").removesuffix(" document"), ())
    return tuple(one for one in documents if one.format in formats)
