"""E-mail: headers, bodies in any form and encoding, attachments as pages of one document; EML, MBOX and MSG."""

import base64
import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
import pyzipper

from workbench.errors import DamagedDocument, DocumentError
from workbench.model.document import (
    Block,
    BlockKind,
    Finding,
    FindingKind,
    Metadata,
    Page,
    PageKind,
    ParsedDocument,
    place,
)
from workbench.parsing import mail, mail_parser
from workbench.parsing.mail import Attachment, Mail, charset_text, header_text, mail_document, nesting
from workbench.parsing.parse import parse_file


def _message(body: str = "The ferry froze in.", **headers: str) -> EmailMessage:
    message = EmailMessage()
    defaults = {"From": "Ann Berg <ann@example.com>", "To": "bob@example.com", "Subject": "The harbour"}
    for name, value in {**defaults, "Date": "Mon, 01 Jan 2024 10:00:00 +0100", **headers}.items():
        message[name] = value
    message.set_content(body)
    return message


def _parsed(tmp_path: Path, message: EmailMessage | bytes, name: str = "m.eml") -> ParsedDocument:
    path = tmp_path / name
    path.write_bytes(message if isinstance(message, bytes) else message.as_bytes())
    return parse_file(path)


def _labels(document: ParsedDocument) -> list[str]:
    return [page.label for page in document.pages]


def _texts(document: ParsedDocument, kind: BlockKind) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind is kind]


def test_e1_a_message_is_its_first_page_with_a_readable_head(tmp_path: Path) -> None:
    document = _parsed(tmp_path, _message(Cc="Carl <c@example.com>"))
    assert (document.page_kind, _labels(document)) == (PageKind.MESSAGE, ["The harbour"])
    assert document.text == (
        "The harbour\n\nFrom: Ann Berg <ann@example.com>\nTo: bob@example.com\nCc: Carl <c@example.com>\n"
        "Date: 2024-01-01 10:00+01:00\n\nThe ferry froze in."
    )


def test_e9_sender_date_and_subject_are_the_metadata(tmp_path: Path) -> None:
    found = _parsed(tmp_path, _message()).metadata
    assert (found.title, found.author, found.created) == (
        "The harbour", "Ann Berg <ann@example.com>", "2024-01-01T10:00:00+01:00",
    )  # fmt: skip


def test_e9_a_message_without_a_subject_uses_its_file_name_as_title(tmp_path: Path) -> None:
    document = _parsed(tmp_path, _message(Subject=""), "from Ann.eml")
    assert document.metadata.title == "from Ann"


def test_an_attachment_is_a_page_with_its_name_above_its_own_headings(tmp_path: Path) -> None:
    message = _message()
    message.add_attachment(
        b"# Depth\n\n## Winter\n\nTwelve metres.\n", maintype="text", subtype="markdown", filename="r.md"
    )
    document = _parsed(tmp_path, message)
    assert _labels(document) == ["The harbour", "r.md"]
    headings = [(document.text[b.start : b.end], b.level, b.page) for b in document.blocks if b.level]
    assert headings == [("The harbour", 1, 1), ("r.md", 2, 2), ("# Depth", 3, 2), ("## Winter", 4, 2)]
    assert place(document.page_kind, 2, document.pages[1].label) == "message 2 “r.md”"


def test_each_page_of_an_attached_pdf_is_a_page(tmp_path: Path) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        for number in (1, 2):
            pdf.new_page().insert_text((72, 72), f"Text of page {number}.")
        data = bytes(pdf.tobytes())
    message = _message()
    message.add_attachment(data, maintype="application", subtype="pdf", filename="report.pdf")
    document = _parsed(tmp_path, message)
    assert _labels(document) == ["The harbour", "report.pdf, page 1", "report.pdf, page 2"]
    last = document.pages[2]
    assert document.text[last.start : last.end].strip() == "Text of page 2."
    assert not last.words


