"""Text differences."""

import pytest

from workbench.model.text_diff import DiffKind, DiffStretch, text_diff, written


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "new"),
        ("old", ""),
        ("The ferry Aurora stayed.", "The ferry Polaris stayed long."),
        ("港口的水深是十二米。", "港口的水深是十三米。"),
        ("a\n\nb", "a\nb"),
        ("word " * 5000, "word " * 4999 + "other"),
        ("same", "same"),
    ],
)
def test_kept_and_deleted_spans_form_the_old_text_and_kept_and_inserted_spans_the_new_text(
    before: str, after: str
) -> None:
    parts = text_diff(before, after)
    assert "".join(one.text for one in parts if one.piece is not DiffKind.IN) == before
    assert "".join(one.text for one in parts if one.piece is not DiffKind.OUT) == after


def test_a_difference_is_of_whole_words_and_single_ideographs() -> None:
    assert written("The ferry Aurora stayed.", "The ferry Polaris stayed.") == "The ferry [-Aurora-]{+Polaris+} stayed."
    assert written("水深是十二米。", "水深是十三米。") == "水深是十[-二-]{+三+}米。"


def test_texts_of_the_same_few_pieces_repeated_are_compared_as_wholes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.model.text_diff._MOST_WORK", 100_000)
    before = "{0}" * 200
    assert text_diff(before, before[::2]) == (DiffStretch(DiffKind.OUT, before), DiffStretch(DiffKind.IN, before[::2]))
