"""Diagnosis of a document by the ingestion doctor: symptoms with remedies, and chunk lengths."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from workbench.language import counted, mark
from workbench.model.document import (
    DRAWN_FORMATS,
    Document,
    DocumentStatus,
    FailureKind,
    Finding,
    FindingKind,
    PageKind,
)


class Gravity(IntEnum):
    """Severity of a symptom."""

    NOTE = 0
    """Information; nothing is lost."""
    WARNING = 1
    """Something may be harder to find."""
    PROBLEM = 2
    """Something is not found at all."""


class Remedy(StrEnum):
    """Action that treats a symptom with one click."""

    OCR = "ocr"
    TABLES = "tables"
    UNLOCK = "unlock"
    READ_AGAIN = "read again"
    MORE_TIME = "more time"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Symptom:
    """Something that was noticed or lost during ingestion.

    Attributes:
        title: A few words: "12 pages without text".
        detail: Explanation or location; may be empty.
        gravity: Severity.
        remedy: Possible action; None if there is none.
        pages: The pages concerned, 1-based.
        is_advised: The detail says what the user can do outside the program.
    """

    title: str
    detail: str = ""
    gravity: Gravity = Gravity.NOTE
    remedy: Remedy | None = None
    pages: tuple[int, ...] = ()
    is_advised: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """Number of chunks that have from `low` to `high` tokens (both included)."""

    low: int
    high: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Result of checking one document.

    Attributes:
        document: Its current state.
        symptoms: The gravest first.
        bars: Histogram of chunk lengths, heading path included.
        window: Number of tokens in the embedding model's window; 0 if unknown.
        beyond: Number of chunks that are longer.
        beyond_share: Share of the text's tokens, 0 to 1, beyond the window.
    """

    document: Document
    symptoms: tuple[Symptom, ...]
    bars: tuple[Bar, ...] = ()
    window: int = 0
    beyond: int = 0
    beyond_share: float = 0.0


def is_in_progress(document: Document) -> bool:
    """Return whether the program is still to read a document, or to embed it.

    Meanwhile OCR and the layout model treat its pages without text and its lost tables.
    """
    if document.status is DocumentStatus.INDEXED:
        return not document.reason
    return document.status in (DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.EMBEDDING)


def troubles(document: Document) -> list[Symptom]:
    """Return the symptoms of a document that are more than a note, the gravest first; none while it is in progress."""
    if is_in_progress(document):
        return []
    return [symptom for symptom in symptoms_of(document) if symptom.gravity is not Gravity.NOTE]


def to_be_treated(document: Document) -> Symptom | None:
    """Return the gravest symptom that only the user can treat, in this document; None if there is none.

    An embedder that cannot be used concerns every document alike: the window says so once.
    """
    treatable = (one for one in troubles(document) if one.remedy not in (None, Remedy.EMBED) or one.is_advised)
    return next(treatable, None)


@dataclass(frozen=True, slots=True)
class Patient:
    """Document of the library with the symptoms found from its row alone."""

    document: Document
    symptoms: tuple[Symptom, ...]


def gravest_first(symptoms: Iterable[Symptom]) -> tuple[Symptom, ...]:
    """Return symptoms with the gravest first, otherwise in their order."""
    return tuple(sorted(symptoms, key=lambda symptom: -symptom.gravity))


def symptoms_of(document: Document, *, newest_parser: int = 0) -> tuple[Symptom, ...]:
    """Return the symptoms found from a document's row, the gravest first; cheap enough for every row of a library.

    Args:
        document: Any document.
        newest_parser: Version of the parser for its format; 0 if unknown.
    """
    symptoms = [*_status_symptoms(document), *(_finding_symptom(finding, document) for finding in document.findings)]
    if not document.findings:
        symptoms += [Symptom(warning, gravity=Gravity.WARNING) for warning in document.warnings]
    if document.chunks and document.parser_version < newest_parser:
        symptoms.append(
            Symptom(
                mark("Read by an older version of the program"),
                mark("Reading it again may find more: headings, tables, pages."),
                remedy=Remedy.READ_AGAIN,
            )
        )
    if is_reading_out_of_time(document):
        symptoms = [
            replace(one, remedy=Remedy.MORE_TIME) if one.remedy is Remedy.READ_AGAIN and one.gravity else one
            for one in symptoms
        ]
    return gravest_first(symptoms)


