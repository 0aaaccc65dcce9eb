"""Graphs of one small attention, with and without its mask."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray

from workbench.embedding.export import remove_attention_mask


def attention(path: Path, *, added: str = "bias") -> Path:
    """Write softmax(scores + added); the bias is made from the mask, as models make it."""
    graph = onnx.parser.parse_graph(
        f"""attention (float[2, 3, 3] scores, float[2, 1, 3] attention_mask, float[1, 3, 3] position)
            => (float[2, 3, 3] weights) {{
                one = Constant <value = float {{1.0}}> ()
                large = Constant <value = float {{-10000.0}}> ()
                hidden = Sub (one, attention_mask)
                bias = Mul (hidden, large)
                summed = Add (scores, {added})
                weights = Softmax <axis = -1> (summed)
            }}"""
    )
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=10), path)
    return path


def weights(path: Path, mask: list[int]) -> NDArray[np.float32]:
    scores = np.arange(18, dtype=np.float32).reshape(2, 3, 3)
    inputs = {
        "scores": scores,
        "attention_mask": np.array([[mask]] * 2, np.float32),
        "position": np.ones((1, 3, 3), np.float32),
    }
    result: NDArray[np.float32] = onnxruntime.InferenceSession(path).run(None, inputs)[0]
    return result


def test_without_its_mask_attention_is_what_it_is_where_nothing_is_masked(tmp_path: Path) -> None:
    masked, unmasked = attention(tmp_path / "masked.onnx"), tmp_path / "unmasked.onnx"
    assert remove_attention_mask(masked, unmasked)
    assert np.allclose(weights(unmasked, [1, 1, 1]), weights(masked, [1, 1, 1]))
    assert np.allclose(weights(unmasked, [1, 1, 0]), weights(masked, [1, 1, 1]))
    assert [node.op_type for node in onnx.load(unmasked).graph.node] == ["Softmax"]


def test_a_position_that_is_added_stays(tmp_path: Path) -> None:
    assert not remove_attention_mask(attention(tmp_path / "masked.onnx", added="position"), tmp_path / "unmasked.onnx")
    assert not (tmp_path / "unmasked.onnx").exists()
