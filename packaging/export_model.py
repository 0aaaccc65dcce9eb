"""Exports the built-in embedding model for wheels and the frozen program: they need neither torch nor transformers.

usage: export_model.py FOLDER [EXPORT]

FOLDER gets one sub-folder with the files of an export (see workbench/embedding/export_manifest.py) and SHA256SUMS. An
export whose files still have these sums is left as it is. EXPORT is the folder of an export that is used instead of a
new one, which takes 20 s.
"""

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from workbench.embedding.export import export_model
from workbench.embedding.export_manifest import FILE_NAME, graph_path, read_manifest
from workbench.embedding.sentence_transformer import BUILT_IN, SHIPPED, built_in_folder

SUMS = "SHA256SUMS"
PAGE = 4096
"""Alignment of weights in bytes: onnxruntime maps only those that begin at a page, and reads others."""


def main(folder: Path, export: Path | None) -> None:
    """Export the model, or copy an export of it, unless the folder has it."""
    if read_manifest(folder) is None or not is_intact(folder):
        if export is None:
            export_model(str(built_in_folder()), folder, name=BUILT_IN)
        else:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(export, folder, ignore=shutil.ignore_patterns("speed.json"))
        compact(folder)
        for path in folder.iterdir():
            path.chmod(0o644)  # in a cache the weights are the user's alone; here every user reads them
        (folder / SUMS).write_text(sums(folder), encoding="utf-8")
    sys.stdout.write((folder / SUMS).read_text(encoding="utf-8"))


def compact(folder: Path) -> None:
    """Let the int8 graph use the weights of the fp32 graph that it has, too: the table of words, 47 MB.

    The matrices of the fp32 graph alone, 43 MB, are stored in half precision and converted when the graph is loaded.
    Its vectors keep a cosine of 0.999999 to those of a checkout's export; vectors of the int8 graph are the same.
    """
    manifest = read_manifest(folder)
    assert manifest is not None
    fp32, int8 = (onnx.load(graph_path(folder, name), load_external_data=False) for name in ("fp32", "int8"))
    (shared_file,) = folder.glob("fp32-*.weights")
    (own_file,) = folder.glob("int8-*.weights")
    shared, own = shared_file.read_bytes(), own_file.read_bytes()
    of_both = {own[slice(*stretch(tensor))] for tensor in external(int8)}
    places: dict[bytes, int] = {}
    kept, rest = bytearray(), bytearray()
    for tensor in list(external(fp32)):
        weights = shared[slice(*stretch(tensor))]
        if weights not in of_both and len(tensor.dims) == 2:
            weights = np.frombuffer(weights, np.float32).astype(np.float16).tobytes()
            convert_when_loaded(fp32, tensor)
        places[weights] = len(kept)
        set_place(tensor, shared_file.name, append(kept, weights), len(weights))
    for tensor in external(int8):
        weights = own[slice(*stretch(tensor))]
        if weights in places:
            set_place(tensor, shared_file.name, places[weights], len(weights))
        else:
            set_place(tensor, own_file.name, append(rest, weights), len(weights))
    shared_file.write_bytes(kept)
    own_file.write_bytes(rest)
    onnx.save(fp32, graph_path(folder, "fp32"))
    onnx.save(int8, graph_path(folder, "int8"))
    (folder / FILE_NAME).unlink()
    manifest.write(folder)


def convert_when_loaded(model: Any, tensor: Any) -> None:
    """Declare a tensor as one in half precision; onnxruntime converts it once, when it loads the graph."""
    name, tensor.name = tensor.name, f"{tensor.name}_half"
    tensor.data_type = onnx.TensorProto.FLOAT16
    model.graph.node.insert(0, onnx.helper.make_node("Cast", [tensor.name], [name], to=onnx.TensorProto.FLOAT))


def append(file: bytearray, weights: bytes) -> int:
    """Append weights to the contents of a file, up to the end of a page, and return where they begin."""
    start = len(file)
    file += weights + bytes(-len(weights) % PAGE)
    return start


def external(model: Any) -> Iterator[Any]:
    """Yield the tensors of a graph that lie in another file."""
    return (tensor for tensor in model.graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL)


def stretch(tensor: Any) -> tuple[int, int]:
    """Return where a tensor begins and ends in its file."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    return int(entries["offset"]), int(entries["offset"]) + int(entries["length"])


def set_place(tensor: Any, file: str, start: int, length: int) -> None:
    """Set the file of a tensor, where it begins there, and its length in bytes."""
    del tensor.external_data[:]
    for key, value in (("location", file), ("offset", str(start)), ("length", str(length))):
        tensor.external_data.add(key=key, value=value)


def is_intact(folder: Path) -> bool:
    """Return whether the files have the recorded sums."""
    recorded = folder / SUMS
    return recorded.is_file() and recorded.read_text(encoding="utf-8") == sums(folder)


def sums(folder: Path) -> str:
    """Return the SHA-256 of each file, in the format of sha256sum."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


if __name__ == "__main__":
    main(Path(sys.argv[1]) / SHIPPED, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
