"""The recipes for Windows and macOS, as far as Linux can tell: they are well formed, and name what exists."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
RECIPES = ("ci-matrix.yml", "elsewhere.spec", "windows.ps1", "windows.wxs", "macos.sh")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_states_that_it_was_never_run_and_names_only_existing_files(name: str) -> None:
    text = (PACKAGING / name).read_text("utf-8")
    assert "NEVER" in text
    named = re.findall(r"packaging[/\\]([\w.-]+\.\w+)", text)
    assert [one for one in named if not (PACKAGING / one).is_file()] == []


def test_the_matrix_has_each_system_and_runs_their_tests() -> None:
    jobs = yaml.safe_load((PACKAGING / "ci-matrix.yml").read_text("utf-8"))["jobs"]
    systems = [entry["os"].partition("-")[0] for entry in jobs["elsewhere"]["strategy"]["matrix"]["include"]]
    assert set(systems) == {"windows", "macos"}
    commands = " ".join(step.get("run", "") for step in jobs["elsewhere"]["steps"])
    for folder in re.findall(r"tests/[\w/]+", commands):
        assert (ROOT / folder).is_dir()


def test_the_recipes_are_well_formed() -> None:
    ast.parse((PACKAGING / "elsewhere.spec").read_text("utf-8"))
    ElementTree.parse(PACKAGING / "windows.wxs")
    subprocess.run(["sh", "-n", PACKAGING / "macos.sh"], check=True)


def test_the_icon_is_made_for_both_systems(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PACKAGING / "app_icons.py", "bundle", tmp_path], check=True)
    with Image.open(tmp_path / "knowledge-workbench.ico") as icon:
        assert (16, 16) in icon.info["sizes"]
        assert (256, 256) in icon.info["sizes"]
    with Image.open(tmp_path / "knowledge-workbench.icns") as icon:
        assert max(size[0] * size[2] for size in icon.info["sizes"]) == 1024
