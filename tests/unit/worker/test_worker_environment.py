"""Secrets in the environment are not passed to child processes."""

import pytest

from workbench.worker.environment import is_secret, select_variables, without_secrets

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


def test_what_is_named_is_handed_on() -> None:
    assert without_secrets(KEYS, ["HF_TOKEN"]) == {"HF_TOKEN": "x"}
    assert select_variables(KEYS, ["HF_TOKEN"]) == {"HF_TOKEN": "x"}


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_known_by_their_names_or_their_values(name: str) -> None:
    assert is_secret(name, KEYS[name])
