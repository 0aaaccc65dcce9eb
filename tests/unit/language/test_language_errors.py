"""Errors in Chinese: message and hint, with names and numbers at their places."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import openai
import pytest

from workbench.agent.providers.base_url import normalise
from workbench.agent.providers.error_mapping import ServerTarget, model_error
from workbench.errors import DocumentError, RetrievalError, WorkbenchError
from workbench.fetching.address import web_address
from workbench.fetching.web_fetcher import refusal
from workbench.language import Catalogue, read_catalogue, speak, translate
from workbench.model.metadata import checked_fields, checked_tags
from workbench.model.profile import ModelProfile
from workbench.operations.imports.source_files import digest
from workbench.operations.library.credentials import load_key
from workbench.parsing.parse import parse_file
from workbench.parsing.parser_registry import make_unsupported_error
from workbench.retrieval.filters.json_forms import filter_of
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.store.configuration import AgentStore, ProfileStore
from workbench.store.database import Database
from workbench.store.lock import LibraryLock

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_SERVER = ServerTarget("https://models.example/v1", "llama", "key")


@pytest.fixture
def _in_chinese() -> Iterator[None]:
    speak(read_catalogue("zh_CN"))
    yield
    speak(None)


def _file(folder: Path, name: str, data: bytes = b"") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def _refused(status: int, message: str = "") -> None:
    answer = httpx2.Response(status, request=httpx2.Request("POST", "https://models.example/v1"))
    raise model_error(openai.APIStatusError("no", response=answer, body={"message": message}), _SERVER)


def _raised(error: WorkbenchError) -> None:
    raise error


_ERRORS: list[tuple[Callable[[Path], object], tuple[str, ...]]] = [
    (lambda folder: parse_file(folder / "gone.pdf"), ()),
    (lambda folder: parse_file(folder), ()),
    (lambda folder: parse_file(_file(folder, "empty.txt")), ("0",)),
    (lambda folder: parse_file(_file(folder, "broken.pdf", b"%PDF-1.7\nrubbish")), ()),
    (lambda folder: parse_file(_file(folder, "broken.docx", b"PK\x03\x04rubbish")), ()),
    (lambda folder: parse_file(_file(folder, "song.pdf", b"ID3\x03\x00\x00\x00\x00\xff\xfb")), (".pdf",)),
    (lambda folder: parse_file(_file(folder, "book.json", b'{"a": ' + b"[" * 100_000)), ()),
    (lambda folder: digest(folder / "gone.txt"), ("gone.txt",)),
    (lambda _: _raised(make_unsupported_error(".pages")), (".pages", "Pages")),
    (lambda _: _raised(make_unsupported_error(".xyz")), (".xyz", "EPUB")),
    (lambda folder: ProfileStore(Database.open(folder)).get("work"), ("work", "offline")),
    (lambda folder: AgentStore(Database.open(folder)).get("lawyer"), ("lawyer",)),
    (lambda folder: (LibraryLock(folder), LibraryLock(folder)), ()),
    (lambda _: load_key(ModelProfile("work", key_env="NO_SUCH_VARIABLE")), ("NO_SUCH_VARIABLE",)),
    (lambda _: normalise("ftp://models.example"), ("ftp",)),
    (lambda _: web_address("ftp://example.com/a"), ("ftp",)),
    (lambda _: _raised(refusal(404)), ("404",)),
    (lambda _: _raised(refusal(503, "30")), ("503", "30")),
    (lambda _: _refused(401), ("models.example",)),
    (lambda _: _refused(404), ("https://models.example/v1",)),
    (lambda _: _refused(404, "model not found"), ("llama",)),
    (lambda _: _refused(429, "rate limit reached"), ("rate limit reached",)),
    (lambda _: _refused(500), ("500",)),
    (lambda _: filter_of([{"op": "NEAR", "key": "year", "value": 3}]), ("NEAR",)),
    (lambda _: filter_of([{"op": "EQ", "key": "nosuchkey"}]), ("value",)),
    (lambda _: checked_fields({"colour": "red"}), ("colour",)),
    (lambda _: checked_fields({"created": "soon"}), ("soon", "2024-05-31")),
    (lambda _: checked_tags(["a,b"]), ("a,b",)),
]


@pytest.mark.usefixtures("_in_chinese")
@pytest.mark.parametrize(("fails", "values"), _ERRORS)
def test_an_error_is_shown_in_chinese_with_its_values(
    fails: Callable[[Path], object], values: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(WorkbenchError) as raised:
        fails(tmp_path)
    error = raised.value
    assert _CHINESE.search(translate(error.message)), error.message
    assert not error.hint or _CHINESE.search(translate(error.hint)), error.hint
    assert [one for one in values if one not in translate(error.message) + translate(error.hint)] == []


@pytest.mark.usefixtures("_in_chinese")
@pytest.mark.parametrize("typed", ["year>=soon", "format:", "pages>=x", "(year:2024", "nosuch:3", "AND"])
def test_filter_errors_are_shown_in_chinese(typed: str) -> None:
    with pytest.raises(RetrievalError) as raised:
        filter_of_text(typed, custom=())
    assert all(map(_CHINESE.search, (translate(raised.value.message), translate(raised.value.hint)))), raised.value


@pytest.mark.usefixtures("_in_chinese")
def test_a_message_stored_with_its_hint_is_shown_in_chinese(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as raised:
        parse_file(tmp_path / "gone.pdf")
    assert translate(str(raised.value)) == translate(raised.value.message) + translate(raised.value.hint)


def test_the_names_in_an_error_stay_where_they_are_words_of_ours(tmp_path: Path) -> None:
    texts = {"There is no model profile “{0}”.": "没有模型配置“{0}”。", "Library": "文档库"}
    speak(Catalogue("zh_CN", {(text, ""): chinese for text, chinese in texts.items()}))
    try:
        with pytest.raises(WorkbenchError) as raised:
            ProfileStore(Database.open(tmp_path)).get("Library")
        assert translate(raised.value.message) == "没有模型配置“Library”。"
    finally:
        speak(None)
