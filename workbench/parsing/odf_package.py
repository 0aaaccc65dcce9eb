"""OpenDocument files as their parts: content, styles, metadata, embedded objects."""

import posixpath
from collections.abc import Callable
from pathlib import Path

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument
from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Metadata
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.odf_encryption import Decryptor, decryptor
from workbench.parsing.ooxml import metadata_of, one_line
from workbench.parsing.zip_package import MOST_TREE, Element, ZipPackage, damaged_package, local_name

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
        """Return the file's parts.

        Raises:
            EncryptedDocument: It needs a password, or another one.
            DamagedDocument: It is not such a file.
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
        """Return a part, decrypted; None when there is none."""
        data = super().read(name, limit)
        return self.decryptor.part(name, data) if self.decryptor is not None and data is not None else data

    def body(self, kind: str) -> Element:
        """Return the element that holds the text, the slides or the sheets.

        Raises:
            DamagedDocument: There is none.
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
        """Return what there is to say of the container."""
        return [Finding(FindingKind.LEFT_OUT, detail="parts that are damaged")] if self.damaged else []

    def warnings(self) -> list[str]:
        """Return the same as sentences."""
        return [mark("The file is damaged; what could still be read was read.")] if self.damaged else []

    def without_text(self, message: str, hint: str) -> DocumentError:
        """Return the error for a file in which no text was found: it is empty, or it lost its text."""
        return damaged_package() if self.damaged else EmptyDocument(message, hint)

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        """Return what the file says of itself; as metadata_of."""
        root = self.tree("meta.xml")
        meta = next(root.iter(f"{OFFICE}meta"), None) if root is not None else None
        said: dict[str, str] = {}
        for entry in meta if meta is not None else ():
            name = _NAMES.get(local_name(entry), local_name(entry))
            text = one_line(entry.text or "")
            if name == "keywords" and "keywords" in said:
                said["keywords"] += f", {text}"
            elif text:
                said.setdefault(name, text)
        said["creator"] = said.get("initial") or said.get("creator", "")
        return metadata_of(said, builder, path)
