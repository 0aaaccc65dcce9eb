"""The citations of an answer while it streams: its markers, checked against what was found so far; knows no Qt."""

from collections.abc import Sequence

from workbench.agent.markers import find_markers, standing
from workbench.model.hit import Citation, NumberedHit, Reference


class StreamedCitations:
    """Reads one answer again and again while it grows; looks anew only at what may still change."""

    def __init__(self) -> None:
        self._stands = ""
        self._searches = 0
        self._citations: tuple[Citation, ...] = ()

    def read(self, answer: str, references: Sequence[Reference]) -> tuple[Citation, ...]:
        """Return the citations of an answer as it stands.

        Args:
            answer: The answer so far.
            references: What was found so far; what was withheld from the answerer can not be cited.
        """
        if not answer.startswith(self._stands) or len(references) != self._searches:
            self._stands, self._searches, self._citations = "", len(references), ()
        start = len(self._stands)
        offered = (reference for reference in references if not reference.withheld)
        numbered = {hit.number: hit for reference in offered for hit in reference.hits}
        citations = self._citations + tuple(
            provisional(marker.number, numbered.get(marker.number), start + marker.start, start + marker.end)
            for marker in find_markers(answer[start:])
        )
        stands = standing(answer, start)
        if stands > start:
            self._stands = answer[:stands]
            self._citations = tuple(citation for citation in citations if citation.answer_start < stands)
        return citations


def provisional(number: int, numbered: NumberedHit | None, start: int, end: int) -> Citation:
    """Return the citation that a marker would be; not valid where nothing was found under its number."""
    if numbered is None:
        return Citation(number, False, answer_start=start, answer_end=end)
    hit, chunk = numbered.hit, numbered.hit.chunk
    return Citation(
        number,
        True,
        document=chunk.document,
        document_name=hit.document_name,
        path=hit.path,
        page=hit.page,
        chunk=chunk.id,
        chunk_ordinal=chunk.ordinal,
        start=chunk.start,
        end=chunk.end,
        quote=chunk.text,
        sha256=chunk.sha256,
        answer_start=start,
        answer_end=end,
        headings=hit.headings,
        page_kind=hit.page_kind,
        page_label=hit.label_of(hit.page),
        ocr=hit.page in hit.ocr_pages,
    )
