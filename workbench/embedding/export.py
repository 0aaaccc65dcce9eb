"""Export of a sentence-transformers model to ONNX graphs and a tokenizer, in a child process.

The graphs are changed after the export: attention without a mask, and weights in a separate memory-mapped file.
`import sentence_transformers` takes 4 s and 500 MB, which are spent in the child process and released when it ends.
"""

import hashlib
import json
import logging
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from workbench.egress.telemetry import SWITCHES
from workbench.embedding.export_manifest import (
    ExportManifest,
    earlier_folders,
    graph_path,
    read_manifest,
    tokenizer_path,
)
from workbench.errors import EmbeddingError
from workbench.files.changes import delete_file, delete_folder, move_into_place, temporary_folder
from workbench.worker.confinement import Confinement, confine_process

_log = logging.getLogger(__name__)

# Upper limit of the sequence length, regardless of the model's own: attention's memory grows with the square.
_LONGEST = 8192

_UNFINISHED = "exporting-"
_LEFTOVER_SECONDS = 3600

_SAMPLE = (
    "A short text.",
    "The library holds documents; each of them is cut into passages, and each passage gets a vector of its own.",
)

_MASK = "attention_mask"

# Minimum size of the weights that are moved into a separate file, which is mapped; smaller ones stay in the graph.
# Half of the built-in model is a table with a row for each of 30,522 words. If it is mapped, only the rows of words
# that occur are read, and the system can reclaim unused pages. For int8 and fp32: loading takes 0.10 and 0.12 s instead
# of 0.13 and 0.36, and 20 and 49 MB instead of 75 and 101; after the first batches, 38 and 36 MB less; the vectors are
# identical to the last bit, and the speed does not change.
#
# If another program truncates a mapped file, the process ends with SIGBUS. The files stay mapped nevertheless: they are
# in a cache folder that belongs to the program, which no sync client or backup tool is configured to use, only an
# export writes them, and the next start repeats an export in which a file has another size. Reading them into memory
# would take 55 MB more in every process that embeds; mapping a private copy would write 58 MB (int8) at each start, in
# 40 ms of processor time and 0.2 s.
_LEAST_BYTES = 1024


def export_model(model: str, folder: Path, *, name: str) -> ExportManifest:
    """Export a model into a folder that does not exist yet, and return its manifest.

    Args:
        model: Model folder in the format of sentence-transformers; the child process does not use the network.
        folder: Created only when the export is complete.
        name: Name of the model in the embedder's id.

    Raises:
        EmbeddingError: The model cannot be loaded or exported, or the folder cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(folder.parent)
        with temporary_folder(_UNFINISHED, inside=folder.parent) as temporary:
            unfinished = temporary / "model"
            unfinished.mkdir()
            _run_child(model, unfinished, name)
            try:
                move_into_place(unfinished, folder, within=folder.parent)
            except OSError:
                # Another process was faster, or the folder has an incomplete export.
                if read_manifest(folder) is None:
                    delete_folder(folder, within=folder.parent)
                    move_into_place(unfinished, folder, within=folder.parent)
    except OSError as error:
        raise EmbeddingError(
            f"The embedding model cannot be stored in {folder.parent}: {error.strerror or error}.",
            "Free some space there (about 250 MB), or make the folder writable.",
        ) from error
    manifest = read_manifest(folder)
    if manifest is None:
        raise EmbeddingError(f"The export of the embedding model “{name}” cannot be read.", f"Delete {folder}.")
    _remove_earlier(folder)
    return manifest


def _remove_earlier(folder: Path) -> None:
    for earlier in earlier_folders(folder):
        delete_folder(earlier, within=folder.parent)


def _remove_leftovers(cache: Path) -> None:
    """Delete the temporary folders of exports that were killed."""
    for folder in cache.glob(f"{_UNFINISHED}*"):
        if time.time() - folder.stat().st_mtime > _LEFTOVER_SECONDS:
            delete_folder(folder, within=cache)


def _run_child(model: str, folder: Path, name: str) -> None:
    request = json.dumps({"model": model, "folder": str(folder), "name": name})
    if getattr(sys, "frozen", False):
        # The executable is the program itself and cannot run a module; the memory is freed at the next start.
        error = _export_reporting(**json.loads(request))
        if error is not None:
            raise error
        return
    root = str(Path(__file__).resolve().parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])}
    environment |= SWITCHES
    # multiprocessing is not used: its children run the parent's main module again, which a script may not allow for.
    child = subprocess.run(
        [sys.executable, "-m", "workbench.embedding.export"],
        input=request,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        check=False,
    )
    answer = child.stdout.strip().splitlines()[-1:]
    if child.returncode == 0 and answer:
        failure = json.loads(answer[0])
        if failure is not None:
            raise EmbeddingError(*failure)
        return
    _log.info("The export ended with code %s: %s", child.returncode, child.stderr[-2000:])
    raise EmbeddingError(
        f"Preparing the embedding model “{name}” ended unexpectedly (code {child.returncode}).",
        "It needs about 1 GB of free memory; close other programs and try again.",
    )


def _child_main() -> None:
    """Read the request from stdin, export, and write null or [message, hint] as the last line of stdout."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    request = json.loads(sys.stdin.read())
    _confine(Path(request["model"]), Path(request["folder"]))
    error = _export_reporting(**request)
    sys.stdout.write("\n" + json.dumps(None if error is None else [error.message, error.hint]) + "\n")


