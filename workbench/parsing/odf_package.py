"""OpenDocument packages: content, metadata, embedded objects, and the styles of paragraphs and lists."""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument
from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Metadata
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.docx_styles import written
from workbench.parsing.office_encryption import Decryptor, decryptor
from workbench.parsing.ooxml import metadata_of, one_line
from workbench.parsing.zip_package import MOST_TREE, Element, ZipPackage, damaged_package, local_name, whole_number

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE, DRAW, STYLE, CHART, PRESENTATION, NUMBER = (
    f"{{{_URN}{name}:1.0}}"
    for name in ("office", "text", "table", "drawing", "style", "chart", "presentation", "datastyle")
)
SVG = f"{{{_URN}svg-compatible:1.0}}"
XLINK = "{http://www.w3.org/1999/xlink}"
DC = "{http://purl.org/dc/elements/1.1/}"
_NAMES = {"creation-date": "created", "date": "modified", "keyword": "keywords", "initial-creator": "initial"}


class OdfPackage(ZipPackage):
    """An OpenDocument file."""

    @classmethod
    def open(cls, path: Path, password: str | None) -> "OdfPackage":
        """Open the package and its decryptor.

        Raises:
            EncryptedDocument: The password is missing or wrong.
            DamagedDocument: The file is not an OpenDocument package.
        """
        package = cls(path.read_bytes())
        manifest = package.tree("META-INF/manifest.xml")
        package.decryptor = decryptor(manifest, password, package.raw) if manifest is not None else None
        return package

    decryptor: Decryptor | None = None

    raw: Callable[[str], bytes | None]

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.raw = super().read

    def read(self, name: str, limit: int = MOST_TREE) -> bytes | None:
        """Return a part, decrypted; None if it does not exist."""
        data = super().read(name, limit)
        return self.decryptor.part(name, data) if self.decryptor is not None and data is not None else data

    def body(self, kind: str) -> Element:
        """Return the element that contains the text, the slides or the sheets.

        Raises:
            DamagedDocument: The element does not exist.
        """
        root = self.tree("content.xml")
        found = next(root.iter(f"{OFFICE}{kind}"), None) if root is not None else None
        if found is None:
            raise DamagedDocument(
                "The file is damaged: the part that holds its text is missing.",
                "Try to open it in its own program and save it again.",
            )
        return found

    def object(self, reference: str) -> Element | None:
        """Return the content of an embedded object: a formula or a chart."""
        name = posixpath.normpath(reference.removeprefix("./"))
        return self.tree(f"{name}/content.xml") if name and not name.startswith("..") else None

    def findings(self) -> list[Finding]:
        """Return findings about the package."""
        return [Finding(FindingKind.LEFT_OUT, detail="parts that are damaged")] if self.damaged else []

    def warnings(self) -> list[str]:
        """Return the same findings as sentences."""
        return [mark("The file is damaged; what could still be read was read.")] if self.damaged else []

    def without_text(self, message: str, hint: str) -> DocumentError:
        """Return the error for a file without text: it is damaged or empty."""
        return damaged_package() if self.damaged else EmptyDocument(message, hint)

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        """Return the file's metadata; see metadata_of()."""
        root = self.tree("meta.xml")
        meta = next(root.iter(f"{OFFICE}meta"), None) if root is not None else None
        properties: dict[str, str] = {}
        for entry in meta if meta is not None else ():
            name = _NAMES.get(local_name(entry), local_name(entry))
            text = one_line(entry.text or "")
            if name == "keywords" and "keywords" in properties:
                properties["keywords"] += f", {text}"
            elif text:
                properties.setdefault(name, text)
        properties["creator"] = properties.get("initial") or properties.get("creator", "")
        return metadata_of(properties, builder, path)


_CODE = re.compile(r"^(?:preformatted|source|code)", re.I)
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True, slots=True)
class OdfStyle:
    """Meaning of a paragraph style: heading level (0 for none) and code."""

    level: int = 0
    code: bool = False


@dataclass(frozen=True, slots=True)
class _OdfListLevel:
    """Level of a list, with the format of its numbers; None for a bullet."""

    form: str | None
    before: str
    after: str
    start: int
    shown: int


class OdfStyles:
    """Styles of a file, and the counters of its lists."""

    def __init__(self, *roots: Element | None) -> None:
        self._parents: dict[str, tuple[str, str]] = {}
        self._levels: dict[str, dict[int, _OdfListLevel]] = {}
        self._counters: dict[str, list[int]] = {}
        for root in roots:
            for style in root.iter(f"{STYLE}style") if root is not None else ():
                name = style.get(f"{STYLE}name") or ""
                shown = style.get(f"{STYLE}display-name") or name
                self._parents[name] = (shown, style.get(f"{STYLE}parent-style-name") or "")
            for style in root.iter(f"{TEXT}list-style") if root is not None else ():
                self._levels[style.get(f"{STYLE}name") or ""] = dict(_levels(style))

    def paragraph(self, name: str | None) -> OdfStyle:
        """Return the meaning of a paragraph style, inherited from its parents if necessary."""
        seen: set[str] = set()
        while name and name not in seen:
            seen.add(name)
            shown, parent = self._parents.get(name, (name, ""))
            if shown in ("Title", "Subtitle"):
                return OdfStyle(level=1 if shown == "Title" else 2)
            if _CODE.match(shown):
                return OdfStyle(code=True)
            name = parent
        return OdfStyle()

    def mark(self, style: str, depth: int, item: Element) -> str:
        """Return the mark of the next item of a list: "-", "2.1." or nothing."""
        levels = self._levels.get(style, {})
        level = levels.get(depth)
        if level is None or level.form is None:
            return "-"
        counters = self._counters.setdefault(style, [])
        if len(counters) > depth + 1:
            del counters[depth + 1 :]
        while len(counters) <= depth:
            above = levels.get(len(counters))
            counters.append((above.start if above is not None else 1) - (1 if len(counters) == depth else 0))
        start = item.get(f"{TEXT}start-value") or ""
        counters[depth] = whole_number(start, counters[depth] + 1)
        if not level.form:
            return ""
        shown = range(max(0, depth - level.shown + 1), depth + 1)
        numbers = [written(counters[at], _FORMS.get(levels[at].form or "", "decimal")) for at in shown if at in levels]
        return f"{level.before}{'.'.join(numbers)}{level.after}".strip()

    def start_list(self, style: str) -> None:
        """Restart the numbering of a list style."""
        self._counters.pop(style, None)


def _levels(style: Element) -> list[tuple[int, _OdfListLevel]]:
    found = []
    for entry in style:
        depth = entry.get(f"{TEXT}level") or "1"
        numbered = local_name(entry) == "list-level-style-number"
        form = entry.get(f"{STYLE}num-format") or "" if numbered else None
        start, shown = entry.get(f"{TEXT}start-value") or "1", entry.get(f"{TEXT}display-levels") or "1"
        before, after = entry.get(f"{STYLE}num-prefix") or "", entry.get(f"{STYLE}num-suffix") or ""
        level = _OdfListLevel(form, before, after, whole_number(start, 1), whole_number(shown, 1))
        found.append((whole_number(depth, 1) - 1, level))
    return found
