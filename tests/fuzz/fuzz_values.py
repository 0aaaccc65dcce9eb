"""Targets: values given by users, scripts and files: filters, calculations, settings, golden questions, bundles."""

import atexit
import contextlib
import hashlib
import io
import json
import math
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from fuzz_documents import scratch
from fuzz_target import Kind, Target, seeds_of, text_of
from fuzz_texts import as_json, as_lines
from hypothesis import strategies as st

from workbench.agent.calculation.expressions import evaluate
from workbench.agent.tools.calculator import written
from workbench.agent.workspace import ContextLimits, agents_of_workspace, read_workspace
from workbench.errors import MetadataError, SettingError, WorkbenchError
from workbench.evaluation.golden_files import questions_as_lines, read_questions
from workbench.export.bundle import SCHEMA, unpack
from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.model.document_name import called
from workbench.model.filter import ChunkFilter
from workbench.model.metadata import checked_fields, checked_tags
from workbench.parsing.dates import iso_date
from workbench.retrieval.filters.json_forms import filter_of, filter_of_json, form_of, with_model_filter
from workbench.retrieval.filters.mentions import mentions_in, restriction, typed_at, without_mentions
from workbench.retrieval.filters.text_syntax import completion, filter_of_text
from workbench.retrieval.filters.text_syntax import text_of as text_of_filter
from workbench.settings.declarations import DECLARATIONS, Settings
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex, matched_terms

_TEXT = "The harbour of Lindhamn froze in 1987.\n港口的水深是十二米。\nC++ and max_tokens are words."


@cache
def _library() -> tuple[Database, DocumentStore, KeywordIndex]:
    """Return the store of a small library."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    database = Database.open(folder / "library")
    documents = DocumentStore(database)
    documents.ensure_knowledge_base("default")
    digest = hashlib.sha256(_TEXT.encode()).hexdigest()
    queued = documents.queue(Path("a.txt"), knowledge_base="default", sha256=digest, size=len(_TEXT), format="text")
    chunks, start = [], 0
    for number, line in enumerate(_TEXT.splitlines(keepends=True)):
        end = start + len(line)
        chunks.append(Chunk(number, start, end, line, None, None, ("Harbour",), BlockKind.PARAGRAPH, 9))
        start = end
    parsed = ParsedDocument(_TEXT, (Block(BlockKind.PARAGRAPH, 0, len(_TEXT)),), (), Metadata("A title"), "text")
    documents.put_content(queued.id, parsed, chunks, sha256=digest, size=len(_TEXT))
    return database, documents, KeywordIndex(database)


def _searched(question: str, filter: ChunkFilter | None = None) -> None:
    keywords = _library()[2]
    found = keywords.search(question, 5, filter=filter) if filter is not None else keywords.search(question, 5)
    assert len(found) <= 5
    assert all(math.isfinite(score) for _, score in found)


def _keywords(data: bytes) -> None:
    """Search for any question: no part of it is interpreted as FTS5 syntax."""
    question = text_of(data)
    _searched(question)
    matched_terms(question[:2000], _TEXT)


def _filter(data: bytes) -> None:
    """Parse a typed filter, write it again, and search with it."""
    text = text_of(data)
    completion(text, len(text) // 2, {"tag": ("law", 'a"b')})
    found = filter_of_text(text)
    assert filter_of_text(text_of_filter(found)).where == found.where, "written down, it is another filter"
    assert filter_of(form_of(found)).where == found.where, "as a form, it is another filter"
    _searched("harbour", found)


def _filter_form(data: bytes) -> None:
    """Parse a filter of a script or model: the user's restriction is part of the result."""
    text = text_of(data)
    mine = filter_of({"format": "pdf"})
    with contextlib.suppress(ValueError, RecursionError):
        assert with_model_filter(mine, json.loads(text)).where[: len(mine.where)] == mine.where
    found = filter_of_json(text)
    assert filter_of(json.loads(json.dumps(form_of(found)))).where == found.where
    _searched("harbour", found)


def _mention(data: bytes) -> None:
    text = text_of(data)[:5000]
    found = list(mentions_in(text, lambda _mark, name: len(name) % 3 == 1))
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
    where = restriction(iter(found))
    without_mentions(text, ChunkFilter(None, where))
    typed_at(text, len(text))


def _calculate(data: bytes) -> None:
    assert written(evaluate(text_of(data))).strip()


