"""The built-in agent, and the fixed sentences for refusals and uncertain answers, with their detection.

Models are instructed to use the refusal sentence word for word, and the offline answerer writes all of them itself.
The certainty of an answer is therefore a fact of the run, not a guess about its wording.
"""

import re
import unicodedata

from workbench.model.agent import BUILT_IN_NAME, Agent
from workbench.model.run import Certainty

REFUSAL_EN = "Your documents hold nothing about this."
REFUSAL_ZH = "暂无相关知识"
CLOSEST_EN = "Closest passages; it is not sure that they answer this:"
CLOSEST_ZH = "最接近的段落；不确定它们是否回答了这个问题："
UNKNOWN_EN = "Not found in what was read so far."
UNKNOWN_ZH = "在目前已读取的内容中没有找到。"

# Markdown emphasis and quotation marks: models wrap the sentence in these.
_WRAPPING = re.compile(r"[\s*_`>\"'“”‘’「」『』#]+")
_BREAK = re.compile(r"[.。．!！?？,，;；:：\n]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def refusal_for(question: str) -> str:
    """Return the refusal in the question's language: Chinese if it contains Chinese characters, otherwise English."""
    return REFUSAL_ZH if _CHINESE.search(question) else REFUSAL_EN


def unknown_for(question: str) -> str:
    """Return the sentence that nothing was found so far, in the question's language like the refusal."""
    return UNKNOWN_ZH if refusal_for(question) == REFUSAL_ZH else UNKNOWN_EN


def is_only_refusal(text: str) -> bool:
    """Return whether an answer is the refusal sentence and nothing else."""
    parts = [part for part in map(_plain, _BREAK.split(text)) if part]
    return bool(parts) and all(part in _SENTENCES for part in parts)


def is_refusal(text: str) -> bool:
    """Return whether an answer begins or ends with the refusal sentence (in either language, with any emphasis)."""
    parts = [part for part in map(_plain, _BREAK.split(text)) if part]
    return bool(parts) and (parts[0] in _SENTENCES or parts[-1] in _SENTENCES)


def certainty_of(answer: str) -> Certainty:
    """Return the certainty of an answer from the fixed sentence at its start, or for a refusal also at its end."""
    start = answer.lstrip()
    if start.startswith((CLOSEST_EN, CLOSEST_ZH)):
        return Certainty.CLOSEST
    if start.startswith((UNKNOWN_EN, UNKNOWN_ZH)):
        return Certainty.UNKNOWN
    return Certainty.NOT_FOUND if is_refusal(answer) else Certainty.FOUND


def _plain(text: str) -> str:
    return _WRAPPING.sub(" ", unicodedata.normalize("NFKC", text)).strip(" .。").casefold()


_SENTENCES = frozenset(map(_plain, (REFUSAL_EN, REFUSAL_ZH)))


DESCRIPTION = "You answer questions from a person's own documents. They will check every claim you make."

INSTRUCTIONS = (
    "Answer only from the search results. Do not add what you know from elsewhere, and do not guess.",
    "Put a marker such as [1] straight after each claim. Its number is the value of “citation” of the result that says"
    " so; use no other number. Where two results say it, write [1][2].",
    "Quote figures, names and dates exactly as the result has them. Put words you take over in quotation marks.",
    "Where results contradict each other, say so and cite both.",
    f"When the results do not hold the answer, say exactly this sentence and nothing else: {REFUSAL_EN}"
    f" To a question in Chinese say exactly: {REFUSAL_ZH}",
    "Answer in the language of the question, also where the documents are in another one.",
)

BUILT_IN = Agent(BUILT_IN_NAME, description=DESCRIPTION, instructions=INSTRUCTIONS)