def test_attachments_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    message = _message()
    message.add_attachment(b"ID3", maintype="audio", subtype="mpeg", filename="song.mp3")
    message.add_attachment(b"junk", maintype="application", subtype="pdf", filename="broken.pdf")
    message.add_attachment(b"x", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    findings = _parsed(tmp_path, message).findings
    assert {finding.kind for finding in findings} == {FindingKind.LEFT_OUT}
    assert [finding.detail.split(":")[0] for finding in findings] == ["song.mp3", "broken.pdf", "winmail.dat"]


def test_a_locked_attachment_is_left_out_and_read_with_the_password(tmp_path: Path) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven.")
        data = bytes(pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame"))
    message = _message()
    message.add_attachment(data, maintype="application", subtype="pdf", filename="secret.pdf")
    path = tmp_path / "m.eml"
    path.write_bytes(message.as_bytes())
    assert [finding.detail for finding in parse_file(path).findings] == ["secret.pdf: it needs a password"]
    assert "vault" in parse_file(path, "sesame").text


def test_plain_text_is_preferred_and_html_is_read_when_there_is_no_plain_text(tmp_path: Path) -> None:
    both = _message("plain words")
    both.add_alternative("<p>page words</p>", subtype="html")
    assert "page words" not in _parsed(tmp_path, both).text
    page = _message()
    page.set_content("<h2>Ice</h2><table><tr><th>a</th></tr><tr><td>1</td></tr></table>", subtype="html")
    document = _parsed(tmp_path, page)
    assert _texts(document, BlockKind.HEADING) == ["The harbour", "Ice"]
    assert _texts(document, BlockKind.TABLE) == ["| a |\n| --- |\n| 1 |"]


def test_pictures_within_the_text_are_counted_not_named(tmp_path: Path) -> None:
    message = _message()
    message.set_content("<p>Look:<img src='cid:1'></p>", subtype="html")
    message.add_related(b"\x89PNG", maintype="image", subtype="png", cid="<1>")
    assert _parsed(tmp_path, message).findings == (Finding(FindingKind.IMAGES, (1,), 1),)


def test_a_forwarded_message_is_a_page_with_its_attachments(tmp_path: Path) -> None:
    inner = _message("Inner words.", Subject="Older")
    inner.add_attachment("Note.", filename="note.txt")
    outer = _message()
    outer.add_attachment(inner)
    document = _parsed(tmp_path, outer)
    assert _labels(document) == ["The harbour", "Older", "note.txt"]
    assert "Inner words." in document.text


def test_messages_in_messages_end_at_a_depth(tmp_path: Path) -> None:
    message = _message("Innermost.", Subject="0")
    for number in range(1, 12):
        outer = _message(Subject=str(number))
        outer.add_attachment(message)
        message = outer
    document = _parsed(tmp_path, message)
    assert len(document.pages) < 12
    assert [finding.kind for finding in document.findings] == [FindingKind.LEFT_OUT]


def test_attached_files_within_attached_files_end_at_a_depth() -> None:
    with nesting() as outermost:
        outermost.depth = mail.MAX_DEPTH + 1
        with pytest.raises(DocumentError, match="files deep"):
            outermost.parse("a.txt", b"text")


@pytest.mark.parametrize(("limit", "value"), [("files", 1), ("size", 20), ("until", 0.0)])
def test_attachments_over_the_limit_for_one_file_are_omitted_and_the_message_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    def limited() -> mail.NestingBudget:
        nest = mail.NestingBudget()
        setattr(nest, limit, value)
        return nest

    monkeypatch.setattr(mail, "_new", limited)
    message = _message()
    for number in range(3):
        message.add_attachment(f"Attached text {number}.", filename=f"{number}.txt")
    document = _parsed(tmp_path, message)
    assert "The ferry froze in." in document.text
    assert any("more than can be read" in finding.detail for finding in document.findings)


def test_parsing_a_message_leaves_no_files_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    message = _message()
    message.add_attachment("Note.", filename="../../note.txt")
    _parsed(tmp_path, message)
    assert list((tmp_path / "temp").iterdir()) == []


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        ("=?gb2312?B?uNu/2g==?= report", "港口 report"),
        ("=?utf-8?b?5riv?=\r\n =?utf-8?b?5Y+j?=", "港口"),
        # A character that a mailer divided because it counts bytes.
        ("=?utf-8?b?5rg=?= =?utf-8?b?rw==?=", "港"),
        ("=?x-unknown?q?a=DF?=", "aß"),
        ("=?utf-8?b?broken", "=?utf-8?b?broken"),
        ("Gr\udcc3\udcbc\udcc3\udc9fe", "Grüße"),
        ("plain", "plain"),
        (None, ""),
    ],
)
def test_header_words_are_decoded_from_any_mail_program(raw: str | None, expected: str) -> None:
    assert header_text(raw) == expected


@pytest.mark.parametrize(
    ("data", "charset", "expected"),
    [
        ("港口的水深".encode("gb18030"), "gb2312", "港口的水深"),
        ("“quoted”".encode("cp1252"), "iso-8859-1", "“quoted”"),
        ("港口的水深是十二米".encode("big5"), "windows-950", "港口的水深是十二米"),
        ("Grüße".encode(), "us-ascii", "Grüße"),
        ("Grüße".encode(), "hex", "Grüße"),
        ("Grüße".encode(), None, "Grüße"),
        (b"", None, ""),
    ],
)
def test_e6_bodies_are_decoded_also_where_the_charset_is_wrong(data: bytes, charset: str | None, expected: str) -> None:
    assert charset_text(data, charset) == expected


