"""The translations of one language, read from the file that Qt Linguist edits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from workbench.resources import resource

LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "zh_CN": "简体中文"})
"""Every language of the window, by its code: its name in itself. English needs no file."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one language.

    Attributes:
        code: Its language.
        texts: The translation of each text, under the text and the comment that tells two uses of it apart.
    """

    code: str
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def get(self, text: str, comment: str = "") -> str | None:
        """Return the translation of a text, that without a comment where there is none for this use; None for none."""
        found = self.texts.get((text, comment))
        return found if found is not None or not comment else self.texts.get((text, ""))


def read_catalogue(code: str) -> Catalogue:
    """Return the translations of a language; what nobody has translated is not among them.

    Raises:
        FileNotFoundError: There is no such language.
    """
    # Not on the way to an English window.
    from xml.etree import ElementTree

    texts: dict[tuple[str, str], str] = {}
    for message in ElementTree.parse(resource(f"translations/workbench_{code}.ts")).iter("message"):
        translation = message.find("translation")
        if translation is None or translation.get("type") is not None:
            continue
        form = translation.find("numerusform")
        translated = (translation if form is None else form).text
        if translated:
            texts[message.findtext("source", ""), message.findtext("comment", "")] = translated
    return Catalogue(code, texts)
