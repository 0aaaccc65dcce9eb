"""The tour ends well, and leaves what it promises."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.embedding.base import Embedder

Taken = tuple[Path, subprocess.CompletedProcess]


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Taken:
    out = tmp_path_factory.mktemp("tour")
    command = [sys.executable, "-m", "workbench", "tour", "--out", str(out)]
    return out, subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


def test_the_tour_answers_two_questions_and_refuses_the_third(tour: Taken) -> None:
    _, done = tour
    assert (done.returncode, done.stderr) == (0, "")
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