def is_out_of_time(document: Document) -> bool:
    """Return whether a time limit ended the reading of a document, or of some of its pages."""
    return is_reading_out_of_time(document) or any(one.failure is FailureKind.TIME for one in document.findings)


def is_reading_out_of_time(document: Document) -> bool:
    """Return the same for the first reading, without OCR and the layout model, which read single pages later."""
    has_skipped = any(one.kind is FindingKind.SKIPPED for one in document.findings)
    return has_skipped or document.failure is FailureKind.TIME


def page_words(kind: PageKind, pages: tuple[int, ...], *, most: int = 12) -> str:
    """Describe page numbers, with runs joined: "pages 1, 3–7 and 9"."""
    if not pages:
        return ""
    runs: list[list[int]] = []
    for page in sorted(set(pages)):
        if runs and runs[-1][1] == page - 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in runs[:most]]
    words = ", ".join(shown) if len(runs) > most or len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{kind.value if len(pages) == 1 else kind.plural} {words}{' …' if len(runs) > most else ''}"


def _status_symptoms(document: Document) -> Iterable[Symptom]:
    match document.status:
        case DocumentStatus.FAILED:
            yield Symptom(
                document.reason or mark("It could not be read"),
                document.hint,
                Gravity.PROBLEM,
                _remedy_of_failure(document),
            )
        case DocumentStatus.LOCKED:
            yield Symptom(document.reason or mark("It is locked"), document.hint, Gravity.PROBLEM, Remedy.UNLOCK)
        case DocumentStatus.INDEXED if document.embedded < document.chunks:
            missing = document.chunks - document.embedded
            yield Symptom(
                mark(f"{missing:,} passages without a vector") if missing != 1 else mark("1 passage without a vector"),
                document.reason or mark("Until then, they are found by their words only."),
                # Without a reason it is still queued, like each document of a big import.
                Gravity.WARNING if document.reason else Gravity.NOTE,
                Remedy.EMBED,
            )
        case DocumentStatus.READY if document.reason:
            yield Symptom(document.reason, document.hint, Gravity.WARNING, Remedy.READ_AGAIN)
        case DocumentStatus.READY if not document.chunks:
            remedy_or_none = Remedy.OCR if document.format in DRAWN_FORMATS else None
            yield Symptom(mark("No text was found in it"), "", Gravity.PROBLEM, remedy_or_none)


def _remedy_of_failure(document: Document) -> Remedy | None:
    if document.failure is FailureKind.PASSWORD:
        return Remedy.UNLOCK
    # Reading it again would end in the same way; the OCR remedy is offered with the pages that need it.
    waits_for_ocr = any(finding.kind is FindingKind.NO_TEXT for finding in document.findings)
    return None if waits_for_ocr else Remedy.READ_AGAIN


def _finding_symptom(finding: Finding, document: Document) -> Symptom:
    symptom = _BY_KIND[finding.kind](finding, document.page_kind)
    if finding.failure is FailureKind.TIME:
        return replace(symptom, remedy=Remedy.MORE_TIME)
    if symptom.remedy is Remedy.OCR and document.format not in DRAWN_FORMATS:
        return replace(symptom, remedy=None)
    if finding.kind is FindingKind.IMAGES and finding.pages and document.format == "pdf":
        return replace(symptom, remedy=Remedy.OCR)
    if finding.kind is FindingKind.NO_TEXT and document.page_kind is PageKind.SLIDE:
        return replace(symptom, remedy=None, is_advised=True)  # nothing here draws slides
    if finding.kind is FindingKind.LOST_TABLES and document.format == "pdf":
        return replace(symptom, remedy=Remedy.TABLES)
    return symptom


def _pages(finding: Finding, kind: PageKind) -> str:
    return counted(max(1, len(finding.pages)), kind.value)


def _where(finding: Finding, kind: PageKind, *more: str) -> str:
    words = page_words(kind, finding.pages)
    return " ".join(part for part in (f"{words[:1].upper()}{words[1:]}." if words else "", *more) if part)


def _sentence(detail: str) -> str:
    return f"{detail[:1].upper()}{detail[1:]}{'' if detail.endswith(('.', '!', '?', '…')) else '.'}" if detail else ""


def _no_text(finding: Finding, kind: PageKind) -> Symptom:
    meaning = mark("Their content is not searched.")
    return Symptom(
        mark(f"{_pages(finding, kind)} without text"),
        _where(finding, kind, meaning, finding.detail),
        Gravity.PROBLEM,
        Remedy.OCR,
        finding.pages,
    )


