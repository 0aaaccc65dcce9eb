"""Parser of pictures, whose text is added by OCR: page sizes, metadata and pixels."""

import io
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from workbench.errors import DamagedDocument, NotFound
from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Metadata, Page, ParsedDocument
from workbench.parsing.assembly import clean, stem
from workbench.parsing.formats import suffixes_of
from workbench.parsing.mupdf import mupdf

if TYPE_CHECKING:  # 40 ms that the window does not wait for
    from PIL.Image import Image


class ImageParser:
    """Parser of the pages and metadata of picture files; their text is added by OCR."""

    format: ClassVar[str] = "image"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("image")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002
        """Return the document at path, without text."""
        sizes, frames = page_sizes(path)
        pages = tuple(Page(number, 0, 0, width, height) for number, (width, height) in enumerate(sizes, 1))
        missing = Finding(FindingKind.NO_TEXT, tuple(page.number for page in pages), len(pages))
        findings = [missing]
        if frames > len(pages):
            detail = mark(f"the first {len(pages):,} pages of {frames:,} were read; split the file and add the parts")
            findings.append(Finding(FindingKind.TRUNCATED, count=frames - len(pages), detail=detail))
        return ParsedDocument("", (), pages, picture_metadata(path), self.format, findings=tuple(findings))


_MOST_PIXELS = 150_000_000
"""450 MB uncompressed; a scan of A3 at 600 dpi has 70 million."""

MOST_FRAMES = 5000
_USUAL_DPI = 96.0
_DATE = re.compile(r"^(\d{4}):(\d\d):(\d\d)(?: (\d\d:\d\d:\d\d))?")
_AUTHOR, _CHANGED, _TAKEN, _MORE = 315, 306, 36867, 0x8769
"""Numbers of EXIF fields, and of the field with the offset of further ones."""


def page_sizes(path: Path) -> tuple[list[tuple[float, float]], int]:
    """Return width and height of up to MOST_FRAMES pages in points, and the number of pages in the file.

    Only a TIFF has more than one.

    Raises:
        DamagedDocument: It cannot be read, or is far too large.
    """
    with _opened(path) as picture:
        sizes = []
        frames = _frames(picture)
        for number in range(min(frames, MOST_FRAMES)):
            picture.seek(number)
            sizes.append(_points(picture))
        # Loading the pixels detects damaged files.
        picture.seek(0)
        picture.load()
        return sizes, frames


def picture_metadata(path: Path) -> Metadata:
    """Return the metadata in a picture's EXIF fields.

    Raises:
        DamagedDocument: It cannot be read.
    """
    with _opened(path) as picture:
        exif = picture.getexif()
        taken = exif.get_ifd(_MORE).get(_TAKEN)
        return Metadata(
            stem(path),
            author=" ".join(clean(str(exif.get(_AUTHOR) or "")).replace("\x00", "").split()),
            created=_iso(taken or exif.get(_CHANGED)),
            modified=_iso(exif.get(_CHANGED)),
        )


def page_pixels(path: Path, number: int) -> tuple["Image", float, float]:
    """Return a page in RGB, upright and on white, and its width and height in points.

    Raises:
        DamagedDocument: It cannot be read.
        NotFound: There is no such page.
    """
    from PIL import Image, ImageOps  # imported late, see above

    with _opened(path) as picture:
        frames = min(_frames(picture), MOST_FRAMES)
        if not 1 <= number <= frames:
            raise NotFound(f"The picture has no page {number}.", f"It has {frames}.")
        picture.seek(number - 1)
        width, height = _points(picture)
        turned = ImageOps.exif_transpose(picture)
        if "A" in turned.getbands() or "transparency" in turned.info:
            layered = turned.convert("RGBA")
            turned = Image.new("RGB", layered.size, "white")
            turned.paste(layered, mask=layered.getchannel("A"))
        return turned.convert("RGB"), width, height


def open_picture(path: Path, number: int) -> Any:
    """Return a page of a picture as a PyMuPDF document with one page.

    Raises:
        DamagedDocument: It cannot be read.
        NotFound: There is no such page.
    """
    pixels, width, height = page_pixels(path, number)
    module = mupdf()
    document = module.open()
    page = document.new_page(width=width, height=height)
    samples = module.Pixmap(module.csRGB, pixels.width, pixels.height, pixels.tobytes(), False)
    page.insert_image(page.rect, pixmap=samples, keep_proportion=False)
    return document


class _Bounded(io.BufferedReader):
    """File reader that limits reads to the file's size: Pillow requests the sizes stated in a damaged file."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to this number of bytes, limited to those left in the file."""
        left = max(0, os.fstat(self.fileno()).st_size - self.tell())
        return super().read(left if size is None or size < 0 else min(size, left))


@contextmanager
def _opened(path: Path) -> "Iterator[Image]":
    from PIL import Image, UnidentifiedImageError  # imported late, see above

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about odd EXIF fields, and about sizes, which are checked here
            with _Bounded(io.FileIO(path)) as file, Image.open(file) as picture:
                if picture.width * picture.height > _MOST_PIXELS:
                    raise DamagedDocument(
                        f"The picture is too large: {picture.width:,} x {picture.height:,} pixels.",
                        "Save it again in a smaller size.",
                    )
                yield picture
    except Image.DecompressionBombError as error:
        raise DamagedDocument("The picture is too large.", "Save it again in a smaller size.") from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, ZeroDivisionError) as error:
        raise DamagedDocument(
            "The picture is damaged, or of a kind that cannot be read.", "Try to open it and to save it again."
        ) from error


def _frames(picture: "Image") -> int:
    # The frames of a GIF or WEBP are an animation, not pages.
    return int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1


def _points(picture: "Image") -> tuple[float, float]:
    across, down = picture.info.get("dpi") or (_USUAL_DPI, _USUAL_DPI)
    across, down = (float(dpi) if 30 <= float(dpi) <= 5000 else _USUAL_DPI for dpi in (across, down))
    width, height = picture.width * 72 / across, picture.height * 72 / down
    return (height, width) if picture.getexif().get(0x0112, 1) in (5, 6, 7, 8) else (width, height)


def _iso(value: Any) -> str:
    match = _DATE.match(str(value or ""))
    if match is None or match[1] == "0000":
        return ""
    date = f"{match[1]}-{match[2]}-{match[3]}"
    return f"{date}T{match[4]}" if match[4] else date