def _workspace(data: bytes) -> None:
    """Read a folder of agents in which one file is the input: problems are reported, not raised."""
    text = text_of(data)
    name = ("agents/one/AGENT.md", "gateway.yaml", "agents/AGENTS.md", "agents/one/context/a.md")[sum(data[:32]) % 4]
    with scratch("x", b"") as path:
        files = {"agents/one/AGENT.md": b"---\nname: One\n---\nBe brief.", name: data}
        for place, content in files.items():
            (path.parent / place).parent.mkdir(parents=True, exist_ok=True)
            (path.parent / place).write_bytes(content)
        workspace = read_workspace(path.parent, ContextLimits(1000, 3000), retrievers=("notes",))
        agents_of_workspace(workspace)
        for agent in workspace.agents:
            assert all(len(file.text) <= 1000 for file in agent.context)
            assert all(not Path(file.path).is_absolute() and ".." not in file.path for file in agent.context), text[:99]


def _evaluation(data: bytes) -> None:
    with scratch("golden.jsonl", data) as path:
        questions, _ = read_questions(path)
        path.write_bytes(questions_as_lines(questions))
        assert read_questions(path)[0] == questions, "written down, they are other questions"


def _bundle(data: bytes) -> None:
    """Import a bundle; its hashes are updated after a mutation, so that the code after the hash check runs, too."""
    for content in (data, _relisted(data)):
        with scratch("session.kwbundle", content) as path, tempfile.TemporaryDirectory(dir=path.parent) as folder:
            with contextlib.suppress(WorkbenchError):
                unpack(path, Path(folder), with_originals=True)
            assert all(one.resolve().is_relative_to(folder) for one in Path(folder).rglob("*"))


