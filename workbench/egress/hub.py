"""Download of Hugging Face models through the gate.

Left alone, sentence-transformers and transformers fetch models with their own HTTP clients, with the endpoint and key
from the environment, and check for updates at each start. So they are only ever given local folders.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, redirect_refused
from workbench.errors import DownloadFailed, NetworkClosed
from workbench.files.changes import delete_folder, move_into_place, temporary_folder
from workbench.language import mark
from workbench.model.egress import MODEL_HUB, Purpose, host_of

if TYPE_CHECKING:
    import httpx2

_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_ORGANISATION = "sentence-transformers"
"""Organisation of model names without one."""
_MAIN = "main"
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_MOST_FILES = 300
_MOST_BYTES = 20 * 2**30
_LISTING_BYTES = 8 * 2**20
_PIECE = 1 << 20
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 60.0
_UNFINISHED = "downloading-"

_TEXTS = (".json", ".txt", ".model", ".jinja", ".vocab", ".spm", ".tiktoken")
_WEIGHTS = (".safetensors", ".bin")
# Copies of the model in formats for other programs, and files left over from training.
_OTHERS = ("onnx/", "openvino/", "coreml/", "tf_model", "flax_model", "training_args", "optimizer", "scheduler", "rng_")


@dataclass(frozen=True, slots=True)
class ModelHub:
    """Source of models and the folder in which they are stored.

    Attributes:
        gate: Gate for the downloads.
        folder: Parent of the models' folders; None stores and downloads none.
        address: Address of Hugging Face or of a mirror.
    """

    gate: EgressGate = LOOPBACK_ONLY
    folder: Path | None = None
    address: str = MODEL_HUB

    def model(self, name: str) -> Path:
        """Return the folder of a model, which is downloaded first if necessary; blocking, may be gigabytes.

        Args:
            name: Name on the hub: “organisation/model”.

        Raises:
            NetworkClosed: The model must be downloaded, and offline mode is on.
            DownloadFailed: There is no such model, or it cannot be downloaded.
        """
        if not _NAME.fullmatch(name):
            raise DownloadFailed(f"“{name}” is not the name of a model.", "Give it like “organisation/model”.")
        whole = name if "/" in name else f"{_ORGANISATION}/{name}"
        for one in dict.fromkeys((name, whole)):
            if (folder := self._stored_folder(one) or _cached_folder(one)) is not None:
                return folder
        if self.folder is None:
            raise DownloadFailed(f"The model “{name}” is not on this computer.", "Give the folder of a model.")
        return _Download(self, self.folder, whole).run()

    def _stored_folder(self, name: str) -> Path | None:
        folder = self.folder / _folder_name(name) if self.folder is not None else None
        return folder if folder is not None and _is_usable(folder) else None


NO_HUB = ModelHub()
"""Hub that only finds models already on this machine and downloads nothing."""


class _Download:
    """Download of one model."""

    def __init__(self, hub: ModelHub, folder: Path, name: str) -> None:
        self._hub = hub
        self._folder = folder
        self._name = name
        self._base = hub.address.rstrip("/")

    def run(self) -> Path:
        import httpx2

        from workbench.egress.clients import sync_client  # httpx2 takes 0.1 s

        parts = urlsplit(self._base)
        host = parts.hostname or ""
        self._hub.gate.check(Purpose.MODEL_DOWNLOAD, host, port=parts.port or 443, address=f"{self._base}/{self._name}")
        timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with (
                sync_client(
                    self._hub.gate,
                    Purpose.MODEL_DOWNLOAD,
                    by_proxy=True,
                    timeout=timeout,
                    headers={"User-Agent": "knowledge-workbench", "Accept-Encoding": "identity"},
                ) as client,
                temporary_folder(_UNFINISHED, inside=self._folder) as temporary,
            ):
                return self._fetch(client, temporary / "model")
        except httpx2.HTTPError as error:
            raise self._make_error(mark(f"there is no connection to {host}")) from error
        except OSError as error:
            raise self._make_error(error.strerror or str(error)) from error

    def _fetch(self, client: "httpx2.Client", unfinished: Path) -> Path:
        listing = self._listing(client)
        revision = str(listing.get("sha") or _MAIN)
        files = chosen_files(listing.get("siblings") or ())
        if not any(file.name.endswith(_WEIGHTS) for file in files):
            raise self._make_error(mark("it has no weights that can be used here"))
        for file in files:
            self._save(client, file, revision, unfinished / file.name)
        target = self._folder / _folder_name(self._name)
        if not _is_usable(target):
            delete_folder(target, within=self._folder)
            move_into_place(unfinished, target, within=self._folder)
        return target

    def _listing(self, client: "httpx2.Client") -> Mapping[str, Any]:
        with _FollowedResponse(client, f"{self._base}/api/models/{self._name}/revision/{_MAIN}?blobs=true") as response:
            if response.status_code in (401, 403, 404):
                raise self._make_error(mark("there is no such model, or it is not public"))
            if response.status_code != 200:
                raise self._make_error(mark(f"{urlsplit(self._base).netloc} failed (error {response.status_code})"))
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > _LISTING_BYTES:
                    break
        try:
            listing = json.loads(body)
        except ValueError as error:
            raise self._make_error(mark("the server there is not a model hub")) from error
        if not isinstance(listing, dict):
            raise self._make_error(mark("the server there is not a model hub"))
        return listing

    def _save(self, client: "httpx2.Client", file: "HubFile", revision: str, path: Path) -> None:
        address = f"{self._base}/{self._name}/resolve/{quote(revision, safe='')}/{quote(file.name)}"
        path.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with _FollowedResponse(client, address) as response, path.open("wb") as target:
            if response.status_code != 200:
                raise self._make_error(mark(f"“{file.name}” could not be downloaded (error {response.status_code})"))
            for piece in response.iter_bytes(_PIECE):
                size += len(piece)
                if size > _MOST_BYTES:
                    raise self._make_error(mark(f"“{file.name}” is too large"))
                digest.update(piece)
                target.write(piece)
        if (file.sha256 and digest.hexdigest() != file.sha256) or (file.size is not None and size != file.size):
            raise self._make_error(mark(f"“{file.name}” arrived damaged"))

    def _make_error(self, why: str) -> DownloadFailed:
        return DownloadFailed(
            f"The model “{self._name}” cannot be downloaded: {why}.",
            "Check its name and the network; or download it elsewhere, and give its folder.",
        )


@dataclass(frozen=True, slots=True)
class HubFile:
    """File of a model; size and sha256 if the hub provides them."""

    name: str
    size: int | None = None
    sha256: str = ""


def chosen_files(siblings: Iterable[Any]) -> list[HubFile]:
    """Return the files of a listing that sentence-transformers loads: no code, and the weights in one format only."""
    files = [file for one in siblings if (file := _file(one)) is not None]
    has_safe = any(file.name.endswith(".safetensors") for file in files)
    wanted = (*_TEXTS, ".safetensors") if has_safe else (*_TEXTS, ".bin")
    found = [file for file in files if file.name.endswith(wanted) and not _is_for_others(file.name)]
    total = sum(file.size or 0 for file in found)
    if len(found) > _MOST_FILES or total > _MOST_BYTES:
        raise DownloadFailed("The model is too large.", "Choose a smaller one.")
    return found


def _is_for_others(name: str) -> bool:
    return name.startswith(_OTHERS) or PurePosixPath(name).name.startswith(_OTHERS)


def _file(said: Any) -> HubFile | None:
    name = said.get("rfilename") if isinstance(said, dict) else None
    if not isinstance(name, str) or not _is_inside(name):
        return None
    lfs = said.get("lfs")
    sha256 = lfs.get("sha256") if isinstance(lfs, dict) else ""
    size = said.get("size")
    return HubFile(name, size if isinstance(size, int) else None, sha256 if isinstance(sha256, str) else "")


def _is_inside(name: str) -> bool:
    """Return True if a file name stays inside its folder on every operating system."""
    path = PurePosixPath(name)
    parts_are_plain = all(re.fullmatch(r"[\w .+=@-]+", part) and part.strip(". ") for part in path.parts)
    return bool(name) and not path.is_absolute() and parts_are_plain


class _FollowedResponse:
    """Context manager for a response after its redirects; no credentials are sent that a redirect could leak."""

    def __init__(self, client: "httpx2.Client", address: str) -> None:
        self._client = client
        self._address = address
        self._response: httpx2.Response | None = None

    def __enter__(self) -> "httpx2.Response":
        import httpx2

        address = self._address
        for _ in range(_MOST_REDIRECTS + 1):
            response = self._send(address)
            place = response.headers.get("location", "")
            if response.status_code not in _REDIRECTS or not place:
                self._response = response
                return response
            response.close()
            following = urljoin(address, place)
            if urlsplit(address).scheme == "https" and urlsplit(following).scheme != "https":
                raise httpx2.UnsupportedProtocol("a redirect leads to an address without encryption")
            address = following
        raise httpx2.TooManyRedirects("too many redirects")

    def _send(self, address: str) -> "httpx2.Response":
        try:
            return self._client.send(self._client.build_request("GET", address), stream=True)
        except NetworkClosed as error:
            first, host = host_of(self._address), host_of(address)
            raise (redirect_refused(first, host) if host != first else error) from error

    def __exit__(self, *_error: object) -> None:
        if self._response is not None:
            self._response.close()


def _folder_name(name: str) -> str:
    return name.replace("/", "--")


def _is_usable(folder: Path) -> bool:
    is_model = any((folder / name).is_file() for name in ("config.json", "modules.json"))
    return is_model and any(path.suffix in _WEIGHTS for path in folder.rglob("*"))


def _cached_folder(name: str) -> Path | None:
    """Return the folder of a model in this user's Hugging Face cache, None if there is none."""
    home = os.environ.get("HF_HOME") or os.path.join("~", ".cache", "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub")).expanduser()
    models = hub / f"models--{_folder_name(name)}"
    try:
        revision = (models / "refs" / _MAIN).read_text("utf-8").strip()
    except (OSError, ValueError):
        return None
    folder = models / "snapshots" / revision
    return folder if re.fullmatch(r"\w+", revision) and _is_usable(folder) else None
