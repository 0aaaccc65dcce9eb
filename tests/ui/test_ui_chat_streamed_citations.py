"""Citations of a streamed answer are equal to those of the complete answer."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from ui_runs import hit, reference

from workbench.agent.markers import find_markers
from workbench.ui.chat.run_progress import StreamedCitations

FOUND = [reference(hit(1), hit(2))]
PIECES = (
    "Words that say something [1]. ",
    "Words and more words, and no source. " * 20,
    "Invented [7], and two [1][2], and [1-2].\n",
    "\n\n",
    "\n",
    "An open ` tick ",
    "$$",
    "```python\nx[1]\n",
    "```\n",
    "[a [1] label](https://example.org) ",
    "[1]: https://example.org\n",
    "[1",
    ", 2] ",
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.lists(st.integers(0, 20_000), max_size=20))
def test_citations_of_a_stream_are_those_of_the_whole(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    streamed = StreamedCitations()
    for end in [*sorted(cut for cut in cuts if cut < len(text)), len(text)]:
        assert streamed.read(text[:end], FOUND) == StreamedCitations().read(text[:end], FOUND)
    found = streamed.read(text, FOUND)
    assert [(citation.marker, citation.answer_start) for citation in found] == [
        (marker.number, marker.start) for marker in find_markers(text)
    ]
    assert all(citation.valid == (citation.marker in (1, 2)) for citation in found)


def test_passages_found_later_make_earlier_citation_markers_valid() -> None:
    streamed = StreamedCitations()
    text = "As said [1]. " + "Words. " * 1000
    assert not streamed.read(text, [])[0].valid
    assert streamed.read(text, FOUND)[0].valid
    assert not streamed.read(text, [replace(FOUND[0], withheld=True)] * 2)[0].valid


def test_citations_of_a_restarted_answer_are_parsed_from_its_start() -> None:
    streamed = StreamedCitations()
    streamed.read("Words [1].\n" * 1000, FOUND)
    assert [citation.answer_start for citation in streamed.read("Other [2].", FOUND)] == [6]
