"""Parsers of plain text and of subtitles and transcripts (WebVTT, SubRip, SBV)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, paragraphs, stem
from workbench.parsing.encoding import SourceText, read_source, require_text
from workbench.parsing.formats import suffixes_of


class TextParser:
    """Parser of plain text, and of markup that is readable without conversion."""

    format: ClassVar[str] = "text"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("text")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        return plain_document(read_source(path), path, self.format)


def plain_document(source: SourceText, path: Path, format: str) -> ParsedDocument:
    """Return a file's text unchanged, as a document of this format.

    Raises:
        EmptyDocument: It contains no visible character.
    """
    blocks = tuple(paragraphs(source.text, 0, len(source.text)))
    require_text(blocks)
    metadata = Metadata(title=stem(path))
    return ParsedDocument(source.text, blocks, (), metadata, format, findings=source.findings, lines=source.lines)


_PAUSE = 3.0
"""Seconds of silence after which a new paragraph begins."""

_LONGEST = 1000
"""Characters of a paragraph, after which it may end within a sentence: automatic subtitles have no full stops."""

_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_FORMATS = {".srt": "srt", ".sbv": "sbv"}


@dataclass(frozen=True, slots=True)
class _Cue:
    """Text displayed at one time; start and end in seconds."""

    start: float
    end: float
    speaker: str
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Speech:
    """Speech of one speaker without a pause."""

    start: float
    speaker: str
    end: float = 0.0
    lines: list[str] = field(default_factory=list)

    def goes_on(self, cue: _Cue) -> bool:
        """Return whether a cue continues the speech; a new minute ends it only at the end of a sentence."""
        if cue.speaker != self.speaker or cue.start - self.end >= _PAUSE:
            return False
        text = self.text
        is_over = len(text) > _LONGEST or _SENTENCE_END.search(text) is not None
        return not (is_over and _minute(cue.start) != _minute(self.start))

    @property
    def text(self) -> str:
        """Its text on one line, preceded by the speaker's name."""
        words = " ".join(self.lines)
        return f"{self.speaker}: {words}" if self.speaker else words


class SubtitlesParser:
    """Parser of subtitles; the lines of one speaker are joined, and repeated lines of rolling subtitles dropped."""

    format: ClassVar[str] = "subtitles"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("subtitles")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path; a file without cues is read as plain text."""
        source = read_source(path)
        cues = _cues(source.text, _FORMATS.get(path.suffix.lower(), "vtt"))
        if not cues:
            return plain_document(source, path, self.format)
        builder = TextBuilder()
        starts: list[float] = []
        for speech in _speeches(cues):
            if not starts or _minute(starts[-1]) != _minute(speech.start):
                starts.append(speech.start)
            builder.add(BlockKind.PARAGRAPH, speech.text, page=len(starts))
        blocks = tuple(builder.blocks)
        require_text(blocks)
        return ParsedDocument(
            builder.text,
            blocks,
            tuple(_pages(blocks, starts)),
            Metadata(title=stem(path)),
            self.format,
            page_kind=PageKind.PART,
            findings=(*source.findings, *_lost(source.text, len(cues))),
        )


def _cues(text: str, format: str) -> list[_Cue]:
    """Return the cues in the order of their times; an empty list if the file has another format."""
    from webvtt import WebVTT  # 30 ms that parsers of other files do not wait for
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    try:
        read = WebVTT.from_buffer(text.splitlines(), format=format)
    except (MalformedFileError, MalformedCaptionError):
        return []
    cues = [
        _Cue(
            one.start_in_seconds, one.end_in_seconds, (one.voice or "").strip(), tuple(unescape(one.text).splitlines())
        )
        for one in read.captions
    ]
    return sorted(cues, key=lambda cue: cue.start)


def _speeches(cues: Iterable[_Cue]) -> Iterator[_Speech]:
    speech: _Speech | None = None
    shown: Sequence[str] = ()
    for cue in cues:
        # Rolling subtitles display the last line again above the new one.
        lines = [line.strip() for line in cue.lines if line.strip() and line.strip() not in shown]
        shown = [line.strip() for line in cue.lines]
        if speech is None or not speech.goes_on(cue):
            if speech is not None and speech.lines:
                yield speech
            speech = _Speech(cue.start, cue.speaker)
        speech.lines.extend(lines)
        speech.end = cue.end
    if speech is not None and speech.lines:
        yield speech


def _minute(seconds: float) -> int:
    return int(seconds // 60)


def _pages(blocks: Sequence[Block], starts: Sequence[float]) -> Iterator[Page]:
    """Yield a page for each minute in which a paragraph begins, labelled with its time: "1:02:05"."""
    for number, group in groupby(blocks, key=lambda block: block.page):
        own = list(group)
        assert number is not None
        yield Page(number, own[0].start, own[-1].end, label=_clock(starts[number - 1]))


def _lost(text: str, cues: int) -> Iterator[Finding]:
    lost = text.count("-->") - cues
    if lost > 0:
        one, several = "1 subtitle whose time cannot be read", f"{lost} subtitles whose time cannot be read"
        yield Finding(FindingKind.LEFT_OUT, count=lost, detail=mark(one if lost == 1 else several))


def _clock(seconds: float) -> str:
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}"
