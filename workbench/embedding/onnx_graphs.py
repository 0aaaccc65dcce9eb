"""Changes to exported ONNX graphs: attention without a mask, and weights in a file of their own that is mapped."""

from pathlib import Path
from typing import Any

from workbench.files.changes import delete_file

_MASK = "attention_mask"


def remove_attention_mask(source: Path, target: Path) -> bool:
    """Write a graph without the additions of the mask before each softmax, and return whether there were any.

    Whether it still does what the model does is for the caller to find out: a model may add more with its mask.
    """
    # Heavy: 0.2 s; needed by an export only.
    import onnx

    model = onnx.load(source)
    nodes = model.graph.node
    made_by = {output: node for node in nodes for output in node.output}
    dropped = 0
    # In the order of the layers: what comes after a layer whose mask is gone no longer depends on it.
    for softmax in (node for node in nodes if node.op_type == "Softmax"):
        added = made_by.get(softmax.input[0])
        if added is None or added.op_type != "Add":
            continue
        masked = [_depends(name, made_by) for name in added.input]
        if masked.count(True) == 1:
            softmax.input[0] = added.input[masked.index(False)]
            dropped += 1
    if not dropped:
        return False
    _remove_unused(model.graph)
    onnx.save(model, target)
    return True


def _depends(name: str, made_by: dict[str, Any]) -> bool:
    """Tell whether a value is made from the mask."""
    seen, open_names = set(), [name]
    while open_names:
        one = open_names.pop()
        if one == _MASK:
            return True
        node = made_by.get(one)
        if node is not None and one not in seen:
            seen.add(one)
            open_names.extend(node.input)
    return False


def _remove_unused(graph: Any) -> None:
    while True:
        used = {name for node in graph.node for name in node.input} | {output.name for output in graph.output}
        unused = [node for node in graph.node if not used.intersection(node.output)]
        if not unused:
            return
        for node in unused:
            graph.node.remove(node)


# Smaller ones stay in the graph.
_LEAST_BYTES = 1024


def move_weights_to_file(graph: Path, *, revision: str) -> None:
    """Move the weights of a graph into a file beside it.

    Its name says of which revision they are: a graph finds its own weights or none.
    """
    # Heavy: 0.2 s; needed by an export only.
    import onnx

    location = f"{graph.stem}-{revision}.weights"
    model = onnx.load(graph)
    delete_file(graph, within=graph.parent)
    onnx.save_model(
        model,
        graph,
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=location,
        size_threshold=_LEAST_BYTES,
    )