def test_names_of_attachments_in_every_spelling(tmp_path: Path) -> None:
    def attached(disposition: str) -> bytes:
        return b"Content-Type: text/plain\r\n" + disposition.encode() + b"\r\n\r\nNote.\r\n--x\r\n"

    parts = [
        attached("Content-Disposition: attachment; filename*=utf-8''%E6%B8%AF%E5%8F%A3.txt"),
        attached('Content-Disposition: attachment; filename="=?utf-8?b?5riv5Y+j?= 2.txt"'),
        attached("Content-Disposition: attachment; filename*0=long-; filename*1=name.txt"),
        attached("Content-Disposition: attachment; filename*=x-nothing''a%ff.txt"),
        attached("Content-Disposition: attachment"),
    ]
    head = b"From: a@b.c\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
    labels = _labels(_parsed(tmp_path, head + b"".join(parts)))
    assert labels[1:4] == ["港口.txt", "港口 2.txt", "long-name.txt"]
    assert labels[5] == "attachment 5.txt"


def test_lines_that_the_mailer_broke_are_joined(tmp_path: Path) -> None:
    head = b'From: a@b.c\r\nSubject: s\r\nContent-Type: text/plain; format="flowed"\r\n\r\n'
    document = _parsed(tmp_path, head + b"One sentence \r\nover two lines.\r\n> quoted \r\n> twice\r\n-- \r\nAnn\r\n")
    assert document.text.endswith("One sentence over two lines.\n> quoted \n> twice\n-- \nAnn")


def test_encrypted_messages_are_reported_as_encrypted(tmp_path: Path) -> None:
    head = b"From: a@b.c\r\nSubject: s\r\nContent-Type: application/pkcs7-mime; name=smime.p7m\r\n"
    document = _parsed(tmp_path, head + b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.b64encode(b"secret"))
    assert [finding.detail for finding in document.findings] == ["smime.p7m: it is encrypted for its receiver"]


@pytest.mark.parametrize("content", [b"no header at all", b"X-Odd: 1\r\n\r\nbody", b"\x00\x01" * 500])
def test_a_file_that_is_no_message_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentError):
        _parsed(tmp_path, content)


def test_each_message_of_a_mailbox_is_a_page(tmp_path: Path) -> None:
    one, two = (_message(f"Text {number}.\n>From the start.", Subject=f"Subject {number}") for number in (1, 2))
    two.add_attachment("Note.", filename="n.txt")
    start = b"From ann@example.com Mon Jan  1 10:00:00 2024\n"
    document = _parsed(tmp_path, start + one.as_bytes() + b"\n" + start + two.as_bytes(), "box.mbox")
    assert _labels(document) == ["Subject 1", "Subject 2", "n.txt"]
    assert document.text.count("\nFrom the start.") == 2
    assert document.metadata.title == "box"


def test_a_mailbox_over_the_limit_is_truncated_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_parser, "MAX_MESSAGES", 2)
    start = b"From ann@example.com Mon Jan  1 10:00:00 2024\n"
    document = _parsed(tmp_path, b"\n".join(start + _message().as_bytes() for _ in range(5)), "box.mbox")
    assert len(document.pages) == 2
    assert [finding.kind for finding in document.findings] == [FindingKind.TRUNCATED]


def test_a_file_that_is_no_mailbox_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument, match="not a mailbox"):
        _parsed(tmp_path, b"just words", "box.mbox")


def test_rich_text_is_read_where_a_message_has_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = ParsedDocument("Rich.", (Block(BlockKind.PARAGRAPH, 0, 5),), (), Metadata("x"), "rtf")
    monkeypatch.setattr(
        mail.NestingBudget, "parse", lambda _nest, name, _data, _password=None: {"body.rtf": body}[name]
    )
    document = mail_document(Mail(subject="S", rtf=rb"{\rtf1 Rich.}"), tmp_path / "m.msg", "msg")
    assert document.text == "S\n\nRich."
    assert document.pages == (Page(1, 0, 8, label="S"),)


