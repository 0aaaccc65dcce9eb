"""Passages from outside the library: numbered, cited, stored and shown to the model like any other."""

from workbench.agent.citations import find_citations
from workbench.agent.references import RunReferences, outside_result
from workbench.model.hit import Hit, NumberedHit, OutsidePassage, Reference, SearchMode, SearchResult, outside_hit
from workbench.store.stored_values import decode_value, encode_value

PASSAGE = OutsidePassage(
    "The harbour froze on 3 May. The ice was thick.", "Log", '{"year": 1893, "citation": 9}', "x://1"
)


def hit(passage: OutsidePassage = PASSAGE, origin: str = "notes") -> Hit:
    return outside_hit(passage, origin=origin, rank=1)


def numbers(references: RunReferences, *hits: Hit) -> list[int]:
    added = references.add("ice", SearchResult("ice", SearchMode.HYBRID, hits, 1.0), seconds=0.1)
    return [numbered.number for numbered in added.hits]


def test_the_same_passage_keeps_its_number_and_another_gets_its_own() -> None:
    references = RunReferences()
    other = hit(OutsidePassage("Something else.", "Log"))
    assert numbers(references, hit()) == [1]
    assert numbers(references, other, hit()) == [2, 1]
    assert numbers(references, hit(origin="letters")) == [3]


def test_its_id_is_never_that_of_a_chunk() -> None:
    assert hit().chunk.id < 0
    assert hit().chunk.id >= -(2**63)


def test_a_claim_is_cited_by_the_sentence_that_supports_it() -> None:
    [citation] = find_citations("It froze on 3 May [1].", {1: NumberedHit(1, hit())})
    assert citation.valid
    assert citation.quote == "The harbour froze on 3 May."
    assert (citation.document, citation.document_name, citation.path, citation.origin) == (
        None,
        "Log",
        "x://1",
        "notes",
    )


def test_s21_it_is_kept_with_the_run_word_for_word() -> None:
    reference = Reference("ice", (NumberedHit(1, hit()),), 0.1234)
    assert decode_value(Reference, encode_value(reference)) == reference


def test_a_run_that_was_kept_before_there_were_such_passages_is_read() -> None:
    kept = encode_value(hit())
    del kept["origin"], kept["meta_data"]
    assert not decode_value(Hit, kept).is_outside


def test_s19_the_model_receives_the_name_metadata_and_citation_number_of_an_outside_passage() -> None:
    seen = outside_result(NumberedHit(4, hit()), PASSAGE.text)
    assert seen == {
        "name": "Log",
        "meta_data": {"citation": 4, "from": "notes", "year": 1893},
        "content": PASSAGE.text,
    }


def test_s19_a_missing_name_is_omitted() -> None:
    assert "name" not in outside_result(NumberedHit(1, hit(OutsidePassage("ice"))), "ice")
