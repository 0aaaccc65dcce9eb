"""Shared libraries on the command line, on a real PostgreSQL server: set up, connected, filled, read and searched."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from shared_libraries import add_users, empty_database, shared_library, write_file

from workbench.cli import main
from workbench.cli.parser import build_parser
from workbench.embedding.base import Embedder
from workbench.store.postgres.members import SharedKnowledgeBases

Typed = Callable[..., tuple[int, list[Any], str]]
Shown = Callable[..., tuple[int, list[str], str]]
GUIDE = Path(__file__).parents[3] / "resources" / "guide" / "searching.md"
WITH_PASSWORD = "postgresql://eva:s3cret@localhost/papers"
NO_SUCH_BASE = "There is no shared knowledge base “{}”."
ONLY_MANAGER = "“postgres” is the only manager of “team/papers”."


@pytest.fixture
def empty(postgres_url: str) -> Iterator[str]:
    """Yield the address of an empty database."""
    with empty_database(postgres_url) as url:
        yield url


@pytest.fixture
def url(empty: str, embedder: Embedder) -> str:
    """Return the address of a shared library with the knowledge base “papers”."""
    with shared_library(empty, embedder=embedder.id) as database:
        SharedKnowledgeBases(database).create("papers")
    return empty


@pytest.fixture
def team(typed: Typed, url: str) -> Typed:
    """Connect the library to the shared one as “team”, and return the function that runs commands."""
    assert typed("shared", "connect", "team", url)[0] == 0
    return typed


@pytest.fixture
def shown(team: Typed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shown:
    """Return a function that runs a command without --json and returns its status, its lines, and its notes."""

    def shown(*words: str) -> tuple[int, list[str], str]:
        status = main(["--library", str(tmp_path / "library"), *words])
        said = capsys.readouterr()
        return status, said.out.splitlines(), said.err

    return shown


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_file(tmp_path, "harbour.md", "# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n")


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the passwords that were stored, by their names."""
    stored: dict[str, str] = {}
    monkeypatch.setattr("workbench.operations.shared.shared_library.store_secret", stored.__setitem__)
    return stored


def failure(result: tuple[int, list[Any], str]) -> tuple[int, str, str]:
    """Return the exit status of a command that failed, and the kind and message of its error."""
    status, records, _ = result
    return status, records[-1]["kind"], records[-1]["error"]


