"""Secrets in the environment are not passed to child processes."""

import os
import sys
from pathlib import Path

import pytest

from workbench.system import current
from workbench.worker.environment import environment_for_programs, is_secret, select_variables, without_secrets
from workbench.worker.programs import run_program

KEYS = {
    "OPENAI_API_KEY": "x",
    "HF_TOKEN": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "PGPASSWORD": "x",
    "GITHUB_PAT": "x",
    "SSH_AUTH_SOCK": "/run/agent",
    "DATABASE_URL": "postgresql://ann:secret@host/db",
    "HTTPS_PROXY": "http://ann:secret@proxy:3128",
    "WHATEVER": "sk-proj-0123456789",
}
NEEDED = {"PATH": "/usr/bin", "LANG": "de_DE.UTF-8", "LC_ALL": "C", "PYTHONPATH": "/x", "OMP_NUM_THREADS": "2"}


def test_a_reader_is_given_what_it_needs_and_no_key() -> None:
    assert select_variables({**KEYS, **NEEDED, "EDITOR": "vi"}) == NEEDED


def test_a_plug_in_keeps_its_environment_but_for_keys() -> None:
    mine = {**NEEDED, "EDITOR": "vi", "KEYBOARD": "de", "TOKENIZERS_PARALLELISM": "false", "PWD": "/home/ann"}
    assert without_secrets({**KEYS, **mine}) == mine


def test_explicitly_named_variables_are_passed_on() -> None:
    assert without_secrets(KEYS, ["HF_TOKEN"]) == {"HF_TOKEN": "x"}
    assert select_variables(KEYS, ["HF_TOKEN"]) == {"HF_TOKEN": "x"}


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_known_by_their_names_or_their_values(name: str) -> None:
    assert is_secret(name, KEYS[name])


@pytest.fixture(params=["/opt/own", None])
def of_the_user(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Library path of the user in a frozen program, whose executable has replaced it by its own."""
    if current().name != "linux":
        pytest.skip("only there does the executable set it")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/workbench/_internal")
    monkeypatch.delenv("LD_LIBRARY_PATH_ORIG", raising=False)
    path: str | None = request.param
    if path is not None:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", path)
    return path


def test_libreoffice_and_tesseract_do_not_load_the_libraries_of_a_frozen_program(
    of_the_user: str | None, tmp_path: Path
) -> None:
    ended = run_program(["/bin/sh", "-c", 'echo "${LD_LIBRARY_PATH-none}"'], tmp_path, seconds=20)
    assert ended.output.decode().strip() == (of_the_user or "none")


def test_programs_started_by_qt_do_not_load_the_frozen_libraries_either_and_parser_processes_do(
    of_the_user: str | None,
) -> None:
    with environment_for_programs():
        assert os.environ.get("LD_LIBRARY_PATH") == of_the_user
        assert "LD_LIBRARY_PATH_ORIG" not in os.environ
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/workbench/_internal"
    assert os.environ.get("LD_LIBRARY_PATH_ORIG") == of_the_user


def test_a_program_that_is_not_frozen_changes_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/own")
    before = dict(os.environ)
    with environment_for_programs():
        assert dict(os.environ) == before
