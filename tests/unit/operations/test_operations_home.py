"""A library of another user does not open the network: only the user's own consent does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import SettingError
from workbench.model.egress import OfflineModeChoice
from workbench.model.profile import ModelProfile
from workbench.model.run import RunStatus
from workbench.operations import Library
from workbench.operations.library.trust import is_trusted_library, settle

Run = Callable[[Any], Any]
FAR = ModelProfile("far", "http://models.invalid/v1", "gpt", key_env="SECRET_OF_MINE")


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder with the user's consents."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "knowledge-workbench"


@pytest.fixture
def sent(tmp_path: Path, config: Path, embedder: Embedder) -> Library:
    """Return a library with another user's model server, opened by a user who has never seen it."""
    with_server = Library.open(tmp_path / "library", embedder=embedder)
    with_server.profiles.put(FAR)
    with_server.close()
    (config / "home.key").unlink()
    return Library.open(tmp_path / "library", embedder=embedder)


def test_a_new_library_is_at_home_and_stays_so(tmp_path: Path, embedder: Embedder) -> None:
    for _ in range(2):
        library = Library.open(tmp_path / "library", embedder=embedder)
        assert is_trusted_library(library.database)
        library.close()


def test_a_profile_that_came_with_a_library_does_not_switch_offline_mode_off(sent: Library) -> None:
    state = operations.offline_mode(sent)
    assert (state.is_on, state.choice, state.at_home) == (True, OfflineModeChoice.AUTO, False)
    assert [need.host for need in state.needs] == ["models.invalid"]
    assert state.sentence == "Offline mode is on: this library is new to this computer, or was moved."
    sent.close()


def test_its_own_setting_does_not_either(sent: Library) -> None:
    sent.setting_values.put("offline_mode", "off")
    assert operations.offline_mode(sent).is_on
    sent.close()


def test_its_server_is_not_asked_and_its_variable_not_sent(
    sent: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "sk-of-mine")
    answer = run(operations.ask(sent, "When did the harbour freeze?", profile="far"))
    assert answer.status is RunStatus.FAILED
    assert answer.error == "Offline mode is on: “models.invalid” was not asked."
    sent.close()


@pytest.mark.parametrize(
    ("choice", "hosts"), [(OfflineModeChoice.AUTO, ["models.invalid"]), (OfflineModeChoice.OFF, [])]
)
def test_the_user_can_let_it_out(sent: Library, run: Run, choice: OfflineModeChoice, hosts: list[str]) -> None:
    state = run(operations.put_offline_mode(sent, choice))
    assert (state.is_shut, state.at_home) == (False, True)
    assert [one.host for one in state.exceptions] == hosts
    sent.close()


def test_to_switch_offline_mode_on_lets_nothing_out_later(sent: Library, run: Run) -> None:
    run(operations.put_offline_mode(sent, OfflineModeChoice.ON))
    run(operations.reset_setting(sent, "offline_mode"))
    assert operations.offline_mode(sent).is_on
    sent.close()


def test_a_library_that_was_moved_is_asked_about_again(tmp_path: Path, embedder: Embedder, run: Run) -> None:
    Library.open(tmp_path / "library", embedder=embedder).close()
    (tmp_path / "library").rename(tmp_path / "moved")
    moved = Library.open(tmp_path / "moved", embedder=embedder)
    assert not is_trusted_library(moved.database)
    run(operations.put_offline_mode(moved, OfflineModeChoice.AUTO))
    assert is_trusted_library(moved.database)
    moved.close()


def test_the_mark_of_another_user_counts_for_nothing(sent: Library, config: Path) -> None:
    settle(sent.database)
    assert is_trusted_library(sent.database)
    (config / "home.key").write_bytes(bytes(32))
    assert not is_trusted_library(sent.database)
    sent.close()


def test_a_damaged_secret_is_replaced(sent: Library, config: Path) -> None:
    (config / "home.key").write_bytes(b"short")
    assert not is_trusted_library(sent.database)
    settle(sent.database)
    assert is_trusted_library(sent.database)
    sent.close()


def test_the_secret_is_readable_by_the_user_alone(sent: Library, config: Path) -> None:
    settle(sent.database)
    assert (config / "home.key").stat().st_mode & 0o077 == 0
    sent.close()


@pytest.mark.logs_warnings
def test_a_library_is_created_and_its_offline_mode_stays_on_when_the_config_folder_is_unwritable(
    tmp_path: Path, embedder: Embedder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no folder").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no folder"))
    library = Library.open(tmp_path / "library", embedder=embedder)
    assert operations.offline_mode(library).is_on
    with pytest.raises(SettingError, match="could not be stored"):
        run(operations.put_offline_mode(library, OfflineModeChoice.OFF))
    assert library.settings.offline_mode == "auto"
    library.close()