def _confine(model: Path, folder: Path) -> None:
    """Restrict this process to the model's files and its output folder: weights may be untrusted, and can run code."""
    scratch = folder.with_name("scratch")
    scratch.mkdir()
    # Files in the hub's cache are symbolic links to its blob folder.
    links = {file.resolve().parent for file in model.rglob("*")} if model.is_dir() else set()
    rights = Confinement(reads=(model, *links), writes=(folder,), named=(*SWITCHES, "HF_HOME"), largest=None)
    os.environ["HF_HOME"] = str(scratch)
    confine_process(rights, scratch)


def _export_reporting(model: str, folder: str, name: str) -> EmbeddingError | None:
    """Export and return None, or the error to raise."""
    try:
        _export(model, Path(folder), name)
    except EmbeddingError as error:
        return error
    except OSError as error:
        # sentence-transformers raises OSError if a folder contains no model.
        return EmbeddingError(
            f"The embedding model “{name}” cannot be loaded: {_first_line(error)}", "Check the folder or hub name."
        )
    except Exception as error:  # noqa: BLE001 - a third-party model may raise anything; the parent reports the reason
        return EmbeddingError(
            f"The embedding model “{name}” cannot be used: {_first_line(error)}",
            "Choose another sentence-transformers model in the settings, or leave the field empty.",
        )
    return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _export(model: str, folder: Path, name: str) -> None:
    # Importing torch and transformers takes 4 s and 500 MB; nothing else needs them.
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    encoder = SentenceTransformer(
        model, device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
    )
    encoder.eval()
    _save_tokenizer(encoder, tokenizer_path(folder))
    _save_graph(encoder, graph_path(folder, "fp32"))
    dim = _check_graph(encoder, graph_path(folder, "fp32"))
    _remove_mask_if_unneeded(encoder, graph_path(folder, "fp32"))
    backends = ["fp32"]
    if _quantise(graph_path(folder, "fp32"), graph_path(folder, "int8")):
        backends.append("int8")
    prompts = {key: value or "" for key, value in encoder.prompts.items()}
    revision = _revision(encoder, prompts)
    for backend in backends:
        _move_weights_to_file(graph_path(folder, backend), revision=revision)
    ExportManifest(
        name=name,
        revision=revision,
        dim=dim,
        max_tokens=min(encoder.max_seq_length or 512, _LONGEST),
        query_prompt=prompts.get("query", ""),
        document_prompt=prompts.get("document") or prompts.get("passage", ""),
        modules=_module_names(encoder),
        backends=tuple(backends),
    ).write(folder)


def _save_tokenizer(encoder: Any, path: Path) -> None:
    from tokenizers import Tokenizer, normalizers

    fast = getattr(encoder.tokenizer, "backend_tokenizer", None)
    if fast is None:
        raise EmbeddingError(
            "The embedding model has no fast tokenizer.", "Choose a model that comes with a tokenizer.json."
        )
    fast.save(str(path))
    if getattr(encoder[0], "do_lower_case", False):
        # sentence-transformers converts to lower case before the tokenizer; inside it, the offsets stay correct.
        tokenizer = Tokenizer.from_file(str(path))
        steps = [normalizers.Lowercase()] + ([tokenizer.normalizer] if tokenizer.normalizer else [])
        tokenizer.normalizer = normalizers.Sequence(steps)
        tokenizer.save(str(path))


