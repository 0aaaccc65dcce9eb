"""The one sentence that says "your documents do not answer this", and how it is recognised.

Models are told to say it word for word, the offline answerer says it itself; so a refusal is a fact of the run and
not a guess about its wording.
"""

import re
import unicodedata

REFUSAL_EN = "Your documents hold nothing about this."
REFUSAL_ZH = "暂无相关知识"

# Markdown emphasis and quotation marks: models wrap the sentence in these.
_WRAPPING = re.compile(r"[\s*_`>\"'“”‘’「」『』#]+")
_BREAK = re.compile(r"[.。．!！?？,，;；:：\n]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def refusal_for(question: str) -> str:
    """Return the sentence in the question's language: Chinese where it holds Chinese characters, else English."""
    return REFUSAL_ZH if _CHINESE.search(question) else REFUSAL_EN


def is_refusal(text: str) -> bool:
    """Tell whether an answer begins or ends with the agreed sentence (in either language, however it is emphasised)."""
    parts = [part for part in map(_plain, _BREAK.split(text)) if part]
    return bool(parts) and (parts[0] in _SENTENCES or parts[-1] in _SENTENCES)


def _plain(text: str) -> str:
    return _WRAPPING.sub(" ", unicodedata.normalize("NFKC", text)).strip(" .。").casefold()


_SENTENCES = frozenset(map(_plain, (REFUSAL_EN, REFUSAL_ZH)))
