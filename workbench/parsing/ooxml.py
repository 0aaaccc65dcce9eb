"""What Word, PowerPoint and Excel files share: relationships between parts, metadata, encryption."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.office_encryption import OLE_MAGIC, decrypted
from workbench.parsing.zip_package import Element, ZipPackage, damaged_package, local_name

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

_NO_TITLE = re.compile(
    r"^(?:[?\s]+|microsoft (?:word|powerpoint|excel)\b.*|(?:powerpoint )?(?:presentation|präsentation)\d*|document\d*"
    r"|powerpoint-präsentation|présentation powerpoint|untitled\b.*|title|slide \d+|(?:文档|文書|演示文稿|簡報)\s?\d*"
    r"|powerpoint 演示文稿|powerpoint 簡報|powerpoint プレゼンテーション|book\d+|sheet\d+|工作簿\d+"
    r"|.*\.(?:docx?|pptx?|xlsx?))$",
    re.I,
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)?")


@dataclass(frozen=True, slots=True)
class Relation:
    """From one part to another.

    Attributes:
        kind: The last word of its type: "image", "slide", "footnotes".
        target: The other part's name; empty when it lies outside the file.
    """

    kind: str
    target: str


class OfficePackage(ZipPackage):
    """A Word, PowerPoint or Excel file as its parts."""

    @classmethod
    def open(cls, path: Path, password: str | None) -> "OfficePackage":
        """Return the file's parts.

        Raises:
            EncryptedDocument: It needs a password, or another one.
            DamagedDocument: It is not such a file.
        """
        data = path.read_bytes()
        return cls(decrypted(data, password) if data.startswith(OLE_MAGIC) else data)

    def relations(self, part: str) -> dict[str, Relation]:
        """Return what a part relates to, by the identifiers it uses; the empty part is the package itself."""
        folder, name = posixpath.split(part)
        root = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for entry in root if root is not None else ():
            target = entry.get("Target") or ""
            outside = entry.get("TargetMode") == "External"
            kind = (entry.get("Type") or "").rstrip("/").rpartition("/")[2]
            found[entry.get("Id") or ""] = Relation(kind, "" if outside else _resolved(folder, target))
        return found

    def main_part(self, *usual: str) -> str:
        """Return the name of the part that everything hangs on.

        Raises:
            DamagedDocument: There is none.
        """
        related = [relation.target for relation in self.relations("").values() if relation.kind == "officeDocument"]
        for name in (*related, *usual):
            if name in self:
                return name
        raise DamagedDocument(
            "The file is damaged: the part that holds its text is missing.",
            "Try to open it in its own program and save it again.",
        )

    def main_tree(self, part: str) -> Element:
        """Return the root of a part that must be there.

        Raises:
            DamagedDocument: Nothing of it can be read.
        """
        root = self.tree(part)
        if root is None:
            raise DamagedDocument(
                "The file is damaged: the part that holds its text cannot be read.",
                "Try to open it in its own program and save it again.",
            )
        return root

    def findings(self) -> list[Finding]:
        """Return what there is to say of the container."""
        if not self.damaged:
            return []
        return [Finding(FindingKind.LEFT_OUT, detail="parts that are damaged")]

    def warnings(self) -> list[str]:
        """Return the same as sentences."""
        return [mark("The file is damaged; what could still be read was read.")] if self.damaged else []

    def without_text(self, message: str, hint: str) -> DocumentError:
        """Return the error for a file in which no text was found: it is empty, or it lost its text."""
        return damaged_package() if self.damaged else EmptyDocument(message, hint)

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        """Return what the file says of itself; as metadata_of."""
        said: dict[str, str] = {}
        related = [relation.target for relation in self.relations("").values() if relation.kind == "core-properties"]
        root = self.tree(next(iter(related), "docProps/core.xml"))
        for entry in root if root is not None else ():
            said.setdefault(local_name(entry), one_line(entry.text or ""))
        return metadata_of(said, builder, path)


def metadata_of(said: dict[str, str], builder: TextBuilder | None, path: Path) -> Metadata:
    """Return metadata from the Dublin Core names: title, creator, created, modified, keywords, language.

    Without a title it is the builder's first heading, if there is a builder, or the file's name.
    """
    title = said.get("title", "")
    if not title or len(title) > 300 or _NO_TITLE.match(title):
        title = (first_heading(builder) if builder is not None else "") or stem(path)
    return Metadata(
        title=title,
        author=said.get("creator", ""),
        created=iso(said.get("created", "")),
        keywords=tuple(w for w in (part.strip() for part in re.split(r"[,;，；、]", said.get("keywords", ""))) if w),
        language=said.get("language", ""),
        modified=iso(said.get("modified", "")),
    )


def first_heading(builder: TextBuilder) -> str:
    """Return the words of the first heading that can be a title, or nothing."""
    text = builder.text
    for block in builder.blocks:
        if block.kind is BlockKind.HEADING and block.end - block.start <= 200:
            return one_line(text[block.start : block.end])
    return ""


def one_line(text: str) -> str:
    """Return a text as one line with single spaces."""
    return " ".join(clean(text).split())


def iso(value: str) -> str:
    """Return a W3C date as the library keeps dates, or nothing."""
    match = _DATE.match(value)
    return match[0] if match else ""


def children(element: Element, *names: str) -> Sequence[Element]:
    """Return the children of these local names."""
    return [child for child in element if local_name(child) in names]


def _resolved(folder: str, target: str) -> str:
    joined = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined.replace("\\", "/"))
