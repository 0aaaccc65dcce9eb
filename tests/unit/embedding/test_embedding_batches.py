"""How texts are batched."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.embedding.batches import pad, plan_batches


@given(st.lists(st.integers(1, 300), max_size=60), st.integers(1, 2000))
def test_every_sequence_is_in_one_batch_within_the_budget(lengths: list[int], tokens: int) -> None:
    batches = list(plan_batches(lengths, tokens=tokens))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= tokens


def test_sequences_of_like_length_share_a_batch() -> None:
    assert list(plan_batches([5, 100, 6, 99], tokens=200)) == [[1, 3], [2, 0]]


def test_padding_is_masked() -> None:
    inputs = pad([[7, 8, 9], [5]])
    assert inputs["input_ids"].tolist() == [[7, 8, 9], [5, 0, 0]]
    assert inputs["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
