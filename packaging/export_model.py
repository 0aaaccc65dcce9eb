"""Exports the built-in embedding model for wheels and the frozen program: they need neither torch nor transformers.

usage: export_model.py FOLDER

FOLDER gets one sub-folder with the files of an export (see workbench/embedding/export_manifest.py) and SHA256SUMS. An
export whose files still have these sums is left as it is.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

from workbench.embedding.export import export_model
from workbench.embedding.export_manifest import FILE_NAME, graph_path, read_manifest
from workbench.embedding.sentence_transformer import BUILT_IN, SHIPPED, built_in_folder

SUMS = "SHA256SUMS"
PAGE = 4096
"""Alignment of weights in bytes: onnxruntime maps only those that begin at a page, and reads others."""


def main(folder: Path) -> None:
    """Export the model, unless the folder has it."""
    if read_manifest(folder) is None or not is_intact(folder):
        export_model(str(built_in_folder()), folder, name=BUILT_IN)
        share_weights(folder)
        for path in folder.iterdir():
            path.chmod(0o644)  # in a cache the weights are the user's alone; here every user reads them
        (folder / SUMS).write_text(sums(folder), encoding="utf-8")
    sys.stdout.write((folder / SUMS).read_text(encoding="utf-8"))


def share_weights(folder: Path) -> None:
    """Let the int8 graph use the weights of the fp32 graph that it has, too: the table of words, 47 MB."""
    manifest = read_manifest(folder)
    assert manifest is not None
    fp32, int8 = (onnx.load(graph_path(folder, name), load_external_data=False) for name in ("fp32", "int8"))
    (shared_file,) = folder.glob("fp32-*.weights")
    (own_file,) = folder.glob("int8-*.weights")
    shared, own = shared_file.read_bytes(), own_file.read_bytes()
    places = {shared[slice(*stretch(tensor))]: tensor.external_data for tensor in external(fp32)}
    rest = bytearray()
    for tensor in external(int8):
        weights = own[slice(*stretch(tensor))]
        place = places.get(weights)
        entries = {entry.key: entry for entry in tensor.external_data}
        if place is not None:
            del tensor.external_data[:]
            tensor.external_data.extend(place)
        else:
            entries["offset"].value = str(len(rest))
            rest += weights + bytes(-len(weights) % PAGE)
    own_file.write_bytes(rest)
    onnx.save(int8, graph_path(folder, "int8"))
    (folder / FILE_NAME).unlink()
    manifest.write(folder)


def external(model: Any) -> Iterator[Any]:
    """Yield the tensors of a graph that lie in another file."""
    return (tensor for tensor in model.graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL)


def stretch(tensor: Any) -> tuple[int, int]:
    """Return where a tensor begins and ends in its file."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    return int(entries["offset"]), int(entries["offset"]) + int(entries["length"])


def is_intact(folder: Path) -> bool:
    """Return whether the files have the recorded sums."""
    recorded = folder / SUMS
    return recorded.is_file() and recorded.read_text(encoding="utf-8") == sums(folder)


def sums(folder: Path) -> str:
    """Return the SHA-256 of each file, in the format of sha256sum."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


if __name__ == "__main__":
    main(Path(sys.argv[1]) / SHIPPED)