def refuse_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server be down."""

    def refuse(*_options: object) -> None:
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr("workbench.egress.postgres.connect", refuse)


def found(result: tuple[int, list[Any], str]) -> list[tuple[str, str]]:
    return [(hit["kb"], hit["name"]) for hit in result[1][0]["hits"]]


def test_an_empty_database_is_set_up_and_then_connected_to(typed: Typed, empty: str) -> None:
    status, records, notes = typed("shared", "create", empty)
    assert (status, records) == (0, [])
    assert f"Connect to it: workbench shared connect NAME {empty}" in notes
    status, (state,), _ = typed("shared", "connect", "team", empty)
    assert (status, state["knowledge_bases"]) == (0, [{"name": "team/documents", "access": "manage"}])


def test_a_shared_library_is_not_set_up_twice(typed: Typed, url: str) -> None:
    expected = "This database contains a shared library already."
    assert failure(typed("shared", "create", url)) == (1, "LibraryError", expected)


def test_an_empty_database_cannot_be_connected_to(typed: Typed, empty: str) -> None:
    expected = "This database is not a shared library of this program yet."
    assert failure(typed("shared", "connect", "team", empty)) == (1, "LibraryError", expected)
    assert typed("shared", "list") == (0, [], "")


def test_a_server_that_does_not_know_the_database_cannot_be_connected_to(typed: Typed, empty: str) -> None:
    status, kind, message = failure(typed("shared", "connect", "team", empty.replace("@/test", "@/other")))
    assert (status, kind) == (1, "SharedLibraryUnreachable")
    assert "does not exist" in message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("team", "A shared library cannot be named “team” here."),
        ("a/b", "A shared library cannot be named “a/b” here."),
        ("other", "You are connected to this shared library already."),
    ],
)
def test_a_name_or_an_address_that_is_taken_or_wrong_is_refused(team: Typed, url: str, name: str, message: str) -> None:
    assert failure(team("shared", "connect", name, url)) == (1, "LibraryError", message)


@pytest.mark.parametrize(
    "words",
    [
        ["shared", "create", WITH_PASSWORD],
        ["shared", "connect", "team", WITH_PASSWORD],
        ["worker", WITH_PASSWORD, "--until-empty"],
    ],
    ids=" ".join,
)
def test_a_password_in_an_address_is_refused(
    typed: Typed, empty_library: None, keyring: dict[str, str], words: list[str]
) -> None:
    expected = "The password must not be part of the address."
    assert (failure(typed(*words)), keyring) == ((1, "LibraryError", expected), {})


def test_a_password_is_asked_for_and_put_into_the_keyring(
    typed: Typed, url: str, keyring: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\n"))
    status, (state,), _ = typed("shared", "connect", "team", url, "--password")
    assert (status, state["url"], list(keyring.values())) == (0, url, ["s3cret"])


@pytest.mark.parametrize(
    ("is_kept", "status", "said"),
    [(True, 0, "The password is stored in the keyring."), (False, 1, "There is no keyring")],
)
def test_a_password_is_stored_later_unless_there_is_no_keyring(
    team: Typed, monkeypatch: pytest.MonkeyPatch, is_kept: bool, status: int, said: str
) -> None:
    stored: list[str] = []

    def store(_name: str, password: str) -> bool:
        stored.append(password)
        return is_kept

    monkeypatch.setattr("workbench.operations.shared.sharing.store_secret", store)
    monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\n"))
    result, _, notes = team("shared", "key", "team")
    assert (result, said in notes, stored) == (status, True, ["s3cret"])


def test_the_list_as_json_has_everything_that_is_known_about_each_library(team: Typed, url: str) -> None:
    status, records, notes = team("shared", "list")
    assert (status, notes) == (0, "")
    assert records == [
        {
            "name": "team",
            "url": url,
            "user": "postgres",
            "knowledge_bases": [{"name": "team/papers", "access": "manage"}],
            "documents": 0,
            "waiting": 0,
            "workers": 0,
            "problem": "",
        }
    ]


def test_the_list_shows_documents_that_wait_and_the_knowledge_bases(shown: Shown, url: str, paper: Path) -> None:
    shown("add", str(paper), "--kb", "team/papers")
    assert shown("shared", "list")[1] == [
        f"team: {url}, as postgres, 1 document",
        "  1 waiting to be read, by 0 workers",
        "  manage   team/papers",
    ]


def test_the_list_shows_why_a_library_cannot_be_reached(
    shown: Shown, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_connections(monkeypatch)
    status, (first, problem), _ = shown("shared", "list")
    assert (status, first) == (0, f"team: {url}")
    assert problem.startswith("  The shared library cannot be reached: connection refused")


def test_only_a_command_that_connects_makes_a_library(typed: Typed, url: str, tmp_path: Path) -> None:
    assert failure(typed("shared", "list"))[:2] == (1, "LibraryMissing")
    assert not (tmp_path / "library").exists()
    typed("shared", "connect", "team", url)
    assert (tmp_path / "library").exists()


def test_a_library_that_was_left_is_kept_for_others_and_can_be_connected_to_again(
    team: Typed, url: str, paper: Path
) -> None:
    team("add", str(paper), "--kb", "team/papers")
    assert (team("shared", "disconnect", "team"), team("shared", "list")) == ((0, [], ""), (0, [], ""))
    assert team("list")[1] == []
    assert team("shared", "connect", "crew", url)[1][0]["documents"] == 1


def test_a_knowledge_base_is_added_with_the_user_as_its_manager(team: Typed) -> None:
    assert team("shared", "add", "team/tax") == (0, [], "")
    assert team("shared", "members", "team/tax") == (0, [{"member": "postgres", "access": "manage"}], "")
    bases = [one["name"] for one in team("shared", "list")[1][0]["knowledge_bases"]]
    assert bases == ["team/papers", "team/tax"]


def test_the_access_of_a_member_is_granted_changed_and_taken_away(shown: Shown, postgres_url: str) -> None:
    add_users(postgres_url, "cli_member")
    seen = []
    for access in ("read", "write", "none"):
        assert shown("shared", "grant", "team/papers", "cli_member", access) == (0, [], "")
        seen.append(shown("shared", "members", "team/papers")[1])
    manager = "manage   postgres"
    assert seen == [["read     cli_member", manager], ["write    cli_member", manager], [manager]]


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["disconnect", "crew"], "NotFound", "You are not connected to a shared library “crew”."),
        (["key", "crew"], "NotFound", "You are not connected to a shared library “crew”."),
        (["add", "papers"], "NotFound", NO_SUCH_BASE.format("papers")),
        (["add", "crew/papers"], "NotFound", NO_SUCH_BASE.format("crew/papers")),
        (["add", "team/papers"], "LibraryError", "There is a shared knowledge base “team/papers” already."),
        (["members", "default"], "NotFound", NO_SUCH_BASE.format("default")),
        (["members", "team/tax"], "NotFound", NO_SUCH_BASE.format("team/tax")),
        (["grant", "team/tax", "postgres", "read"], "NotFound", NO_SUCH_BASE.format("team/tax")),
        (["grant", "default", "postgres", "read"], "NotFound", NO_SUCH_BASE.format("default")),
        (["grant", "team/papers", "nobody", "read"], "NotFound", "The server has no user “nobody”."),
        (["grant", "team/papers", "postgres", "read"], "LibraryError", ONLY_MANAGER),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_does_not_exist_or_is_not_allowed_is_said(
    team: Typed, monkeypatch: pytest.MonkeyPatch, words: list[str], kind: str, message: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\n"))
    assert failure(team("shared", *words)) == (1, kind, message)


def test_documents_of_a_shared_knowledge_base_that_does_not_exist_are_not_an_empty_list(team: Typed) -> None:
    assert failure(team("list", "--kb", "team/tax")) == (1, "NotFound", NO_SUCH_BASE.format("team/tax"))


def test_an_unknown_access_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        build_parser().parse_args(["shared", "grant", "team/papers", "eva", "own"])
    assert "invalid choice: 'own'" in capsys.readouterr().err


def test_an_added_file_waits_in_the_shared_library_and_is_not_added_twice(team: Typed, paper: Path) -> None:
    add = ["add", str(paper), "--kb", "team/papers"]
    results = [team(*add) for _ in range(2)]
    assert [(status, record["status"]) for status, (record,), _ in results] == [(0, "shared"), (0, "unchanged")]
    ((status, (document,), _),) = [team("list")]
    assert (status, document["kb"], document["status"]) == (0, "team/papers", "queued")


def test_a_file_is_not_added_to_a_knowledge_base_that_a_shared_library_does_not_have(team: Typed, paper: Path) -> None:
    result = failure(team("add", str(paper), "--kb", "team/tax"))
    assert result == (1, "NotFound", NO_SUCH_BASE.format("team/tax"))
    assert team("list")[1] == []


def test_a_worker_reads_what_waits_and_searches_find_it_together_with_the_own_documents(
    team: Typed, paper: Path, tmp_path: Path
) -> None:
    own = write_file(tmp_path, "own.md", "# Lindhamn\n\nThe harbour of Lindhamn froze again in 1996.\n")
    team("add", str(paper), "--kb", "team/papers")
    team("add", str(own))
    status, _, notes = team("worker", "team", "--until-empty")
    assert (status, notes.splitlines()[-1]) == (0, "1 document read")
    question = "When did the harbour freeze?"
    assert sorted(found(team("search", question))) == [("default", "own.md"), ("team/papers", "harbour.md")]
    assert found(team("search", question, "--kb", "team/papers")) == [("team/papers", "harbour.md")]


def test_the_commands_of_the_guide_set_up_fill_and_read_a_shared_library(
    typed: Typed, empty: str, paper: Path, keyring: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s3cret\ns3cret\n"))
    (section,) = re.findall(r"## Shared libraries\n(.+?)\n## ", GUIDE.read_text("utf-8"), re.DOTALL)
    commands = re.findall(r"^    workbench (.+)$", section, re.MULTILINE)
    assert commands[-1] == "worker team"  # which reads until it is interrupted
    for command in (*commands[:-1], "worker team --until-empty"):
        here = command.replace("postgresql://name@server/team", empty).replace("report.pdf", str(paper))
        status, _, notes = typed(*here.split())
        assert status == 0, f"{command}: {notes}"
    assert found(typed("search", "When did the harbour freeze?")) == [("team/documents", "harbour.md")]


def test_a_worker_says_how_many_documents_it_could_not_read(shown: Shown, tmp_path: Path, paper: Path) -> None:
    broken = write_file(tmp_path, "broken.pdf", "%PDF-1.7 nothing")
    shown("add", str(broken), str(paper), "--kb", "team/papers")
    status, lines, notes = shown("worker", "team", "--until-empty")
    assert (status, lines) == (0, ["Read 1 document."])
    assert notes.splitlines()[0] == "Reading the documents that wait in “team”. Ctrl+C stops."
    assert notes.splitlines()[-1] == "1 document read, 1 could not be read"


def test_a_worker_serves_an_address_without_a_library_of_its_own(
    team: Typed, url: str, paper: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    team("add", str(paper), "--kb", "team/papers")
    assert main(["--library", str(tmp_path / "elsewhere"), "worker", url, "--until-empty"]) == 0
    assert capsys.readouterr().out == "Read 1 document.\n"
    assert not (tmp_path / "elsewhere").exists()
    assert [one["status"] for one in team("list")[1]] == ["ready"]


def test_a_worker_of_an_unknown_library_ends_with_an_error(team: Typed) -> None:
    result = failure(team("worker", "crew", "--until-empty"))
    assert result == (1, "NotFound", "You are not connected to a shared library “crew”.")


@pytest.mark.parametrize(("name", "kind"), [("crew", "NotFound"), ("team", "SharedLibraryUnreachable")])
def test_a_worker_says_that_it_reads_only_once_it_is_connected(
    team: Typed, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    refuse_connections(monkeypatch)
    status, records, notes = team("worker", name, "--until-empty")
    assert (status, records[-1]["kind"], "Reading the documents" in notes) == (1, kind, False)
