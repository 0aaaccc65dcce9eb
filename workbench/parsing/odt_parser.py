"""OpenDocument text documents."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import ParsedDocument
from workbench.parsing.odf_package import OdfPackage
from workbench.parsing.odf_styles import OdfStyles
from workbench.parsing.odf_text import FlowReader


class OdtParser:
    """Reads .odt; headers and footers are left out, deletions too."""

    format: ClassVar[str] = "odt"
    suffixes: ClassVar[frozenset[str]] = frozenset({".odt", ".ott"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OdfPackage.open(path, password)
        body = package.body("text")
        reader = FlowReader(package, OdfStyles(package.tree("styles.xml"), body.getroottree().getroot()))
        reader.read(body)
        metadata = package.metadata(reader.builder, path)
        reader.add_notes()
        if not reader.builder.blocks:
            raise package.without_text(
                "The document holds no text.", "If it is made of pictures, save it as a PDF and add that."
            )
        return ParsedDocument(
            reader.builder.text,
            tuple(reader.builder.blocks),
            (),
            metadata,
            self.format,
            warnings=tuple(package.warnings()),
            findings=(*reader.findings(), *package.findings()),
        )
