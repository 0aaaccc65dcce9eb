"""Words of a file's name, and the name of a document in front of its chunks."""

import pytest

from workbench.model.document_name import called, file_words, readable


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("AMERICANEXPRESS_2022_10K.pdf", "AMERICANEXPRESS 2022 10K"),
        ("jones-contract (final).docx", "jones contract final"),
        ("劳动合同.pdf", "劳动合同"),
        ("version 5.1.3", "version 5 1 3"),
        ("README", "README"),
    ],
)
def test_a_readable_file_name_has_no_extension_and_spaces_for_separators(name: str, said: str) -> None:
    assert readable(name) == said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("AMEX_2022_10K.pdf", "AMEX 2022 10K"),
        ("AnnualReportFY2022Q3.pdf", "Annual Report FY 2022 Q3"),
        ("qpdf-manual-5.1.3.pdf", "qpdf manual 5 1 3"),
        ("Mietvertrag Müller (2023).docx", "Mietvertrag Müller 2023"),
        ("劳动合同.pdf", "劳动合同"),
        ("contract-d41d8cd98f00b204.pdf", "contract"),
        ("scan of the lease.pdf", "scan of the lease"),
    ],
)
def test_a_file_name_given_by_a_person_returns_its_words(name: str, words: str) -> None:
    assert file_words(name) == words


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".pdf",
        "a.md",
        "2022.md",
        "20220115-083012.pdf",
        "scan0001.pdf",
        "IMG_2021.jpg",
        "DSC00123.JPG",
        "document (3).docx",
        "Untitled.docx",
        "new document final (2).docx",
        "Screenshot 2024-01-02 at 12.13.14.png",
        "WhatsApp Image 2021-01-02.jpeg",
        "扫描件1.pdf",
        "d41d8cd98f00b204e9800998ecf8427e.pdf",
        "550e8400-e29b-41d4-a716-446655440000.pdf",
        "f3a9c2d4-abcd-4bcd-abcd-abcdefabcdef.pdf",
        "B07XJ8C8F7.pdf",
        "1706.03762v5.pdf",
        "1-s2.0-S0925231221004321-main.pdf",
    ],
)
def test_a_file_name_without_meaningful_words_returns_no_words(name: str) -> None:
    assert file_words(name) == ""


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [
        ("AMERICANEXPRESS_2022_10K.pdf", "American Express, Form 10-K", "2022"),
        ("Smith_2021_Deep_learning.pdf", "Deep Learning", "Smith 2021"),
        ("deep-learning.pdf", "Deep Learning", ""),
        ("scan 3 lease mill.pdf", "Lease of the mill", ""),
        ("劳动合同 2022.pdf", "公司劳动合同", "2022"),
    ],
)
def test_words_of_the_title_are_not_repeated_from_the_file_name(name: str, title: str, words: str) -> None:
    assert file_words(name, excluding=title) == words


def test_a_long_name_is_cut() -> None:
    assert file_words(" ".join(f"part{number}" for number in range(40))).count(" ") == 11
    assert len(file_words("很长的文件名" * 40 + ".pdf")) == 80
    assert len(file_words("long words beyond words " * 40)) <= 80


@pytest.mark.parametrize(
    ("name", "title", "said"),
    [
        ("HALDENFOODS_2022_10K.pdf", "Securities and Exchange", ("HALDENFOODS 2022 10K", "Securities and Exchange")),
        ("HALDENFOODS_2022_10K.pdf", "HALDENFOODS_2022_10K", ("HALDENFOODS 2022 10K",)),
        ("Shopping list, for May", "Shopping list, for May", ("Shopping list, for May",)),
        ("scan0001.pdf", "scan0001", ("",)),
        ("scan0001.pdf", "Lease of the mill", ("", "Lease of the mill")),
    ],
)
def test_a_document_is_called_by_its_name_and_its_title(name: str, title: str, said: tuple[str, ...]) -> None:
    assert called(name, title) == said