def _save_graph(encoder: Any, path: Path) -> None:
    import torch

    class Encoder(torch.nn.Module):  # type: ignore[misc]  # torch is not read, see pyproject.toml
        """Sequence of all modules of the model, pooling and normalising included."""

        def __init__(self) -> None:
            super().__init__()
            self.stages = torch.nn.ModuleList(list(encoder))

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            for stage in self.stages:
                features = stage(features)
            vectors = torch.nn.functional.normalize(features["sentence_embedding"], dim=-1)
            # One vector per token, for late interaction; a model without a transformer has none.
            return (vectors, features["token_embeddings"]) if "token_embeddings" in features else vectors

    features = encoder.preprocess(list(_SAMPLE))
    batch = {0: "batch", 1: "tokens"}
    outputs = ["vectors", "token_vectors"] if "token_embeddings" in encoder(dict(features)) else ["vectors"]
    with torch.no_grad():
        torch.onnx.export(
            Encoder().eval(),
            (features["input_ids"], features["attention_mask"]),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=outputs,
            dynamic_axes={
                "input_ids": batch,
                "attention_mask": batch,
                "vectors": {0: "batch"},
                **({"token_vectors": batch} if len(outputs) > 1 else {}),
            },
            opset_version=17,
            # The newer exporter needs onnxscript, is slower, and produces the same graph.
            dynamo=False,
        )


def _remove_mask_if_unneeded(encoder: Any, graph: Path) -> None:
    """Replace a graph by one without its attention mask, if the results are the same."""
    unmasked = graph.with_name("unmasked.onnx")
    if not remove_attention_mask(graph, unmasked):
        return
    try:
        _check_graph(encoder, unmasked)
        move_into_place(unmasked, graph, within=graph.parent)
    except EmbeddingError:
        _log.info("This model's attention needs its mask")
        delete_file(unmasked, within=graph.parent)


def _check_graph(encoder: Any, path: Path) -> int:
    """Return the width of a vector, after comparing the graph with the model on texts of other lengths."""
    import numpy as np
    import onnxruntime

    texts = ["One.", "Another text, of a length that was not traced, so that a frozen shape is noticed. " * 4, "x y"]
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    # Run texts one by one: sequences are never padded, see onnx_embedder.py.
    features = [encoder.preprocess([text]) for text in texts]
    inputs = [{key: one[key].numpy() for key in ("input_ids", "attention_mask")} for one in features]
    got = np.concatenate([session.run(None, one)[0] for one in inputs])
    expected = encoder.encode(texts, prompt="", normalize_embeddings=True)
    cosine = float((got * expected).sum(axis=1).min())
    if not np.isfinite(cosine) or cosine < 0.999:
        raise EmbeddingError(
            f"The exported model does not agree with the original (cosine {cosine:.3f}).",
            "Choose another sentence-transformers model.",
        )
    return int(got.shape[1])


def _quantise(source: Path, target: Path) -> bool:
    """Write the int8 graph; return True on success."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    try:
        quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
        )
    except Exception:  # noqa: BLE001 - not every graph can be quantised; fp32 is used then
        _log.warning("This embedding model cannot be quantised; fp32 is used.", exc_info=True)
        delete_file(target, within=target.parent, missing_ok=True)
        return False
    return True


def _revision(encoder: Any, prompts: dict[str, str]) -> str:
    digest = hashlib.sha256(repr((_module_names(encoder), sorted(prompts.items()))).encode())
    for key, tensor in encoder.state_dict().items():
        digest.update(key.encode())
        digest.update(tensor.detach().float().contiguous().numpy().tobytes())
    return digest.hexdigest()[:12]


def _module_names(encoder: Any) -> tuple[str, ...]:
    names = []
    for module in encoder:
        mode = getattr(module, "pooling_mode", "")
        names.append(f"{type(module).__name__}({mode})" if mode else type(module).__name__)
    return tuple(names)


def remove_attention_mask(source: Path, target: Path) -> bool:
    """Write a graph without the additions of the mask before each softmax; return True if there were any.

    The mask is added to a score for each pair of tokens, in each head of each layer: 9 % of the time of int8. Without
    it, and without padding, 1,024 passages of 200 tokens take 7 % less, and a passage's int8 vector depends less on its
    batch.

    The caller must check that the results are unchanged: a model may use its mask for other information.
    """
    # Importing onnx takes 0.2 s, and only an export needs it.
    import onnx

    model = onnx.load(source)
    nodes = model.graph.node
    made_by = {output: node for node in nodes for output in node.output}
    dropped = 0
    # In the order of the layers: a layer after one whose mask was removed no longer depends on it.
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
    """Return True if a value is computed from the mask."""
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


def _move_weights_to_file(graph: Path, *, revision: str) -> None:
    """Move the weights of a graph into a file next to it.

    The file is mapped into memory; its name contains the revision, so that a graph can never load the weights of
    another one.
    """
    # Importing onnx takes 0.2 s, and only an export needs it.
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


if __name__ == "__main__":
    _child_main()
