"""Missing features of a computer are reported in one sentence each, and are not failures."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_systems import FakeModules, FakeWindows, use_system

from workbench import operations
from workbench.model.integrity_report import CheckResult
from workbench.operations import Library
from workbench.operations.integrity import surroundings
from workbench.operations.integrity.surroundings import free_space
from workbench.system import System
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]


class Bare(System):
    """A system that has nothing beside Python."""

    def has_chinese_font(self) -> bool:
        return False

    def has_gpu(self) -> bool:
        return False


class Rich(System):
    """A system that has a GPU and knows its processor."""

    def has_gpu(self) -> bool:
        return True

    def processor_flags(self) -> tuple[str, ...]:
        return ("avx2", "fma")


@pytest.fixture
def found(run: Run) -> Callable[[], dict[str, CheckResult]]:
    """Look around, and return the findings by their names."""
    return lambda: {one.check: one for one in run(operations.look_around())}


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("keyring", "kept in memory until the program ends"),
        ("Chinese font", "No font with Chinese characters is installed"),
        ("processor", "There is no GPU, and none is needed"),
        ("memory", "2.0 GB of memory is little"),
        ("LibreOffice", "All other formats are read without it"),
        ("browser", "web pages are added without running their scripts"),
        ("settings folder", "permissions for plug-ins and tool servers cannot be kept"),
        ("log", "the program works without a log"),
        ("model folder", "only keywords are searched"),
    ],
)
def test_features_that_a_bare_computer_lacks_are_reported_and_are_no_failure(
    found: Callable[[], dict[str, CheckResult]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, check: str, words: str
) -> None:
    use_system(monkeypatch, Bare())
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "file").touch()
    for folder in ("config_folder", "log_folder", "model_cache"):
        monkeypatch.setattr(surroundings, folder, lambda: tmp_path / "file" / "below")
    monkeypatch.setattr(surroundings, "_can_write", lambda _folder: False)
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(total=2_000_000_000))
    monkeypatch.setattr("keyring.get_keyring", lambda: _keyring("keyring.backends.fail"))
    one = found()[check]
    assert words in one.result
    assert one.ok is None


def _keyring(module: str) -> Any:
    return type("Keyring", (), {"__module__": module})()


def test_available_features_are_reported_briefly(
    found: Callable[[], dict[str, CheckResult]], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_system(monkeypatch, Rich())
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(total=32_000_000_000))
    monkeypatch.setattr("keyring.get_keyring", lambda: _keyring("keyring.backends.SecretService"))
    there = found()
    assert "(avx2, fma), not on the GPU" in there["processor"].result
    assert [there[name].ok for name in ("keyring", "memory", "settings folder", "log")] == [True] * 4


@pytest.mark.parametrize(("long_paths", "is_said"), [(1, False), (0, True)])
def test_the_path_length_limit_of_windows_is_reported_only_where_it_applies(
    found: Callable[[], dict[str, CheckResult]], monkeypatch: pytest.MonkeyPatch, long_paths: int, is_said: bool
) -> None:
    use_system(monkeypatch, FakeWindows(modules=FakeModules(long_paths=long_paths)))
    assert ("long paths" in found()) is is_said


@pytest.mark.parametrize(
    ("free", "ok", "words"),
    [
        (60e9, True, "60.0 GB"),
        (1e9, True, "files wait until there is room"),
        (0.2e9, False, "wait until there is room"),
    ],
)
def test_little_disk_space_is_reported_with_its_effect_on_an_import(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: float, ok: bool, words: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=free))
    result = free_space(tmp_path)
    assert result.ok is ok
    assert words in result.result


def test_whether_a_folder_can_be_written_is_tried_without_leaving_anything(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert surroundings._can_write(tmp_path / "not" / "yet")
    assert not surroundings._can_write(Path("/proc/nowhere"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_page_of_the_doctor_names_no_folder_and_no_profile(library: Library, run: Run) -> None:
    page = "\n".join(f"{one.check} {one.result}" for one in run(operations.examine(library)))
    assert str(library.folder) not in page
    assert str(Path.home()) not in page
    for told in ("Knowledge Workbench 0.", "pymupdf", "schema", "chunks", "model profiles 1"):
        assert told in page