def _relisted(data: bytes) -> bytes:
    """Return a bundle whose manifest matches the files."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    # An input may not be a ZIP file.
    except Exception:  # noqa: BLE001
        return data
    listed = [
        {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in members.items()
        if name != "manifest.json"
    ]
    members["manifest.json"] = as_json({"schema": SCHEMA, "entries": listed})
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name or "x"), content)
    return made.getvalue()


def _session(data: bytes) -> None:
    with scratch("session.json", data) as path:
        unpack(path, path.parent)


def _settings(data: bytes) -> None:
    try:
        values = json.loads(text_of(data))
    except (ValueError, RecursionError):
        values = text_of(data)
    stored = values if isinstance(values, dict) else {}
    settings = Settings.from_stored(stored)
    for value, declared in ((value, one) for value in (*stored.values(), values) for one in DECLARATIONS):
        with contextlib.suppress(SettingError):
            checked = declared.check(value)
            assert isinstance(checked, declared.type)
            assert not isinstance(checked, float) or math.isfinite(checked)
            assert declared.check(checked) == checked
    for one in DECLARATIONS:
        assert one.check(getattr(settings, one.key)) == getattr(settings, one.key)


def _words(data: bytes) -> None:
    """Read the metadata of a document: dates, names, tags and fields."""
    text = text_of(data)[:2000]
    iso_date(text)
    called(text[:200], text[200:400])
    with contextlib.suppress(MetadataError):
        assert all(tag.strip() for tag in checked_tags(text.split("\n")))
    for field in ("title", "author", "created", "keywords"):
        with contextlib.suppress(MetadataError):
            checked_fields({field: text})


def _bundles() -> Sequence[bytes]:
    from export_session import PNG, made_run, made_session

    from workbench.export.base import ExportContext
    from workbench.export.bundle import BundleExporter
    from workbench.export.session_json import JsonExporter
    from workbench.model.session import CitedDocument

    document = CitedDocument(1, "survey.pdf", "Survey", "ab" * 32, 9, 3, "pdf", True, 4)
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: PNG, (document,), ())
    session = made_session(made_run())
    return BundleExporter().render(session, context), JsonExporter().render(session, context)


_FILTER_WORDS = (
    *(
        "format:",
        "tag:",
        "year>=",
        "page:",
        "title:",
        "created",
        "-",
        "NOT ",
        " OR ",
        " AND ",
        "(",
        ")",
        '"',
        "*",
        "..",
        ",",
    ),
    *(
        "!=",
        "<",
        "=",
        ":",
        "：",
        "kb:",
        "pages>",
        "2024-13",
        "99999999999999999999",
        "passage_tag:",
        "\\",
        '""',
        "name:*.",
    ),
)


_FILTERS = st.lists(
    st.sampled_from(_FILTER_WORDS) | st.sampled_from(("a", "law", "2020", "3..5", " ", "报告")), max_size=24
)


_FORM = [
    {"op": "AND", "conditions": [{"op": "GTE", "key": "created", "value": "2020"}, {"op": "NOT", "condition": {}}]}
]


_SIGNS = (
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "^",
    "**",
    "(",
    ")",
    "!",
    ",",
    ";",
    "sqrt",
    "log(",
    "e",
    "pi",
    "×",
    "÷",
    "²",
    "√",
)


_SUMS = st.lists(
    st.sampled_from((*_SIGNS, "1", "9", "0.5", "2e3", "max(", "1,234", " ", "mod", "of", "１", "of ")), max_size=20
)


_HEAD = (
    "---\nname: One\ndescription: d\nretrievers: [notes]\ncontext:\n  - context/a.md\n  - ../../../etc/passwd\n"
    "x: &a [1]\ny: [*a, *a]\ndate: 2024-01-31\n---\nBe brief.\n"
)


_GATEWAY = (
    "context_retrieval:\n  retriever_timeout_seconds: 5\n  max_retrieved_chars: ${HOME}\n  max_context_file_chars: 9\n"
)


_YAML_WORDS = (
    *(
        "&a ",
        "*a",
        "<<: ",
        "? ",
        "- ",
        ": ",
        "!!python/object:x",
        "!!binary ",
        "2024-13-45",
        "1:1:1.5",
        "0o8",
        "|",
        ">",
        "---",
    ),
    *(
        "1:" * 200 + "1.5",
        "0x" + "f" * 5000,
        "!!bool x",
        "!!timestamp x",
        "!!int ",
        "!!float ",
        "!!set ",
        "!!omap ",
        "2001-01-01 00:00:00+99:99",
        "0001-01-01T00:00:00+10:00",
        ".inf",
        ".nan",
        "0b2",
        "{",
        "[",
        "%TAG",
    ),
)


_GOLDEN = (
    {"question": "When?", "judgements": [{"document": "a.pdf", "page": 3, "text": "It froze", "grade": 2}]},
    {"question": "Who?", "document": "b.pdf", "page": [1, 2]},
    {"query": "What?", "answers": ["a", "b"], "kb": "default", "filter": "format:pdf"},
    {"question": "Which?", "gold": [["c.pdf", 4]]},
    {"user_input": "Why?", "reference_contexts": ["because"]},
)


_SQUAD = {
    "data": [{"paragraphs": [{"context": "It froze.", "qas": [{"question": "When?", "answers": [{"text": "x"}]}]}]}]
}


_STORED = {
    "chunk_tokens": 200,
    "reranking": "tokens",
    "topic_url": "https://x/{topic}",
    "text_percent": "150",
    "x": None,
}


_QUESTION_WORDS = (
    '"',
    "*",
    "NEAR(",
    " OR ",
    " AND ",
    "NOT ",
    "^",
    ":",
    "{",
    "}",
    "-",
    "+",
    "body:",
    "'",
    ";",
    "--",
    "\x00",
)


def _joined(parts: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    return parts.map("".join)


VALUES: tuple[Target, ...] = (
    Target("keyword-query", _keywords, seeds_of("harbour OR 1987 AND 港口", _TEXT), words=_QUESTION_WORDS),
    Target(
        "filter-text",
        _filter,
        seeds_of('format:pdf year>=2020 -draft (tag:law,tax OR name:"a b"*)'),
        Kind.TEXT,
        _FILTER_WORDS,
        _joined(_FILTERS),
    ),
    Target(
        "filter-form", _filter_form, seeds_of(as_json(_FORM), as_json({"format": "pdf", "tag": ["a", "b"]})), Kind.JSON
    ),
    Target(
        "mentions",
        _mention,
        seeds_of('see @report.pdf and @"a b" #law，#法律 (@报告.pdf里)'),
        words=('@"', "#", "@", '"', "里"),
    ),
    Target(
        "calculator",
        _calculate,
        seeds_of("(1,234.5 - 987) / 987 * 100 + sqrt(2)^3!"),
        Kind.TEXT,
        _SIGNS,
        _joined(_SUMS),
    ),
    Target("workspace", _workspace, seeds_of(_HEAD, _GATEWAY), words=_YAML_WORDS),
    Target(
        "evaluation", _evaluation, seeds_of(as_lines(list(_GOLDEN)), as_json(_SQUAD), as_json(list(_GOLDEN))), Kind.JSON
    ),
    Target("bundle", _bundle, lambda: _bundles()[:1], Kind.ZIP, slow=True),
    Target("session-json", _session, lambda: _bundles()[1:], Kind.JSON),
    Target("settings", _settings, seeds_of(as_json(_STORED)), Kind.JSON, tuple(one.key for one in DECLARATIONS)),
    Target(
        "document-words", _words, seeds_of("Wed, 31 Jan 2024 10:00:00 +0100", "D:20240131", "AMEX_FY2022-10K (1).pdf")
    ),
)