def _garbled(finding: Finding, kind: PageKind) -> Symptom:
    meaning = mark("The text stored in the file differs from the text that is shown.")
    title = mark(f"Garbled text on {_pages(finding, kind)}")
    return Symptom(title, _where(finding, kind, meaning, finding.detail), Gravity.PROBLEM, Remedy.OCR, finding.pages)


def _ocr(finding: Finding, kind: PageKind) -> Symptom:
    meaning = mark("Single letters can be wrong.")
    return Symptom(mark(f"{_pages(finding, kind)} read by OCR"), _where(finding, kind, meaning), pages=finding.pages)


def _tables(finding: Finding, kind: PageKind) -> Symptom:
    number = finding.count or max(1, len(finding.pages))
    found = mark("1 table found") if number == 1 else mark(f"{number:,} tables found")
    return Symptom(found, _where(finding, kind), pages=finding.pages)


def _lost_tables(finding: Finding, kind: PageKind) -> Symptom:
    meaning = mark("Rows and columns may be mixed up.")
    title = mark(f"Tables read as plain lines on {_pages(finding, kind)}")
    detail = _where(finding, kind, meaning, finding.detail)
    return Symptom(title, detail, Gravity.WARNING, pages=finding.pages)


def _layout(finding: Finding, kind: PageKind) -> Symptom:
    found = mark(f"{finding.count:,} tables found there.") if finding.count else mark("No table was found there.")
    found = mark("1 table found there.") if finding.count == 1 else found
    title = mark(f"{_pages(finding, kind)} read with the layout model")
    return Symptom(title, _where(finding, kind, found), pages=finding.pages)


def _images(finding: Finding, kind: PageKind) -> Symptom:
    number = finding.count or max(1, len(finding.pages))
    meaning = mark("Text inside it is not searched.") if number == 1 else mark("Text inside them is not searched.")
    title = mark("1 picture not read") if number == 1 else mark(f"{number:,} pictures not read")
    return Symptom(title, _where(finding, kind, meaning), pages=finding.pages)


def _encoding(finding: Finding, _kind: PageKind) -> Symptom:
    meaning = mark("If the text looks wrong, save the file as UTF-8 and add it again.")
    title = mark(f"The encoding was guessed: {finding.detail or 'unknown'}")
    return Symptom(title, meaning, Gravity.WARNING, is_advised=True)


def _replaced(finding: Finding, kind: PageKind) -> Symptom:
    several = mark(f"{finding.count:,} characters could not be read")
    title = several if finding.count > 1 else mark("1 character could not be read")
    return Symptom(title, _where(finding, kind, mark("They are shown as “�”.")), Gravity.WARNING, pages=finding.pages)


def _left_out(finding: Finding, kind: PageKind) -> Symptom:
    detail = _where(finding, kind, _sentence(finding.detail))
    return Symptom(mark("Left out when it was read"), detail, pages=finding.pages)


def _truncated(finding: Finding, kind: PageKind) -> Symptom:
    detail = _where(finding, kind, _sentence(finding.detail))
    return Symptom(mark("Not read to its end"), detail, Gravity.PROBLEM, is_advised=True)


def _skipped(finding: Finding, kind: PageKind) -> Symptom:
    title = mark(f"{_pages(finding, kind)} left out")
    detail = _where(finding, kind, mark("Reading them took too long or crashed."))
    return Symptom(title, detail, Gravity.PROBLEM, Remedy.READ_AGAIN, finding.pages)


def _unread(finding: Finding, kind: PageKind) -> Symptom:
    detail = mark(f"The file has {counted(finding.count, kind.value)}. What was read can be searched.")
    return Symptom(mark("Read in part"), detail, Gravity.PROBLEM, Remedy.READ_AGAIN)


_BY_KIND: dict[FindingKind, Callable[[Finding, PageKind], Symptom]] = {
    FindingKind.NO_TEXT: _no_text,
    FindingKind.GARBLED: _garbled,
    FindingKind.OCR: _ocr,
    FindingKind.TABLES: _tables,
    FindingKind.LOST_TABLES: _lost_tables,
    FindingKind.LAYOUT: _layout,
    FindingKind.IMAGES: _images,
    FindingKind.ENCODING: _encoding,
    FindingKind.REPLACED: _replaced,
    FindingKind.LEFT_OUT: _left_out,
    FindingKind.TRUNCATED: _truncated,
    FindingKind.SKIPPED: _skipped,
    FindingKind.UNREAD: _unread,
}
