"""What a PDF says of itself: title, author, dates, keywords, outline."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.model.document import Metadata
from workbench.parsing.assembly import clean, stem
from workbench.parsing.pdf_paragraphs import Paragraph
from workbench.parsing.pdf_titles import title_by_size, title_on_cover

_JUNK = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)\b.*|untitled\b.*|(?:powerpoint )?presentation\d*|document\d*"
    r"|title|slide \d+|[a-z]{1,2}|\(?(?:anonymous|unspecified|none)\)?"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|odt|rtf|txt|ai|eps|ps|html?)|[\d\s._-]*|无标题|未命名)$",
    re.I,
)
_DATE = re.compile(r"^(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?")
_LONGEST = 300


def pdf_metadata(said: Mapping[str, Any], paragraphs: Sequence[Paragraph], path: Path, language: str) -> Metadata:
    """Return the metadata; a title that is no title gives way to the largest heading of the first page.

    Args:
        said: The document's own, as PyMuPDF has it.
        paragraphs: Of the whole document.
        path: Its file.
        language: As the document's catalogue has it.
    """
    title = _line(title_on_cover(paragraphs) or said.get("title"))
    if not title or _JUNK.match(title) or len(title) > _LONGEST:
        title = _line(title_by_size(paragraphs))[:_LONGEST] or stem(path)
    return Metadata(
        title=title,
        author=_line(said.get("author")).strip("()").replace("anonymous", ""),
        created=iso_date(_line(said.get("creationDate"))),
        keywords=tuple(
            word for word in (part.strip() for part in re.split(r"[,;，；、]", _line(said.get("keywords")))) if word
        ),
        language=language,
        modified=iso_date(_line(said.get("modDate"))),
    )


def iso_date(value: str) -> str:
    """Return a PDF date as ISO 8601, or "" where it is none."""
    match = _DATE.match(value)
    if match is None:
        return ""
    year, month, day, hour, minute, second = match.groups()
    if not 1 <= int(month or 1) <= 12 or not 1 <= int(day or 1) <= 31 or int(year) < 1900:
        return ""
    date = f"{year}-{month or '01'}-{day or '01'}"
    return f"{date}T{hour}:{minute}:{second or '00'}" if hour and int(hour) < 24 and int(minute) < 60 else date


def outline(document: Any) -> list[tuple[int, str, int]]:
    """Return level, title and page of each outline entry; an unreadable outline is none."""
    try:
        entries = document.get_toc(simple=True)
    except Exception:  # noqa: BLE001 - MuPDF raises bare RuntimeErrors of many kinds on broken outlines
        return []
    return [(level, title, page) for level, title, page, *_ in entries if title.strip()]


def _line(value: Any) -> str:
    return " ".join(clean(str(value or "")).replace("�", "").split())
