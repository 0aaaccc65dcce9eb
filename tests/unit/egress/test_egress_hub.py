"""Models from a hub on loopback: downloaded through the gate, atomically, and only the files that are needed."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gates import ON, kept_gate
from web_site import Site, body, redirect, status

from workbench.egress.hub import NO_HUB, ModelHub, chosen_files
from workbench.errors import DownloadFailed, NetworkClosed
from workbench.model.egress import NetworkOutcome, Purpose

LISTING = "/api/models/org/tiny/revision/main?blobs=true"
FILES = {"config.json": b"{}", "model.safetensors": b"weights", "1_Pooling/config.json": b"{}"}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with Site() as site:
        offer(site, FILES)
        yield site


def offer(site: Site, files: dict[str, bytes], **wrong: Any) -> None:
    """Put a model on the site, optionally with a faulty listing of its weights."""
    siblings: list[dict[str, Any]] = [{"rfilename": name, "size": len(data)} for name, data in files.items()]
    siblings[1] |= {"lfs": {"sha256": hashlib.sha256(files["model.safetensors"]).hexdigest()}} | wrong
    site.replies = {LISTING: body(json.dumps({"sha": "abc123", "siblings": siblings}), "application/json")}
    site.replies |= {f"/org/tiny/resolve/abc123/{name}": body(data) for name, data in files.items()}


def test_a_model_is_downloaded_once_and_every_request_is_in_the_ledger(site: Site, tmp_path: Path) -> None:
    with kept_gate() as (gate, ledger):
        hub = ModelHub(gate, tmp_path / "models", site.url(""))
        folder = hub.model("org/tiny")
        assert {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()} == FILES
        gate.settle()
        assert [one.purpose for one in ledger.requests.values()] == [Purpose.MODEL_DOWNLOAD] * 4
        assert all("?" not in one.address for one in ledger.requests.values())
        asked = len(site.paths)
        assert hub.model("org/tiny") == folder
        assert len(site.paths) == asked


def test_in_offline_mode_nothing_is_asked(site: Site, tmp_path: Path) -> None:
    with kept_gate(lambda: ON) as (gate, ledger):
        with pytest.raises(NetworkClosed, match="was not asked"):
            ModelHub(gate, tmp_path, site.url("")).model("org/tiny")
        assert ledger.last.outcome is NetworkOutcome.REFUSED
    assert site.paths == []


def test_a_redirect_is_followed_and_carries_nothing(site: Site, tmp_path: Path) -> None:
    place = "/org/tiny/resolve/abc123/model.safetensors"
    site.replies |= {"/elsewhere": site.replies[place], place: redirect("/elsewhere")}
    with kept_gate() as (gate, _ledger):
        assert ModelHub(gate, tmp_path, site.url("")).model("org/tiny").is_dir()
    sent = {name.lower() for _path, headers in site.requests for name in headers}
    assert not sent & {"authorization", "cookie", "referer"}


@pytest.mark.parametrize("wrong", [{"lfs": {"sha256": "0" * 64}}, {"size": 3}])
def test_a_model_that_comes_damaged_is_not_kept(site: Site, tmp_path: Path, wrong: dict[str, Any]) -> None:
    offer(site, FILES, **wrong)
    with kept_gate() as (gate, _ledger), pytest.raises(DownloadFailed, match="arrived damaged"):
        ModelHub(gate, tmp_path / "models", site.url("")).model("org/tiny")
    assert [*(tmp_path / "models").iterdir()] == []


def test_a_model_missing_on_the_hub_is_reported(site: Site, tmp_path: Path) -> None:
    site.replies = {LISTING: status(401)}
    with kept_gate() as (gate, _ledger), pytest.raises(DownloadFailed, match="no such model"):
        ModelHub(gate, tmp_path, site.url("")).model("org/tiny")


def test_a_model_downloaded_by_another_program_is_used_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    model = tmp_path / "models--org--tiny"
    snapshot = model / "snapshots" / "abc123"
    snapshot.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("abc123")
    for name in ("config.json", "model.safetensors"):
        (snapshot / name).write_bytes(FILES[name])
    assert NO_HUB.model("org/tiny") == snapshot


def test_names_without_an_organisation_are_those_of_sentence_transformers(site: Site, tmp_path: Path) -> None:
    with kept_gate() as (gate, _ledger), pytest.raises(DownloadFailed):
        ModelHub(gate, tmp_path, site.url("")).model("tiny")
    assert site.paths == ["/api/models/sentence-transformers/tiny/revision/main?blobs=true"]


@pytest.mark.parametrize("name", ["../etc", "a/b/c", "https://evil/x", "a b", ""])
def test_an_invalid_model_name_is_rejected_without_a_request(name: str) -> None:
    with pytest.raises(DownloadFailed):
        NO_HUB.model(name)


@pytest.mark.parametrize("name", ["../x.json", "/etc/x.json", "a\\b.json", "c:x.json", "a//..//x.json", ". /x.json"])
def test_a_hub_cannot_write_outside_of_the_folder(name: str) -> None:
    assert chosen_files([{"rfilename": name, "size": 1}]) == []


def test_of_a_model_only_one_form_of_its_weights_and_no_code_is_taken() -> None:
    names = ("config.json", "model.safetensors", "pytorch_model.bin", "onnx/model.onnx", "onnx/config.json", "evil.py")
    assert [one.name for one in chosen_files({"rfilename": name} for name in names)] == [
        "config.json",
        "model.safetensors",
    ]
