"""Consent for plug-ins: only files that this user allowed run, and none if that is unknown."""

import errno
import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.errors import PluginError
from workbench.plugins.plugin_consent import PluginConsentFile

PLUGIN = Path("/somewhere/plug-ins/Überblick.py")
OTHER = Path("/somewhere/plug-ins/other.py")
HASH = "ab" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "plugins.json"


@pytest.fixture
def consents(path: Path) -> PluginConsentFile:
    return PluginConsentFile(path)


def test_a_plugin_is_not_allowed_before_consent(consents: PluginConsentFile, path: Path) -> None:
    assert consents.of(PLUGIN) is None
    consents.forbid(PLUGIN)
    assert not path.exists()


def test_a_consent_holds_for_every_window_and_for_that_file_alone(consents: PluginConsentFile, path: Path) -> None:
    given = consents.allow(PLUGIN, HASH, ("nearest", "newest"))
    assert (given.file, given.sha256, given.offers) == (str(PLUGIN), HASH, ("nearest", "newest"))
    assert abs(datetime.fromisoformat(given.given) - datetime.now(UTC)) < timedelta(minutes=1)
    assert PluginConsentFile(path).of(PLUGIN) == given
    assert PluginConsentFile(path).of(OTHER) is None


def test_a_consent_takes_the_place_of_the_earlier_one_and_leaves_others(consents: PluginConsentFile) -> None:
    other = consents.allow(OTHER, "cd" * 32, ())
    consents.allow(PLUGIN, HASH, ())
    latest = consents.allow(PLUGIN, "ef" * 32, ())
    assert (consents.of(PLUGIN), consents.of(OTHER)) == (latest, other)


def test_a_withdrawn_consent_is_deleted_for_every_window_and_others_stay(
    consents: PluginConsentFile, path: Path
) -> None:
    consents.allow(PLUGIN, HASH, ())
    other = consents.allow(OTHER, HASH, ())
    PluginConsentFile(path).forbid(PLUGIN)
    assert (consents.of(PLUGIN), consents.of(OTHER)) == (None, other)


def test_withdrawing_a_missing_consent_changes_nothing(consents: PluginConsentFile, path: Path) -> None:
    consents.allow(OTHER, HASH, ())
    before = path.stat().st_ino
    consents.forbid(PLUGIN)
    assert path.stat().st_ino == before


def test_the_list_can_be_read_by_people_and_programs(consents: PluginConsentFile, path: Path) -> None:
    given = consents.allow(PLUGIN, HASH, ("nearest",))
    text = path.read_text("utf-8")
    assert json.loads(text) == {str(PLUGIN): {"sha256": HASH, "given": given.given, "offers": ["nearest"]}}
    assert "Überblick" in text
    assert len(text.splitlines()) > 5


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")
def test_other_users_can_neither_read_nor_change_the_list(consents: PluginConsentFile, path: Path) -> None:
    consents.allow(PLUGIN, HASH, ())
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path.parent, path)] == [0o700, 0o600]
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.logs_warnings
@pytest.mark.parametrize(
    "content",
    [b"", b"no JSON", b"\xff\xfe", b"[]", b"3", b'{"f": 3}', b'{"f": {}}', b'{"f": {"sha256": "a", "given": "b"}}'],
)
def test_where_the_list_cannot_be_understood_nothing_is_allowed(
    consents: PluginConsentFile, path: Path, content: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(content.replace(b'"f"', json.dumps(str(PLUGIN)).encode()))
    assert consents.of(PLUGIN) is None
    assert consents.allow(PLUGIN, HASH, ()) == consents.of(PLUGIN)


def test_a_consent_that_cannot_be_stored_is_reported_and_leaves_nothing_behind(
    consents: PluginConsentFile, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_paths: str) -> None:
        raise OSError(errno.ENOSPC, "full")

    given = consents.allow(OTHER, HASH, ())
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PluginError, match="could not be stored"):
        consents.allow(PLUGIN, HASH, ())
    assert (consents.of(PLUGIN), consents.of(OTHER)) == (None, given)
    assert [one.name for one in path.parent.iterdir()] == [path.name]
