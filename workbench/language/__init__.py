"""The texts that people read, in their language: English stands in the sources and is the key to all others.

    text in the sources -> resources/translations/*.ts (Qt Linguist) -> Catalogue -> tr, trn, said

translation.py  Translation of the texts that people read

A room that knows no window marks its texts and errors and speaks English; who shows them says them in the user's
language. So what is kept in a library, written to a log and sent to a model is the same in every language.

“make translations” takes the texts out of the sources.
"""

from workbench.language.translation import (
    LANGUAGES,
    Catalogue,
    counted,
    in_seconds,
    language,
    mark,
    read_catalogue,
    said,
    speak,
    tr,
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
    "said",
    "speak",
    "tr",
    "trn",
]
