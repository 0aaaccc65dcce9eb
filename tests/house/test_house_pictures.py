"""Screenshots of every state: all of them on their page, and small enough for a repository."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "resources" / "screenshots"


def test_every_screenshot_is_on_the_page_and_the_page_names_no_other() -> None:
    named = set(re.findall(r"\]\(([^)]+)\)", (PICTURES / "README.md").read_text("utf-8")))
    assert named == {picture.name for picture in PICTURES.glob("*.webp")}


def test_all_pictures_together_are_small() -> None:
    assert sum(picture.stat().st_size for picture in PICTURES.iterdir()) < 4_000_000


def test_the_scenes_press_only_what_the_window_has() -> None:
    window = "".join(path.read_text("utf-8") for path in (ROOT / "workbench" / "ui").rglob("*.py"))
    named = {text for path in (ROOT / "packaging" / "screenshots").glob("*.py") for text in _named(path)}
    assert len(named) > 8
    assert {text for text in named if f'"{text}"' not in window} == set()


def _named(path: Path) -> Iterator[str]:
    """Yield the texts and commands by which a scene finds the controls of the window."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("press", "command", "pane_command"):
                yield from (one.value for one in node.args if isinstance(one, ast.Constant))
            elif node.func.attr == "find":
                yield from (one.value.value for one in node.keywords if isinstance(one.value, ast.Constant))
