"""Source code and configuration: the text is the file itself, in pieces that begin where something is defined."""

from pathlib import Path
from typing import ClassVar

from workbench.model.document import Metadata, ParsedDocument
from workbench.parsing.assembly import clean
from workbench.parsing.code_languages import LANGUAGE
from workbench.parsing.code_pieces import code_blocks
from workbench.parsing.source_text import read_source, require_text


class CodeParser:
    """Reads source code; each piece goes by the qualified names of what is defined in it."""

    format: ClassVar[str] = "code"
    suffixes: ClassVar[frozenset[str]] = frozenset(LANGUAGE)
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        blocks = tuple(code_blocks(source.text))
        require_text(blocks)
        language = LANGUAGE.get(path.suffix.lower(), "")
        # "setup.py" says more than "setup".
        metadata = Metadata(title=clean(path.name), keywords=(language,) if language else ())
        return ParsedDocument(source.text, blocks, (), metadata, self.format, findings=source.findings)
