"""Location of a place in a document: its chunks, or the reason why no search can find it; and the sentences for it."""

from dataclasses import dataclass, replace

import pytest

from workbench.errors import NotFound
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind, Document, DocumentStatus, Finding, FindingKind, Metadata, Page
from workbench.model.explanation import AdviceKind, DocumentSpot, Stage
from workbench.retrieval.explanation_summary import find_quote, locate, ordinal

TEXT = "The pump (model 3.5)\nhas a seal.\n\nIts warranty is two years.\n\n   \n"
CUT = TEXT.index("Its")
END = TEXT.index("\n\n   ")
DOCUMENT = Document(1, "default", "/a.pdf", "a.pdf", "", 1, "pdf", DocumentStatus.READY, Metadata("A"), 3, 2, 2)


@dataclass
class OneDocument:
    """Stand-in for the store, with one document of two pages with text and one without."""

    def text(self, id: int) -> str:
        return TEXT

    def pages(self, id: int) -> tuple[Page, ...]:
        return (Page(1, 0, CUT), Page(2, CUT, END), Page(3, END, len(TEXT)))

    def chunks(self, id: int) -> tuple[Chunk, ...]:
        spans = ((0, CUT - 2, 1), (CUT, END, 2))
        return tuple(
            Chunk(number, start, end, TEXT[start:end], page, page, (), BlockKind.PARAGRAPH, 5, id=number + 1)
            for number, (start, end, page) in enumerate(spans)
        )


@pytest.mark.parametrize(
    ("spot", "chunks"),
    [
        (DocumentSpot(), [1, 2]),
        (DocumentSpot(page=2), [2]),
        (DocumentSpot(quote="HAS a  seal"), [1]),
        (DocumentSpot(start=5, end=CUT + 3), [1, 2]),
    ],
)
def test_a_place_is_held_by_every_chunk_that_it_touches(spot: DocumentSpot, chunks: list[int]) -> None:
    assert [chunk.id for chunk in locate(DOCUMENT, OneDocument(), spot).chunks] == chunks


@pytest.mark.parametrize(
    "spot",
    [DocumentSpot(page=4), DocumentSpot(page=0), DocumentSpot(start=-3, end=4), DocumentSpot(start=0, end=10_000)],
)
def test_a_place_that_is_not_there_is_an_error(spot: DocumentSpot) -> None:
    with pytest.raises(NotFound):
        locate(DOCUMENT, OneDocument(), spot)


def test_a_page_without_a_letter_was_not_read() -> None:
    found = locate(DOCUMENT, OneDocument(), DocumentSpot(page=3))
    assert (found.stage, found.sentence) == (Stage.NO_TEXT, "No text was read from page 3, so searches cannot find it.")
    assert [(one.kind, one.pages) for one in found.advice] == [(AdviceKind.OCR, (3,))]


def test_no_ocr_is_advised_where_there_is_no_picture() -> None:
    found = locate(replace(DOCUMENT, format="markdown"), OneDocument(), DocumentSpot(page=3))
    assert (found.stage, found.advice) == (Stage.NO_TEXT, ())


def test_garbled_text_is_searched_but_ocr_is_advised() -> None:
    garbled = replace(DOCUMENT, findings=(Finding(FindingKind.GARBLED, (2,)),))
    assert locate(garbled, OneDocument(), DocumentSpot(page=1)).advice == ()
    (advice,) = locate(garbled, OneDocument(), DocumentSpot(page=2)).advice
    assert (advice.kind, advice.pages) == (AdviceKind.OCR, (2,))


def test_a_missing_quote_is_attributed_to_a_page_that_was_not_read_when_there_is_one() -> None:
    scanned = replace(DOCUMENT, findings=(Finding(FindingKind.NO_TEXT, (3,)),))
    found = locate(scanned, OneDocument(), DocumentSpot(quote="no such words"))
    assert (found.stage, [one.kind for one in found.advice]) == (Stage.NO_TEXT, [AdviceKind.OCR])
    plain = locate(DOCUMENT, OneDocument(), DocumentSpot(quote="no such words"))
    assert [one.kind for one in plain.advice] == [AdviceKind.READ_AGAIN]


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        (DocumentStatus.QUEUED, Stage.NOT_READ),
        (DocumentStatus.PARSING, Stage.NOT_READ),
        (DocumentStatus.LOCKED, Stage.LOCKED),
        (DocumentStatus.FAILED, Stage.FAILED),
        (DocumentStatus.READY, Stage.NO_TEXT),
    ],
)
def test_a_document_without_chunks_was_lost_before_any_search(status: DocumentStatus, stage: Stage) -> None:
    found = locate(replace(DOCUMENT, chunks=0, status=status), OneDocument(), DocumentSpot(page=1))
    assert (found.stage, found.chunks) == (stage, ())
    assert "“a.pdf”" in found.sentence
    assert not stage.is_searched


def test_a_document_that_is_being_read_again_is_found_with_its_old_content() -> None:
    assert locate(replace(DOCUMENT, status=DocumentStatus.PARSING), OneDocument(), DocumentSpot(page=1)).chunks


@pytest.mark.parametrize(
    ("quote", "found"),
    [("model\t3.5)\n has", "model 3.5)\nhas"), ("(MODEL 3.5)", "(model 3.5)"), ("model 3x5", None), (" ", None)],
)
def test_a_quote_is_found_regardless_of_its_white_space_and_case(quote: str, found: str | None) -> None:
    span = find_quote(TEXT, quote)
    assert (TEXT[slice(*span)] if span else None) == found


def test_ordinal_numbers_have_their_english_suffixes() -> None:
    said = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1023)]
    assert said == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "1,023rd"]
