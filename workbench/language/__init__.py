"""Translation of the user interface: English texts in the sources are the keys of the translations.

    text in the sources -> resources/translations/*.ts (Qt Linguist) -> Catalogue -> tr, trn, translate

translation.py  Translation of single texts and of sentences with values

Packages without a user interface mark their texts and errors and produce English; the code that shows them translates
them. So texts stored in a library, written to a log or sent to a model are the same in every language.

“make translations” extracts the texts from the sources.
"""

from workbench.language.translation import (
    LANGUAGES,
    Catalogue,
    counted,
    in_seconds,
    language,
    mark,
    read_catalogue,
    speak,
    tr,
    translate,
    trn,
)

__all__ = [
    "LANGUAGES",
    "Catalogue",
    "counted",
    "in_seconds",
    "language",
    "mark",
    "read_catalogue",
    "speak",
    "tr",
    "translate",
    "trn",
]
