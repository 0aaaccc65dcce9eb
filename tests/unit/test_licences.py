"""The check of licences before a release: what may be combined with a program under AGPL-3.0-or-later."""

import runpy
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.mark.parametrize(
    ("expression", "may"),
    [
        ("MIT", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", True),
        ("GPL-2.0-only", False),
        ("MIT AND CNRI-Python", False),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_a_package_whose_licence_is_not_known_to_be_compatible_is_refused(
    expression: str, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(PACKAGING), *sys.path])
    assert runpy.run_path(str(PACKAGING / "licences.py"))["is_compatible"](expression) is may
