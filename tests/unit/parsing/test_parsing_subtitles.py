from pathlib import Path

import pytest
from parser_contract import read_source

from workbench.errors import EmptyDocument
from workbench.model.document import FindingKind, PageKind, ParsedDocument, place
from workbench.parsing.parse import parse_file

MEETING = """WEBVTT

00:00:01.000 --> 00:00:04.000
<v Ada Byron>The budget is</v>

00:00:04.100 --> 00:00:06.000
<v Ada Byron>40,000 euros.</v>

00:00:06.500 --> 00:00:08.000
<v Alan>Agreed.</v>

00:01:10.000 --> 00:01:12.000
<v Alan>Next point &amp; questions.</v>
"""


@pytest.fixture
def meeting(tmp_path: Path) -> ParsedDocument:
    return read_source(tmp_path / "meeting.vtt", MEETING)


def lines(document: ParsedDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def test_consecutive_cues_of_one_speaker_form_one_paragraph_under_the_name(meeting: ParsedDocument) -> None:
    assert lines(meeting) == [
        "Ada Byron: The budget is 40,000 euros.",
        "Alan: Agreed.",
        "Alan: Next point & questions.",
    ]


def test_a_citation_names_the_time_at_which_the_text_is_spoken(meeting: ParsedDocument) -> None:
    assert meeting.page_kind is PageKind.PART
    last = meeting.pages[-1]
    assert place(meeting.page_kind, last.number, last.label) == "part 2 “0:01:10”"


def test_subrip_and_its_markup_are_read(tmp_path: Path) -> None:
    source = "1\n00:00:01,000 --> 00:00:02,000\n<i>Hello</i>\nyou.\n\n2\n01:00:00,000 --> 01:00:02,000\nBye.\n"
    document = read_source(tmp_path / "film.srt", source)
    assert lines(document) == ["Hello you.", "Bye."]
    assert [page.label for page in document.pages] == ["0:00:01", "1:00:00"]


def test_youtubes_own_format_is_read(tmp_path: Path) -> None:
    document = read_source(tmp_path / "talk.sbv", "0:00:00.599,0:00:04.160\nGood morning.\n")
    assert lines(document) == ["Good morning."]


def test_text_repeated_by_rolling_captions_is_read_once(tmp_path: Path) -> None:
    cues = [("00.000", "02.000", "so today we"), ("02.000", "04.000", "so today we\ntalk about bees")]
    source = "WEBVTT\n\n" + "\n\n".join(f"00:00:{start} --> 00:00:{end}\n{text}" for start, end, text in cues)
    assert lines(read_source(tmp_path / "auto.vtt", source)) == ["so today we talk about bees"]


def test_a_sentence_continues_across_the_end_of_a_minute(tmp_path: Path) -> None:
    source = "WEBVTT\n\n00:58.000 --> 01:00.000\nIt never\n\n01:00.500 --> 01:02.000\nends here.\n"
    document = read_source(tmp_path / "long.vtt", source)
    assert lines(document) == ["It never ends here."]
    assert len(document.pages) == 1


def test_subtitles_without_a_readable_time_are_counted(tmp_path: Path) -> None:
    source = "WEBVTT\n\n00:01.000 --> 00:02.000\nHeard.\n\n00:03 --> soon\nLost.\n"
    document = read_source(tmp_path / "broken.vtt", source)
    left_out = next(finding for finding in document.findings if finding.kind is FindingKind.LEFT_OUT)
    assert (left_out.count, left_out.detail) == (1, "1 subtitle whose time cannot be read")


def test_a_file_that_only_bears_the_name_is_read_as_plain_text(tmp_path: Path) -> None:
    document = read_source(tmp_path / "notes.srt", "Shopping list\n\nMilk and bread\n")
    assert lines(document) == ["Shopping list", "Milk and bread"]
    assert not document.pages


def test_a_file_of_times_alone_holds_no_text(tmp_path: Path) -> None:
    path = tmp_path / "silent.vtt"
    path.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n \n", encoding="utf-8")
    with pytest.raises(EmptyDocument):
        parse_file(path)
