"""ZIP archives on disk: their members, the limits on them, and malicious names."""

import io
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import pyzipper

from workbench.errors import DamagedDocument, EncryptedDocument, MissingFile
from workbench.operations.imports import archives as module
from workbench.operations.imports.archives import Archives


@pytest.fixture
def archives(tmp_path: Path) -> Iterator[Archives]:
    opened = Archives(tmp_path / "unpacked")
    yield opened
    opened.close()
    assert not (tmp_path / "unpacked").exists()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that makes an archive of names and contents; a dictionary as content is a nested archive."""

    def make(contents: dict[str, object], name: str = "a.zip") -> Path:
        path = tmp_path / name
        path.write_bytes(zipped(contents))
        return path

    return make


def zipped(contents: dict[str, object]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            data = zipped(content) if isinstance(content, dict) else content
            assert isinstance(data, str | bytes)
            archive.writestr(name, data)
    return file.getvalue()


def names(archives: Archives, path: Path) -> list[str]:
    return [member.path.relative_to(path.parent).as_posix() for member in archives.members(path)]


def test_members_go_by_the_path_that_a_folder_would_give_them(archives: Archives, make: Callable[..., Path]) -> None:
    path = make({"b/two.md": "2", "one.md": "1", "empty/": ""})
    assert names(archives, path) == ["a.zip/b/two.md", "a.zip/one.md"]


def test_a_member_is_lent_under_its_own_name_and_deleted_afterwards(
    archives: Archives, make: Callable[..., Path]
) -> None:
    path = make({"b/two.md": "second"})
    with archives.opened(path / "b/two.md") as file:
        assert (file.name, file.read_text()) == ("two.md", "second")
    assert not file.exists()


def test_an_ordinary_file_is_lent_as_it_is(archives: Archives, tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("a note")
    with archives.opened(path) as file:
        assert file == path


def test_an_archive_in_an_archive_is_opened_and_one_in_that_is_named(
    archives: Archives, make: Callable[..., Path]
) -> None:
    path = make({"in.zip": {"x.md": "inner", "deep.zip": {"y.md": "deeper"}}, "z.md": "outer"})
    found = {member.path.relative_to(path).as_posix(): member.problem for member in archives.members(path)}
    assert found == {
        "in.zip/x.md": "",
        "in.zip/deep.zip": "Archives nested more than two deep are not opened.",
        "z.md": "",
    }
    with archives.opened(path / "in.zip/x.md") as file:
        assert file.read_text() == "inner"


@pytest.mark.parametrize(
    ("evil", "harmless"),
    [
        ("../../../etc/passwd.md", "etc/passwd.md"),
        ("/etc/cron.d/job.md", "etc/cron.d/job.md"),
        ("..\\..\\windows\\x.md", "windows/x.md"),
        ("C:\\temp\\x.md", "temp/x.md"),
        ("a/./b/../c.md", "a/b/c.md"),
        ("new\nline.md", "new_line.md"),
        ("‮fdp.md", "‮fdp.md"),
        ("x" * 300 + ".md", "x" * 197 + ".md"),
        ("長" * 100 + ".md", "長" * 65 + ".md"),
    ],
)
def test_names_cannot_lead_out_of_the_archive(
    archives: Archives, make: Callable[..., Path], tmp_path: Path, evil: str, harmless: str
) -> None:
    path = make({evil: "harmless"})
    assert names(archives, path) == [f"a.zip/{harmless}"]
    with archives.opened(path / harmless) as file:
        assert file.read_text() == "harmless"
        assert tmp_path / "unpacked" in file.parents


def test_two_members_of_one_name_are_both_there(archives: Archives, make: Callable[..., Path]) -> None:
    path = make({"a.md": "first", "./a.md": "x"})
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.md", "second")
    assert names(archives, path) == ["a.zip/a (2).md", "a.zip/a (3).md", "a.zip/a.md"]
    with archives.opened(path / "a (3).md") as file:
        assert file.read_text() == "second"


def test_chinese_names_of_old_programs_are_decoded(archives: Archives, tmp_path: Path) -> None:
    wanted = ["合同/二〇二四年度采购合同.md", "会议记录和工作报告.md"]
    raw = zipped({f"{'p' * len(name.encode('gbk'))}{n}": str(n) for n, name in enumerate(wanted)})
    for n, name in enumerate(wanted):
        raw = raw.replace(b"p" * len(name.encode("gbk")) + str(n).encode(), name.encode("gbk") + b" ")
    path = tmp_path / "a.zip"
    path.write_bytes(raw)
    assert sorted(name.strip() for name in names(archives, path)) == sorted(f"a.zip/{name}" for name in wanted)


def test_hidden_members_and_those_of_a_mac_are_passed_over(archives: Archives, make: Callable[..., Path]) -> None:
    path = make({"__MACOSX/._a.md": "1", ".git/config": "2", ".DS_Store": "3", "a.md": "4"})
    assert names(archives, path) == ["a.zip/a.md"]


def test_a_bomb_is_named_and_not_unpacked(archives: Archives, make: Callable[..., Path]) -> None:
    path = make({"bomb.txt": bytes(40 * 2**20), "good.md": "good"})
    bomb, good = archives.members(path)
    assert "fold when unpacked" in bomb.problem
    assert not good.problem


@pytest.mark.parametrize(("limit", "value"), [("MAX_MEMBERS", 3), ("MAX_BYTES", 30)])
def test_members_beyond_the_limits_of_an_archive_are_reported_by_name(
    archives: Archives, make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(module, limit, value)
    path = make({f"{n}.md": "0123456789" for n in range(5)})
    problems = [member.problem for member in archives.members(path)]
    assert problems[:3] == ["", "", ""]
    assert all("holds more than" in problem for problem in problems[3:])


def test_a_list_of_members_that_is_too_long_is_refused(
    archives: Archives, make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_DIRECTORY", 100)
    with pytest.raises(DamagedDocument):
        archives.members(make({f"{n}.md": "x" for n in range(5)}))


def test_a_link_in_an_archive_is_not_followed(archives: Archives, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("passwd.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    (member,) = archives.members(path)
    assert member.problem == "It is a link, not a file."


@pytest.mark.parametrize("cut", [0, 10, 60])
def test_a_broken_archive_is_reported(archives: Archives, make: Callable[..., Path], cut: int) -> None:
    path = make({"a.md": "x" * 100})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DamagedDocument, match=r"a\.zip"):
        archives.members(path)


def test_a_damaged_archive_member_is_reported_and_the_other_members_are_read(
    archives: Archives, make: Callable[..., Path]
) -> None:
    path = make({"a.md": "x" * 1000, "b.md": "good"})
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 36, 0xFFFFFFFF)
    path.write_bytes(data)
    with pytest.raises(DamagedDocument, match=r"“a\.md” is damaged"), archives.opened(path / "a.md"):
        pass
    with archives.opened(path / "b.md") as file:
        assert file.read_text() == "good"


def test_a_missing_archive_member_is_reported(archives: Archives, make: Callable[..., Path]) -> None:
    path = make({"a.md": "x"})
    with pytest.raises(MissingFile, match="no longer in"), archives.opened(path / "b.md"):
        pass


def test_a_changed_archive_is_read_again(archives: Archives, make: Callable[..., Path]) -> None:
    path = make({"a.md": "one"})
    assert names(archives, path) == ["a.zip/a.md"]
    make({"b.md": "two, and longer"})
    assert names(archives, path) == ["a.zip/b.md"]


def _locked(path: Path, password: bytes, encryption: int | None) -> None:
    with pyzipper.AESZipFile(path, "w", compression=pyzipper.ZIP_DEFLATED, encryption=encryption) as archive:
        archive.setpassword(password)
        archive.writestr("secret.md", "the secret text")


def test_b13_a_locked_archive_is_opened_with_its_password(archives: Archives, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    _locked(path, "pässwort".encode(), pyzipper.WZ_AES)
    (member,) = archives.members(path)
    assert not member.problem
    with archives.opened(member.path, lambda: ["wrong", "pässwort"]) as file:
        assert file.read_text() == "the secret text"
    assert archives.password_of(member.path) == "pässwort"


@pytest.mark.parametrize(("passwords", "words"), [((), "A password is needed"), (("wrong",), "None of the passwords")])
def test_b13_an_encrypted_archive_reports_a_missing_or_wrong_password(
    archives: Archives, tmp_path: Path, passwords: tuple[str, ...], words: str
) -> None:
    path = tmp_path / "a.zip"
    _locked(path, b"right", pyzipper.WZ_AES)
    with (
        pytest.raises(EncryptedDocument, match=words),
        archives.opened(path / "secret.md", lambda: passwords),
    ):
        pass
