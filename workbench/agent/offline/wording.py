"""Fixed sentences of the offline answerer in English and Chinese, and the Markdown of its quotes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.agent.built_in_agent import (
    CLOSEST_EN,
    CLOSEST_ZH,
    REFUSAL_ZH,
    UNKNOWN_EN,
    UNKNOWN_ZH,
    refusal_for,
)
from workbench.agent.citations import MOST_CELLS
from workbench.agent.offline.quotes import Cells, Quote
from workbench.language import mark
from workbench.retrieval.answer_sentences import AnswerLevel

MODE = mark("Quotes from your documents, no model")

_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|bye|help|test|who are you|what can you do"
    r"|how are you|你好|您好|谢谢|謝謝|再见|再見|你是谁|你是誰|你能做什么|你能做什麼|帮助|幫助)"
    r"(?: there| you| all)?",
)
_SUMMARY = re.compile(
    r"(?:please )?(?:can you )?(?:summari[sz]e|sum up|give me (?:a|an) (?:summary|overview)(?: of)?|tl;?dr)"
    r"(?: (?:this|it|all|everything|the|my|of|these|documents?|files?|library|texts?|pages?))*"
    r"|(?:请|請)?(?:总结|總結|概括|概述)(?:一下)?(?:全部|所有|这些|這些|我的)?(?:的)?(?:文档|文檔|文件|资料|資料|内容|內容)?",
)
# Characters that Markdown would interpret, escaped so that a quote looks as in the document; above all "[3]", which in
# an answer is a citation. Only where Markdown would: "max\_tokens" would look odd on the command line.
_MARKUP = re.compile(
    r"(?P<spelt>\\(?=[!-/:-@\[-`{-~]|$)|【(?=\s*\d))"
    r"|[`*\[]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|<(?=[a-zA-Z/!?])|&(?=#?\w+;)"
)
# A single dollar sign on a line is money, two may delimit a formula.
_MARKUP_AND_DOLLARS = re.compile(rf"{_MARKUP.pattern}|\$")

_MOST_COLUMNS = 6
_LONGEST_CELL = 80


@dataclass(frozen=True, slots=True)
class _Words:
    """All sentences in one language."""

    thought_title: str
    thought: str
    next_step: str
    judged_title: str
    judged: str
    enough: str
    close: str
    too_little: str
    lead_in: str
    lead_in_section: str
    closest: str
    unknown_yet: str
    pending: str
    loosely: str
    failed: str
    only_quotes: str


_ENGLISH = _Words(
    thought_title=mark("Look it up"),
    thought=mark("No model is set up, so I look for sentences in your documents that answer: {0}"),
    next_step=mark("Search the documents"),
    judged_title=mark("Assess the results"),
    judged=mark("Passages found: {0}; sentences in them: {1}."),
    enough=mark("The best sentences fit the question well enough to be quoted."),
    close=mark("The best sentences may or may not answer the question; they are quoted as the closest passages."),
    too_little=mark("No sentence fits the question well enough to be quoted."),
    lead_in="Quoted word for word from your documents, best first (no model wrote this):",
    lead_in_section="Quoted word for word from a section of your documents (no model wrote this):",
    closest=CLOSEST_EN,
    unknown_yet=f"{UNKNOWN_EN} The answer may be in the rest: it is still to be read or prepared, or cannot be read.",
    pending="Not everything is read and prepared; the answer may be in the rest.",
    loosely="The passages that come nearest are only loosely related, so none is quoted.",
    failed="The search did not work, so I cannot say whether your documents answer this. Please ask again.",
    only_quotes="Without a model I can only look up a question and quote what your documents say about it. "
    "Ask about something that they contain, or add a model in the settings for conversation and summaries.",
)
_CHINESE = _Words(
    thought_title="查找文档",
    thought="没有配置模型，因此在您的文档中查找能回答问题的句子：{0}",
    next_step="搜索文档",
    judged_title="判断搜索结果",
    judged="找到 {0} 个段落，共 {1} 个句子。",
    enough="最好的句子与问题足够吻合，可以引用。",
    close="最好的句子可能回答了问题，也可能没有：作为最接近的段落引用。",
    too_little="没有句子与问题足够吻合，不能引用。",
    lead_in="以下逐字引自您的文档，最相关的在前（未使用模型）：",
    lead_in_section="以下逐字引自您文档中的一节（未使用模型）：",
    closest=CLOSEST_ZH,
    unknown_yet=f"{UNKNOWN_ZH}答案可能在其余内容中：它们仍待读取或处理，或者无法读取。",
    pending="并非所有内容都已读取并处理，答案可能在其余内容中。",
    loosely="最接近的段落与问题只有松散的关系，因此没有引用。",
    failed="搜索没有成功，因此无法判断您的文档中是否有答案。请再问一次。",
    only_quotes="没有模型时，我只能查找问题并引用您文档中的原文。"
    "请询问文档中的具体内容；如需对话或总结，请在设置中添加模型。",
)


def is_no_question(text: str) -> bool:
    """Return whether a text cannot be looked up: empty, a greeting, or a request for a summary of everything."""
    plain = text.strip().strip("!.?！。？~ ").lower()
    return not plain or _GREETING.fullmatch(plain) is not None or _SUMMARY.fullmatch(plain) is not None


def only_quotes(question: str) -> str:
    """Return the sentence that explains the limits of answers without a model."""
    return _words(question).only_quotes


def failed(question: str) -> str:
    """Return the sentence for a failed search, as opposed to one without results."""
    return _words(question).failed


def refusal(question: str, *, near_misses: bool) -> str:
    """Return the refusal; with near misses it adds that the nearest passages are only loosely related."""
    sentence = refusal_for(question)
    if sentence == REFUSAL_ZH:
        sentence += "。"
    return f"{sentence} {_words(question).loosely}" if near_misses else sentence


def thought(question: str, query: str) -> dict[str, object]:
    """Return the arguments of the think call."""
    words = _words(question)
    return {
        "title": words.thought_title,
        "thought": words.thought.format(query),
        "action": words.next_step,
        "confidence": 0.8,
    }


def analysis(
    question: str, *, passages: int, sentences: int, certainty: float, level: AnswerLevel
) -> dict[str, object]:
    """Return the arguments of the analyze call."""
    words = _words(question)
    return {
        "title": words.judged_title,
        "result": words.judged.format(passages, sentences),
        "analysis": {AnswerLevel.FOUND: words.enough, AnswerLevel.CLOSEST: words.close}.get(level, words.too_little),
        "next_action": "final_answer",
        "confidence": round(1 - certainty if level is AnswerLevel.NOT_FOUND else certainty, 2),
    }


def quoted_answer(question: str, quotes: Sequence[Quote], *, is_section: bool = False) -> list[str]:
    """Return the answer as pieces for streaming: the lead-in, then each quote; is_section for those of one section."""
    words = _words(question)
    return [f"{words.lead_in_section if is_section else words.lead_in}\n", *map(_format_quote, quotes)]


def closest_answer(question: str, quotes: Sequence[Quote], *, has_unsearched: bool) -> list[str]:
    """Return the pieces for quotes that may not answer; has_unsearched adds that not all could be searched."""
    words = _words(question)
    return [f"{words.closest}\n", *map(_format_quote, quotes), *([f"\n\n{words.pending}"] if has_unsearched else [])]


def unknown_yet(question: str) -> str:
    """Return the sentence that nothing was found, but that some documents could not be searched yet."""
    return _words(question).unknown_yet


def _format_quote(quote: Quote) -> str:
    """Return one quote as Markdown with its number: a code block, a list, or a table."""
    if quote.is_code:
        return f"\n\n{quote.text}\n\n[{quote.number}]\n"
    if quote.rows:
        return _rows(quote)
    markers = "".join(f" [{number}]" for number in (quote.number, *quote.also))
    lines = [f"“{escape_line(line)}”{markers}" for line in ((quote.text,) if quote.text else ()) + quote.items]
    indent = "  " if quote.text else ""
    return f"\n- {lines[0]}" + "".join(f"\n{indent}- {line}" for line in lines[1:])


def _rows(quote: Quote) -> str:
    """Return rows as a Markdown table if they fit, else as one list item per row."""
    if not _fits(quote.rows):
        rows = [row for row in quote.rows if not is_section(row)] or quote.rows
        return "".join(f"\n- {_row(row, quote.unit)} [{quote.number}]" for row in rows)
    names = " | ".join(map(cell, names_with_unit([name for name, _ in quote.rows[0]], quote.unit)))
    body = "".join(
        f"| {' | '.join(cell(value) for _, value in row)} | {'' if is_section(row) else f'[{quote.number}]'} |\n"
        for row in quote.rows
    )
    return f"\n\n| {names} | |\n{'| --- ' * (len(quote.rows[0]) + 1)}|\n{body}"


def is_section(row: Cells) -> bool:
    """Return whether a row only names the rows below it; it proves nothing, and has no citation."""
    return len(row) > 1 and sum(bool(value) for _, value in row) == 1


def _fits(rows: Sequence[Cells]) -> bool:
    """Return whether rows make a table that is readable in a chat: few columns, with names, and short cells."""
    return all(
        2 <= len(row) <= _MOST_COLUMNS
        and any(name for name, _ in row)
        and all(len(name) <= _LONGEST_CELL and len(value) <= _LONGEST_CELL for name, value in row)
        for row in rows
    )


def cell(text: str) -> str:
    """Return text for a cell of a Markdown table."""
    return escape_line(text).replace("|", "\\|")


def unit_beside(names: Iterable[str], unit: str) -> str:
    """Return the unit of a table if it is to be added to the names of the columns; empty if one contains it."""
    return "" if any(unit in name for name in names) else unit


def names_with_unit(names: Sequence[str], unit: str) -> list[str]:
    """Return the names of the columns of a table, with its unit in the first one unless one of them contains it."""
    if not names or not unit_beside(names, unit):
        return list(names)
    return [f"{names[0]} {unit}".strip(), *names[1:]]


def _row(cells: Cells, unit: str) -> str:
    """Return a row in the form Region: “North”; Sales: “12”. Only text from the row is in quotation marks."""
    if unit and cells[0][0] == unit:
        cells = (("", cells[0][1]), *cells[1:])
    else:
        unit = unit_beside((name for name, _ in cells), unit)
    parts = [(f"{escape_line(name)}: " if name else "") + f"“{escape_line(value)}”" for name, value in cells if value]
    return " ".join(filter(None, ("; ".join(parts[:MOST_CELLS]), escape_line(unit))))


def escape_line(text: str) -> str:
    """Return text on one line, escaped so that Markdown shows it unchanged."""
    line = " ".join(text.split())
    markup = _MARKUP if line.count("$") < 2 else _MARKUP_AND_DOLLARS
    return markup.sub(lambda match: f"&#{ord(match[0])};" if match["spelt"] else f"\\{match[0]}", line)


def _words(question: str) -> _Words:
    return _CHINESE if refusal_for(question) == REFUSAL_ZH else _ENGLISH
