"""Put the text of pages that were read by OCR in its place in a document: everything behind it moves."""

import dataclasses
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.model.document import Block, Page, ParsedDocument, WordBox, WordBoxes
from workbench.parsing.ocr_layout import Fragment


@dataclass(frozen=True, slots=True)
class _Kept:
    """text[start:end] of the old text stands at `at` in the new one."""

    start: int
    end: int
    at: int


def spliced(
    document: ParsedDocument, fragments: Mapping[int, Fragment], *, replaced: Collection[int] = ()
) -> ParsedDocument:
    """Return the document with the fragments put in, each at the end of its page; pages with words of OCR say so.

    Args:
        document: As it was parsed.
        fragments: By page.
        replaced: Pages whose own text goes.
    """
    text = _Text(document.text)
    pages: list[Page] = []
    placed: list[tuple[int, Fragment]] = []
    for page in document.pages:
        text.keep(page.start)
        fragment = fragments.get(page.number)
        if fragment is None:
            text.keep(page.end)
            start = text.position(page.start)
            words = _moved(page.words, start - page.start)
            pages.append(dataclasses.replace(page, start=start, end=start + page.end - page.start, words=words))
            continue
        own: tuple[WordBox, ...] = ()
        start = -1
        if page.number in replaced:
            text.drop(page.end)
        elif page.end > page.start:
            text.keep(page.end)
            start = text.position(page.start)
            own = _shifted(page.words, start - page.start)
        at = text.put(fragment.text)
        if fragment.text:
            placed.append((at, fragment))
        end = text.length
        boxes = WordBoxes.pack([*own, *_shifted(fragment.words, at)])
        start = start if start >= 0 else at
        pages.append(dataclasses.replace(page, start=start, end=end, words=boxes, ocr=bool(fragment.text) or not own))
    text.keep(len(document.text))
    blocks = [*_blocks(document, text.kept, pages), *_new_blocks(placed)]
    blocks.sort(key=lambda block: block.start)
    return dataclasses.replace(document, text=text.text, blocks=tuple(blocks), pages=tuple(pages))


class _Text:
    """The new text, grown from the old one and what is put in."""

    def __init__(self, old: str) -> None:
        self._old = old
        self._cursor = 0
        self._parts: list[str] = []
        self._after_fragment = False
        self.length = 0
        self.kept: list[_Kept] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def keep(self, end: int) -> None:
        """Go on with the old text to here."""
        if end <= self._cursor:
            return
        piece = self._old[self._cursor : end]
        if self._after_fragment and piece.strip():
            # Blank lines between what was put in and what goes on, whatever was there.
            self._append("\n" * max(0, 2 - (len(piece) - len(piece.lstrip("\n")))))
            self._after_fragment = False
        self.kept.append(_Kept(self._cursor, end, self.length))
        self._append(piece)
        self._cursor = end

    def drop(self, end: int) -> None:
        """Leave the old text out to here."""
        self._cursor = max(self._cursor, end)

    def put(self, text: str) -> int:
        """Put a fragment in and return where it begins."""
        if text and self.length:
            tail = "".join(self._parts[-2:])
            self._append("\n" * max(0, 2 - (len(tail) - len(tail.rstrip("\n")))))
        at = self.length
        if text:
            self._append(text)
            self._after_fragment = True
        return at

    def position(self, old: int) -> int:
        """Return where a kept character stands now."""
        index = bisect_right(self.kept, old, key=lambda kept: kept.start) - 1
        if index < 0:
            return min(old, self.length)
        kept = self.kept[index]
        return kept.at + min(old, kept.end) - kept.start if old < kept.end else self.length

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)


def _blocks(document: ParsedDocument, kept: Sequence[_Kept], pages: Sequence[Page]) -> Iterator[Block]:
    """Yield the old blocks in their new places; one into which something was put comes in two."""
    starts = [page.start for page in pages]
    joined = list(_joined(kept))
    first = 0
    for block in document.blocks:
        while first < len(joined) and joined[first].end <= block.start:
            first += 1
        is_first = True
        for piece in joined[first:]:
            if piece.start >= block.end:
                break
            span = _visible(document.text, max(block.start, piece.start), min(block.end, piece.end))
            if span is None:
                continue
            start, end = (offset - piece.start + piece.at for offset in span)
            page = block.page
            if not is_first or span[0] != block.start:
                page = pages[max(0, bisect_right(starts, start) - 1)].number if pages else None
            yield dataclasses.replace(block, start=start, end=end, page=page)
            is_first = False


def _joined(kept: Iterable[_Kept]) -> Iterator[_Kept]:
    last: _Kept | None = None
    for piece in kept:
        if last is not None and piece.start == last.end and piece.at == last.at + last.end - last.start:
            last = _Kept(last.start, piece.end, last.at)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _visible(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)


def _new_blocks(placed: Iterable[tuple[int, Fragment]]) -> Iterator[Block]:
    for at, fragment in placed:
        for block in fragment.blocks:
            yield dataclasses.replace(block, start=block.start + at, end=block.end + at)


def _moved(words: WordBoxes, by: int) -> WordBoxes:
    return WordBoxes.pack(_shifted(words, by)) if by and len(words) else words


def _shifted(words: Iterable[WordBox], by: int) -> tuple[WordBox, ...]:
    return tuple(dataclasses.replace(word, start=word.start + by, end=word.end + by) for word in words)
