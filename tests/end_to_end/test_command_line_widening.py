"""search --context and --section: the text around each hit, and the warning about an unsure search."""

from pathlib import Path
from typing import Any

import pytest

FILLER = "The quay is swept every morning by two people of the town, whatever the weather brings. "
TEXT = (
    "# Log\n\n## Ice\n\n"
    + "".join(f"Paragraph {number} tells of the ice of the harbour. {FILLER * 12}\n\n" for number in range(1, 6))
    + "## Sales\n\nThe kiosk sold forty lanterns.\n"
)


@pytest.fixture
def log(shell: Any, tmp_path: Path) -> str:
    (tmp_path / "log.md").write_text(TEXT, "utf-8")
    shell("add", tmp_path / "log.md")
    return TEXT


def test_context_and_section_are_slices_of_the_text_around_each_hit(shell: Any, log: str) -> None:
    (plain,) = shell("search", "Paragraph 3 ice of the harbour", "-k", 1)
    assert "around" not in plain["hits"][0]
    (near,) = shell("search", "Paragraph 3 ice of the harbour", "-k", 1, "--context", 1)
    hit = near["hits"][0]
    around = hit["around"]
    assert around["start"] < hit["start"] < hit["end"] < around["end"]
    assert hit["text"] in around["text"]
    (whole,) = shell("search", "Paragraph 3 ice of the harbour", "-k", 1, "--section")
    section = whole["hits"][0]["around"]
    assert "Paragraph 1 tells" in section["text"]
    assert "Paragraph 5 tells" in section["text"]
    assert "lanterns" not in section["text"]
    assert not section["cut"]
    assert len(section["text"]) == section["end"] - section["start"]


def test_e32_hits_of_an_unsure_search_are_shown_and_marked_as_unsure(shell: Any, log: str) -> None:
    (near,) = shell("search", "How many lanterns did the kiosk sell?")
    assert near["sure"]
    (far,) = shell("search", "Which violin concerto of Sibelius was first performed in Helsinki before the war?")
    assert (far["sure"], far["below_floor"], far["floor"]) == (False, False, 0.0)
    assert far["hits"]
    assert far["certainty"] < far["sure_from"] <= near["certainty"]


def test_e32_a_question_not_found_gets_no_answer_and_its_hits_can_be_viewed(shell: Any, log: str) -> None:
    (run,) = shell("ask", "Which violin concerto of Sibelius was first performed in Helsinki before the war?")
    assert (run["refused"], run["certainty"]) == (True, "not_found")
    assert run["citations"] == []
    (reference,) = run["references"]
    assert not reference["withheld"]
    assert reference["hits"]
