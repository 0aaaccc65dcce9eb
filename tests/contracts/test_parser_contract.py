"""Contract of every parser, for any file: offsets are valid, nothing is lost, errors can be shown to users."""

from pathlib import Path

import pytest
from parser_contract import assert_contract

from workbench.errors import DocumentError
from workbench.parsing.parse import parse_file
from workbench.parsing.parser_registry import supported_suffixes

OWN = Path(__file__).resolve().parents[1] / "data" / "parsing"

PEER_SAMPLES = (
    "generated/page_truth/book1_zh.pdf",
    "pdf_varied/paper_twocol/tika__testPDF_bad_page_303226.pdf",
    "pdf_varied/plain/markitdown__REPAIR-2022-INV-001_multipage.pdf",
    "pdf_varied/annotated/qpdf__rotated-shared-annotations-1.pdf",
    "pdf_varied/cjk/pypdf__issue-914-xmp-data.pdf",
    "pdf_varied/rtl_or_other_script/sample-files__habibi-rotated.pdf",
    "generated/corrupt/zeroed_middle.pdf",
    "docs_corpora/rust_book_zh/ch03-02-data-types.md",
    "docs_corpora/commonmark_spec.txt",
    "generated/corrupt/deep_nesting_20000.html",
    "generated/corrupt/deep_quote_5000.md",
    "generated/encodings/zh_hant.big5.txt",
)


@pytest.mark.parametrize("name", ["manual.md", "page.html", "note.txt"])
def test_own_files_keep_the_contract(name: str) -> None:
    assert_contract(parse_file(OWN / name))


@pytest.mark.parametrize("name", PEER_SAMPLES)
def test_real_files_keep_the_contract(peer_data: Path, name: str) -> None:
    assert_contract(parse_file(peer_data / name))


@pytest.mark.parametrize("suffix", sorted(supported_suffixes()))
@pytest.mark.parametrize("content", [b"", b" \n\t\n", bytes(range(256)) * 40], ids=["empty", "blank", "junk"])
def test_file_without_text_is_refused_with_a_sentence(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(content)
    with pytest.raises(DocumentError) as caught:
        parse_file(path)
    assert caught.value.message.endswith(".")
    assert caught.value.hint.endswith(".")
