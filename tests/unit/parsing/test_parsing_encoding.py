"""Encodings: detection, and the warning if it was a guess."""

import random
import time
import unicodedata
from pathlib import Path

import pytest

from workbench.errors import DamagedDocument
from workbench.model.document import FindingKind
from workbench.parsing.encoding import decode, read_text

WESTERN = ("cp1252", "mac_roman", "cp850", "iso8859_15")
CENTRAL = ("cp1250", "iso8859_2", "cp852")
TEXTS = {
    "Die größte Straße führt über hübsche Brücken zu den Häusern, schön und öde zugleich.": WESTERN,
    "Les élèves déjà prêts étaient à côté de la fenêtre, où l'été français s'achève.": WESTERN,
    "El niño comió mañana una piña pequeña; ¿cuándo volverá el señor a la montaña?": WESTERN,
    "Alla människor är födda fria; de små pojkarna åker båt på sjön när våren kommer.": WESTERN,
    "Příliš žluťoučký kůň úpěl ďábelské ódy, když se večer šeřilo nad řekou.": CENTRAL,
    "Zażółć gęślą jaźń, mówił źrebak, gdy świeżą łąką szedł ku wsi w piątek.": CENTRAL,
    "Árvíztűrő tükörfúrógép, őszinte hűség és öröm a magyar földön, ahol élünk.": CENTRAL,
    "Türkçede ışık, şeker, çiçek ve ağaç gibi sözcükler öğrencilere öğretilir.": ("cp1254", "iso8859_9"),
    "Все люди рождаются свободными и равными в своём достоинстве и правах.": (
        *("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic", "utf-16-le", "utf-16-be"),
    ),
    "Усі люди народжуються вільними і рівними у своїй гідності та правах.": ("cp1251", "koi8_u"),
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.": ("cp1253", "iso8859_7"),
    "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.": ("cp1255", "iso8859_8"),
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.": ("cp1256", "iso8859_6"),
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์": ("cp874", "utf-16-le", "utf-16-be"),
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。": (
        *("cp932", "euc_jp", "iso2022_jp", "utf-16-le", "utf-16-be"),
    ),
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.": ("cp949", "iso2022_kr", "utf-16-be"),
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。": ("gb18030", "hz", "utf-16-le", "utf-16-be"),
    "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心。": ("big5", "cp950", "utf-16-le"),
}


@pytest.mark.parametrize(("text", "encoding"), [(text, name) for text, names in TEXTS.items() for name in names])
def test_e6_a_sentence_is_enough_to_know_its_encoding(text: str, encoding: str) -> None:
    text = unicodedata.normalize("NFC", text)
    data = text.encode(encoding, "ignore")
    assert decode(data)[0] == data.decode(encoding)


@pytest.mark.parametrize(
    "text", ["25 °C", "naïve café", "§ 5 Abs. 2 BGB", "£100 and €200", "“quoted” – and more…", "Größe der Straße"]
)
def test_e6_few_signs_in_an_english_line_are_the_usual_ones(text: str) -> None:
    assert decode(text.encode("cp1252"))[0] == text


def test_e6_every_sample_in_another_encoding_is_read_as_its_text(peer_data: Path) -> None:
    folder = peer_data / "encodings" / "charset_normalizer"
    words = {"arabic": "ال", "bulgarian": "човек", "chinese": "維基", "greek": "ελληνικ", "hebrew": "עברי"}
    words |= {"korean": "역사", "polish": "Ą", "russian": "и", "spanish": "creación", "turkish": "Türk", "french": "é"}
    paths = sorted(folder.glob("sample-*.txt"))
    assert len(paths) > 10
    for path in paths:
        text = decode(path.read_bytes())[0]
        expected = next((word for language, word in words.items() if language in path.name), "")
        assert expected in text, path.name
        assert "�" not in text, path.name


def test_characters_as_two_surrogates_are_put_together() -> None:
    assert decode(b"x\xed\xa0\xbd\xed\xb8\x80y")[0] == "x😀y"


def test_few_zeros_among_ascii_are_no_wide_unicode() -> None:
    assert decode(b"\n\n\n\n\n\x000\n")[0] == "\n\n\n\n\n\x000\n"


def test_guessed_encoding_is_a_finding_and_a_certain_encoding_is_not() -> None:
    guessed = read_text("Größe und Länge der Straße, für Fußgänger".encode("cp1252"))
    assert [(f.kind, f.detail) for f in guessed.findings] == [(FindingKind.ENCODING, "cp1252")]
    assert read_text("Größe".encode()).findings == ()
    assert read_text("Größe".encode("utf-16")).findings == ()


def test_characters_that_cannot_be_decoded_are_counted() -> None:
    found = read_text("知识库".encode() * 20 + b"\xff\xfe" + "�".encode())
    assert found.replaced == 2
    assert [(f.kind, f.count) for f in found.findings] == [(FindingKind.REPLACED, 2)]


def test_non_ascii_characters_are_searched_for_beyond_the_beginning() -> None:
    text = "plain words only\n" * 10_000 + "Die Größe der Straße überraschte die Fußgänger.\n" * 5
    assert decode(text.encode("cp1252"))[0] == text


@pytest.mark.parametrize("data", [bytes(range(256)) * 40, b"\x00\x01\x02\x03" * 500, b"\x7fELF" + bytes(3000)])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedDocument):
        decode(data)


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\xef\xbb\xbf"])
def test_random_bytes_behind_a_byte_order_mark_are_no_text(mark: bytes) -> None:
    with pytest.raises(DamagedDocument):
        decode(mark + random.Random(7).randbytes(2000))


@pytest.mark.parametrize("size", [60, 300, 5000])
def test_random_bytes_are_not_guessed_to_be_words(size: int) -> None:
    with pytest.raises(DamagedDocument):
        decode(random.Random(2).randbytes(size))


@pytest.mark.parametrize("sample", ["a", "知识", "Größe ", "\x85\xa0"])
def test_five_megabytes_take_seconds_at_most(sample: str) -> None:
    data = sample.encode("utf-8" if sample == "a" else "gb18030" if sample == "知识" else "cp1252", "replace")
    started = time.perf_counter()
    decode(data * (5_000_000 // len(data)))
    assert time.perf_counter() - started < 5