def test_findings_of_attachments_keep_their_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = (Page(1, 0, 4), Page(2, 4, 8))
    blocks = (Block(BlockKind.PARAGRAPH, 0, 4, page=1), Block(BlockKind.PARAGRAPH, 4, 8, page=2))
    found = (Finding(FindingKind.IMAGES, (2,), 3), Finding(FindingKind.REPLACED, (), 1, "odd"))
    scan = ParsedDocument("aaaabbbb", blocks, pages, Metadata("x"), "pdf", ("Blurred.",), findings=found)
    monkeypatch.setattr(mail.NestingBudget, "parse", lambda *_: scan)
    document = mail_document(Mail("S", attachments=(Attachment("a.pdf"),)), tmp_path / "m.eml", "eml")
    assert document.warnings == ("a.pdf: Blurred.",)
    assert document.findings == (
        Finding(FindingKind.IMAGES, (3,), 3),
        Finding(FindingKind.REPLACED, (2, 3), 1, "a.pdf: odd"),
    )


@pytest.mark.parametrize(
    ("name", "subject", "words", "labels"),
    [
        ("office/tika/testMSG_chinese.msg", "Alfresco MSG format testing ( MSG 格式測試 )", "豐泰產業工會", 1),
        ("office/tika/testMSG_att_msg.msg", "test email", "Blah blah blah", 3),
        ("parse_truth/docling/email/sources/msg_with_attachment.msg", "Email with Attachment", "dummy content", 2),
        ("office/tika/test-outlook.msg", "Microsoft Outlook Express 6", "La réponse à vos attentes", 1),
    ],
)
def test_outlook_messages_are_read(peer_data: Path, name: str, subject: str, words: str, labels: int) -> None:
    document = parse_file(peer_data / name)
    assert (document.metadata.title, len(document.pages)) == (subject, labels)
    assert words in document.text


def test_an_outlook_message_that_is_cut_off_is_refused(peer_data: Path, tmp_path: Path) -> None:
    data = (peer_data / "office/tika/testMSG_att_msg.msg").read_bytes()
    path = tmp_path / "m.msg"
    for size in (100, 600, 5_000):
        path.write_bytes(data[:size])
        with pytest.raises(DocumentError):
            parse_file(path)


def test_heading_levels_stay_within_six() -> None:
    deepest = mail._moved(Block(BlockKind.HEADING, 0, 1, level=6), 0, 4, None)
    assert deepest.level == 6


def _zipped(contents: dict[str, bytes | str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return file.getvalue()


def _with_archive(data: bytes) -> EmailMessage:
    message = _message()
    message.add_attachment(data, maintype="application", subtype="zip", filename="Deals.zip")
    return message


def test_the_files_of_an_attached_archive_are_pages(tmp_path: Path) -> None:
    inner = _zipped({"deep.txt": "Nine years.", "third.zip": _zipped({"x.txt": "Unseen."})})
    files: dict[str, bytes | str] = {"2024/offer.md": "# Offer\n\n12 boats.", ".hidden": "x", "run.exe": "MZ\0"}
    document = _parsed(tmp_path, _with_archive(_zipped({**files, "old.zip": inner})))
    assert _labels(document) == ["The harbour", "Deals.zip/2024/offer.md", "Deals.zip/old.zip/deep.txt"]
    assert "12 boats." in document.text
    assert [finding.detail for finding in document.findings] == [
        "Deals.zip/run.exe", "Deals.zip/old.zip/third.zip: an archive nested more than two deep",
    ]  # fmt: skip


def test_an_attached_bomb_is_named_and_not_unpacked(tmp_path: Path) -> None:
    (finding,) = _parsed(tmp_path, _with_archive(_zipped({"zeros.txt": b"0" * (40 << 20)}))).findings
    assert finding.detail.startswith("Deals.zip/zeros.txt: It would grow ")


def test_an_attached_archive_of_too_many_files_ends_with_one_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "MAX_FILES", 2)
    monkeypatch.setattr(mail, "_new", lambda: mail.NestingBudget(files=2))
    document = _parsed(tmp_path, _with_archive(_zipped({f"{n}.txt": f"Note {n}." for n in range(9)})))
    assert [finding.detail for finding in document.findings] == ["Deals.zip: its files from number 3 on"]


def test_locked_and_damaged_archives_are_named(tmp_path: Path) -> None:
    locked = io.BytesIO()
    with pyzipper.AESZipFile(locked, "w", encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(b"sesame")
        archive.writestr("secret.md", "The vault opens at seven.")
    (finding,) = _parsed(tmp_path, _with_archive(locked.getvalue())).findings
    assert finding.detail == "Deals.zip/secret.md: it needs a password"
    (finding,) = _parsed(tmp_path, _with_archive(b"PK\x03\x04 half")).findings
    assert finding.detail == "Deals.zip: the archive is damaged"
