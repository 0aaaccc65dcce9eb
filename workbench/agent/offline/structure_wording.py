"""Fixed sentences for answers from structure, in English and Chinese; everything else in an answer is quoted."""

from dataclasses import dataclass

from workbench.agent.built_in_agent import REFUSAL_ZH, refusal_for
from workbench.language import mark
from workbench.retrieval.request_recognition import RequestKind


@dataclass(frozen=True, slots=True)
class StructureWords:
    """All sentences in one language; their {} placeholders are filled in by name."""

    thought_title: str
    thoughts: dict[RequestKind, str]
    next_step: str
    judged_title: str
    judged: str
    judgement: str
    outline_of: str
    part_of: str
    findings: str
    sections: str
    stretches: str
    table_of: str
    document: str
    documents: str
    library: str
    meant: str
    more: str
    more_there: str
    properties: dict[str, str]
    from_properties: str
    not_stated: str
    mentioned: str
    mentioned_in_one: str
    mentioned_times: str
    not_mentioned: str
    other_words: str
    so_far: str
    called: str
    listed: str
    rows_left: str
    also: str
    also_rows: str
    compared: str
    topics: str
    rest: str
    which_two: str
    only_one: str
    empty: str
    empty_so_far: str
    no_such: str
    no_such_so_far: str
    quoted_note: str


_ENGLISH = StructureWords(
    thought_title=mark("Look at the structure"),
    thoughts={
        RequestKind.OVERVIEW: mark("You asked for an overview: headings and first sentences show more than a search."),
        RequestKind.DOCUMENTS: mark("You asked which documents there are, so I list them."),
        RequestKind.MENTIONS: mark("You asked for a count, so I look through every passage, not only the best."),
        RequestKind.LISTING: mark("You asked for all of something, so I look for the table or list that contains it."),
        RequestKind.COMPARISON: mark("You asked to compare documents, so I put their outlines side by side."),
        RequestKind.DETAILS: mark("You asked about the document itself, so I look at what it says about itself."),
    },
    next_step=mark("Read the structure of the documents"),
    judged_title=mark("Assess the results"),
    judged=mark("Passages that show the structure: {0}."),
    judgement=mark("The structure answers this; it is quoted word for word."),
    outline_of="**{title}**{about} in its own words{note}:",
    part_of="**{title}**, {part}, in its own words{note}:",
    findings="What it found",
    sections="Section by section",
    stretches="From beginning to end",
    table_of="a table of {rows} rows, {head}",
    document="document",
    documents="documents",
    library="Your library holds **{count} {documents}** ({formats}). How each begins{note}:",
    meant="**{count} {documents}** are meant ({formats}). How each begins{note}:",
    more="And {count} more",
    more_there="and {count} others",
    properties={"title": "Title", "author": "Author", "date": "Date"},
    from_properties="from the file's properties; no passage says so",
    not_stated="{name} names no {fields}, neither in the file's properties nor where such things are usually written.",
    mentioned="**{holding} of {total} {documents}** {verb} “{words}”, {times} in all{note}:",
    mentioned_in_one="“{words}” occurs **{times}** in **{name}**, in {passages}{note}:",
    mentioned_times="{times}, in {passages}",
    not_mentioned="None of the {total} {documents} looked through mentions “{words}” word for word.",
    called="It is also in the name of {names}.",
    so_far="This is what was read so far: not everything could be looked through, so there may be more.",
    other_words="Other words may say the same: ask a question about it, or search for it.",
    listed="**{title}** ({place}), all {count} rows{note}:",
    rows_left="{count} more rows are in {place}.",
    also="Other tables and lists about this",
    also_rows="{title} ({place}, {count} rows)",
    compared="**{one}** and **{two}** side by side{note}:",
    topics="On the same subjects",
    rest="Only in {name}",
    which_two="{count} documents could be meant. Name two of them, for example “compare {one} with {two}”. There are:",
    only_one="Only one document is meant, and a comparison needs two. Name both, for example “compare {one} with …”.",
    empty="There is no document here yet. Add some, and ask again.",
    empty_so_far="There is no document that could be read yet.",
    no_such_so_far="None of the documents that were read is called “{name}”.",
    no_such="No document here is called “{name}”. Ask “Which documents do I have?” to see those there are.",
    quoted_note=" (quoted; no model wrote this)",
)
_CHINESE = StructureWords(
    thought_title="查看结构",
    thoughts={
        RequestKind.OVERVIEW: "这是要概览：标题和各节开头比搜索更能说明问题。",
        RequestKind.DOCUMENTS: "这是问有哪些文档，因此列出它们。",
        RequestKind.MENTIONS: "这是要计数，因此逐段查看，而不只看最相关的。",
        RequestKind.LISTING: "这是要列出全部，因此查找相应的表格或列表。",
        RequestKind.COMPARISON: "这是要比较文档，因此把它们的大纲并排列出。",
        RequestKind.DETAILS: "这是问文档本身，因此查看它对自身的说明。",
    },
    next_step="读取文档结构",
    judged_title="判断搜索结果",
    judged="{0} 个段落显示了结构。",
    judgement="结构可以回答这个问题；所显示的内容逐字引用。",
    outline_of="**{title}**{about}，原文摘录{note}：",
    part_of="**{title}**，{part}，原文摘录{note}：",
    findings="主要结论",
    sections="各节内容",
    stretches="从头到尾",
    table_of="表格，{rows} 行，{head}",
    document="份文档",
    documents="份文档",
    library="文档库中有 **{count} {documents}**（{formats}）。各文档的开头{note}：",
    meant="共涉及 **{count} {documents}**（{formats}）。各文档的开头{note}：",
    more="另有 {count} 份",
    more_there="等 {count} 份",
    properties={"title": "标题", "author": "作者", "date": "日期"},
    from_properties="来自文件属性，正文中没有写明",
    not_stated="{name} 没有写明{fields}，文件属性和常见位置都没有。",
    mentioned="{total} 份文档中有 **{holding} 份**提到“{words}”，共 {times}{note}：",
    mentioned_in_one="“{words}”在 **{name}** 中出现 **{times}**，分布在 {passages}{note}：",
    mentioned_times="{times}，{passages}",
    not_mentioned="所查的 {total} 份文档都没有逐字提到“{words}”。",
    called="文件名或标题中含有它的还有：{names}。",
    so_far="以上仅限目前已读取的内容：并非所有内容都能查看，可能还有更多。",
    other_words="也可能用了别的说法：可以直接提问或搜索。",
    listed="**{title}**（{place}），全部 {count} 行{note}：",
    rows_left="另有 {count} 行，见{place}。",
    also="其他相关的表格和列表",
    also_rows="{title}（{place}，{count} 行）",
    compared="**{one}** 与 **{two}** 对照{note}：",
    topics="相同的主题",
    rest="仅见于 {name}",
    which_two="可能指 {count} 份文档。请说明是哪两份，例如“比较 {one} 和 {two}”。现有：",
    only_one="只涉及一份文档，比较需要两份。请说明两份，例如“比较 {one} 和……”。",
    empty="这里还没有文档。请先添加，再提问。",
    empty_so_far="目前还没有可供读取的文档。",
    no_such_so_far="已读取的文档中没有名为“{name}”的文档。",
    no_such="这里没有名为“{name}”的文档。可以问“有哪些文档？”查看现有文档。",
    quoted_note="（逐字引用，未使用模型）",
)

