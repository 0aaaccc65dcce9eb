"""The command map."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Typed = Callable[..., tuple[int, list[Any], str]]


@pytest.mark.usefixtures("empty_library")
def test_the_map_is_printed_with_its_regions_and_points(typed: Typed, tmp_path: Path) -> None:
    assert typed("map")[1] == [{"state": "no documents", "regions": [], "passages": []}]
    for name, text in (("heron.md", "The heron nests on the pier."), ("bread.md", "Bread is baked with salt.")):
        (tmp_path / name).write_text(f"# {name}\n\n{text}\n", "utf-8")
    typed("add", str(tmp_path / "heron.md"), str(tmp_path / "bread.md"))
    status, (drawn,), _ = typed("map")
    assert (status, drawn["state"], len(drawn["passages"])) == (0, "ready", 2)
    assert sum(region["chunks"] for region in drawn["regions"]) == 2
    assert typed("map")[1] == [drawn]
    assert typed("map", "--anew")[1][0]["state"] == "ready"
