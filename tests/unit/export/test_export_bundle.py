"""Bundles: their content, and the rejection of all other files."""

import hashlib
import io
import json
import stat
import zipfile

import pytest
from export_session import PNG, made_run, made_session
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from workbench.errors import ExportError
from workbench.export.base import ExportContext
from workbench.export.bundle import SCHEMA, BundleExporter, unpack, without_folders
from workbench.model.session import CitedDocument

DOCUMENT = CitedDocument(1, "survey.pdf", "Survey", "ab" * 32, 9, 3, "pdf", True, 4)


@pytest.fixture
def original(tmp_path):
    file = tmp_path / "survey.pdf"
    file.write_bytes(b"%PDF-1.7 x")
    return file


@pytest.fixture
def made(original):
    """Return the bundle of a session, with everything in it."""
    moment = "2026-11-21T08:00:00+00:00"
    context = ExportContext("0.1.0", moment, "Library", lambda _c: PNG, (DOCUMENT,), ((DOCUMENT.sha256, original),))
    return BundleExporter().render(made_session(made_run(), made_run(number=2)), context)


def entries_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def packed(entries, *, infos=()):
    """Return a ZIP file of these entries; infos are added unchanged, with one byte each."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
        for info in infos:
            archive.writestr(info, b"x")
    return out.getvalue()


def listed(entries):
    """Return entries with a correct manifest."""
    manifest = json.loads(entries["manifest.json"])
    manifest["entries"] = [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in entries.items()
        if name != "manifest.json"
    ]
    return {**entries, "manifest.json": json.dumps(manifest).encode()}


def taken(data, tmp_path, **options):
    folder = tmp_path / "into"
    folder.mkdir(exist_ok=True)
    (tmp_path / "b.kwbundle").write_bytes(data)
    return unpack(tmp_path / "b.kwbundle", folder, **options)


def test_it_holds_page_session_passages_pictures_documents_and_their_hashes(made):
    entries = entries_of(made)
    assert set(entries) == {
        "README.txt",
        "index.html",
        "session.json",
        "passages.json",
        "documents.json",
        "manifest.json",
        "pages/0001.png",
        f"originals/{'ab' * 6} survey.pdf",
    }
    manifest = json.loads(entries["manifest.json"])
    assert manifest["schema"] == SCHEMA
    assert {entry["name"]: entry["sha256"] for entry in manifest["entries"]} == {
        name: hashlib.sha256(data).hexdigest() for name, data in entries.items() if name != "manifest.json"
    }
    (document,) = json.loads(entries["documents.json"])
    assert (document["sha256"], document["parser_version"]) == ("ab" * 32, 4)
    passage = json.loads(entries["passages.json"])[0]
    assert (passage["quote"], passage["picture"]) == ("The channel is dredged to 14.2 m.", "pages/0001.png")


def test_its_page_shows_the_pictures_beside_it_and_loads_nothing_else(made):
    tree = LexborHTMLParser(entries_of(made)["index.html"])
    assert {image.attributes["src"] for image in tree.css("img")} == {"pages/0001.png"}
    assert "default-src 'none'" in tree.css_first("meta[http-equiv]").attributes["content"]


def test_it_comes_back_equal(made, tmp_path):
    unpacked = taken(made, tmp_path, with_originals=True)
    import pickle

    session = made_session(made_run(), made_run(number=2))
    assert tuple(pickle.loads(run) for run in unpacked.runs) == without_folders(session).runs
    assert unpacked.info == session.info
    assert unpacked.documents == (DOCUMENT,)
    assert unpacked.pictures[0].file.read_bytes() == PNG
    assert [one.file.name for one in unpacked.originals] == ["survey.pdf"]
    assert unpacked.originals[0].file.read_bytes() == b"%PDF-1.7 x"


@pytest.mark.parametrize("name", ["session.json", "pages/0001.png", "passages.json", "README.txt", "index.html"])
def test_a_changed_byte_anywhere_is_noticed(made, tmp_path, name):
    entries = entries_of(made)
    entries[name] = entries[name][:-2] + b"!\n"
    with pytest.raises(ExportError, match="changed after it was exported"):
        taken(packed(entries), tmp_path)


def test_a_missing_file_is_named(made, tmp_path):
    entries = entries_of(made)
    del entries["pages/0001.png"]
    with pytest.raises(ExportError, match=r"lacks “pages/0001\.png”"):
        taken(packed(entries), tmp_path)


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/passwd", "pages/../../x.png", "C:\\x.png", "pages/x.png", "originals/a/b", "run.exe"]
)
def test_a_name_that_no_bundle_has_is_refused_and_nothing_is_written_outside(made, tmp_path, name):
    entries = listed({**entries_of(made), name: b"x"})
    with pytest.raises(ExportError, match="which no bundle does"):
        taken(packed(entries), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"into", "b.kwbundle", "survey.pdf"}


def test_a_file_that_the_list_does_not_name_is_refused(made, tmp_path):
    with pytest.raises(ExportError, match="its own list does not name"):
        taken(packed({**entries_of(made), "pages/0002.png": PNG}), tmp_path)


def test_a_link_is_refused(made, tmp_path):
    info = zipfile.ZipInfo("pages/0009.png")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(ExportError, match="which no bundle does"):
        taken(packed(entries_of(made), infos=[info]), tmp_path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(made, tmp_path):
    with pytest.raises(ExportError, match="two files of one name"):
        taken(packed(entries_of(made), infos=[zipfile.ZipInfo("README.txt")]), tmp_path)


def test_a_file_that_grows_out_of_proportion_is_refused(made, tmp_path):
    entries = listed({**entries_of(made), "README.txt": bytes(64 * 2**20)})
    with pytest.raises(ExportError, match="would grow"):
        taken(packed(entries), tmp_path)


def test_an_invalid_or_oversized_picture_is_rejected(made, tmp_path):
    huge = PNG[:16] + (60_000).to_bytes(4, "big") * 2 + PNG[24:]
    for data in (b"<svg onload=alert(1)>", huge):
        entries = listed({**entries_of(made), "pages/0001.png": data})
        with pytest.raises(ExportError, match="no picture of a page"):
            taken(packed(entries), tmp_path)


def test_a_later_form_is_named_as_such(made, tmp_path):
    entries = entries_of(made)
    entries["manifest.json"] = entries["manifest.json"].replace(b"bundle/1", b"bundle/2")
    with pytest.raises(ExportError, match="is not a bundle in the form") as caught:
        taken(packed(entries), tmp_path)
    assert "later version" in caught.value.hint


@pytest.mark.parametrize("name", ["manifest.json", "passages.json", "documents.json", "session.json"])
@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"[1]", b'{"entries": 3}', b'[{"picture": 1}]', b"\xff"])
def test_an_invalid_list_is_rejected_with_a_hint(made, tmp_path, name, data):
    entries = {**entries_of(made), name: data}
    entries = entries if name == "manifest.json" else listed(entries)
    if (name, data) == ("passages.json", b'[{"picture": 1}]'):
        assert taken(packed(entries), tmp_path).pictures == ()
        return
    with pytest.raises(ExportError) as caught:
        taken(packed(entries), tmp_path)
    assert caught.value.hint


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_rejected_with_an_export_error_or_has_the_same_runs(made, tmp_path, data):
    place = data.draw(st.integers(0, len(made) - 1))
    wrong = bytearray(made)
    wrong[place : place + data.draw(st.integers(1, 40))] = data.draw(st.binary(max_size=40))
    try:
        unpacked = taken(bytes(wrong), tmp_path)
    except ExportError:
        return
    assert len(unpacked.runs) == 2