_KINDS_ZH = {
    "page": "第{page}页", "slide": "第{page}张幻灯片", "sheet": "第{page}个工作表", "chapter": "第{page}章",
    "message": "第{page}封邮件",
}  # fmt: skip


def is_chinese(question: str) -> bool:
    """Return whether a question is answered in Chinese."""
    return refusal_for(question) == REFUSAL_ZH


def colon_of(question: str) -> str:
    """Return the colon between a heading and the rest of its line."""
    return "：" if is_chinese(question) else ": "


def words_for(question: str) -> StructureWords:
    """Return the sentences in the language of a question."""
    return _CHINESE if is_chinese(question) else _ENGLISH


def place_of(question: str, kind: str, page: int | None) -> str:
    """Return “page 4”, or empty text if the format has no pages."""
    if page is None:
        return ""
    return _KINDS_ZH.get(kind, "第{page}页").format(page=page) if is_chinese(question) else f"{kind} {page}"


def size_of(question: str, kind: str, pages: int) -> str:
    """Return “21 pages”, or empty text if the format has no pages."""
    if not pages:
        return ""
    if is_chinese(question):
        return f"{pages} {_UNITS_ZH.get(kind, '页')}"
    return f"{pages:,} {kind if pages == 1 else kind + 's'}"


_UNITS_ZH = {"page": "页", "slide": "张幻灯片", "sheet": "个工作表", "chapter": "章", "message": "封邮件"}


def times_of(question: str, times: int) -> str:
    """Return “3 times”."""
    if is_chinese(question):
        return f"{times} 次"
    return "once" if times == 1 else "twice" if times == 2 else f"{times:,} times"


def passages_of(question: str, passages: int) -> str:
    """Return “3 passages”."""
    if is_chinese(question):
        return f"{passages} 个段落"
    return "1 passage" if passages == 1 else f"{passages:,} passages"
