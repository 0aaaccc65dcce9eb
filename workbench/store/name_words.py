"""What a document is called -> the words by which a question can mean it."""

import re
from functools import lru_cache

from workbench.model.file_name import readable
from workbench.store.segmentation import segment
from workbench.store.stopwords import STOP_WORDS
from workbench.store.values import loaded_text

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def name_words(said: str | bytes) -> str:
    """Return the words of a name or title, each once, with a space between; the database calls it, too.

    A year that is glued to letters ("FY2022", "2023Q2") is a word of its own.
    """
    return _words(loaded_text(said))


@lru_cache(maxsize=1024)
def _words(said: str) -> str:
    text = readable(said)
    found = dict.fromkeys((*segment(text).split(), *_YEAR.findall(text)))
    # Of an unspaced script, pairs; a lone last character would be in too many names.
    telling = [word for word in found if word not in STOP_WORDS and (len(word) > 1 or word.isascii())]
    return " ".join(telling or found)
