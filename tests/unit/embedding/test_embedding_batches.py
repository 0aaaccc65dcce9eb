"""Batches of texts."""

from hypothesis import given
from hypothesis import strategies as st

from workbench.embedding.onnx_embedder import model_inputs, plan_batches


@given(st.lists(st.integers(0, 300), max_size=60), st.integers(1, 2000))
def test_every_sequence_is_in_one_batch_within_the_budget(lengths: list[int], tokens: int) -> None:
    batches = list(plan_batches(lengths, tokens=tokens))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or sum(lengths[index] for index in batch) <= tokens


def test_only_sequences_of_one_length_share_a_batch() -> None:
    assert list(plan_batches([5, 100, 6, 100, 5, 5], tokens=10)) == [[1], [3], [2], [0, 4], [5]]


def test_all_tokens_of_a_batch_count() -> None:
    inputs = model_inputs([[7, 8, 9], [5, 6, 4]])
    assert inputs["input_ids"].tolist() == [[7, 8, 9], [5, 6, 4]]
    assert inputs["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 1]]
