"""Types of answers (a time, a number, a definition): of a question, and in a sentence; English and Chinese."""

import re

_ASKS_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:year|date|day|month|century|decade)\b"
    r"|什么时候|什麼時候|何时|何時|哪一?年|几月|幾月|哪一?天|哪个世纪|年份|日期"
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide)\b"
    r"|\bwhat (?:percentage|percent|number|proportion|fraction|population)\b"
    r"|多少|[几幾][个個人次年天名岁歲]|多[长長大高远遠久]|百分"
)
_ASKS_PERSON = re.compile(r"\bwho(?:m|se)?\b|谁|誰")

_TIME = re.compile(
    r"\b\d{3,4}s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today)\b|\d\s*[年月日]|世[纪紀]|年",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion"
    r"|half|third|quarter|once|twice|first|second)\b|[一二三四五六七八九十百千万萬亿億两兩]",
    re.IGNORECASE,
)
# A capital inside a sentence; Chinese names have no mark of their own but the dot of foreign ones.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|·|[\u4e00-\u9fff]{2}")

_ASKS_REASON = re.compile(
    r"^why\b|\bwhy (?:is|are|was|were|do|does|did|has|have|must|should|can)\b|为什么|為什麼|为何|為何|原因"
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|so that|in order to|as a result|therefore|thus|reasons?|caused?|prevents?)\b"
    r"|由于|由於|因为|因為|因此|所以|以便|以免|为了|為了|导致|導致|原因|为的是|是因",
    re.IGNORECASE,
)
_ASKS_MONEY = re.compile(
    r"\bhow much (?:money|does .{1,80} cost|did .{1,80} (?:cost|pay)|was .{1,80} (?:paid|sold))|\b(?:price|cost) of\b"
    r"|多少[钱錢]|价格|價格|费用|費用"
)
_MONEY = re.compile(
    r"[$€£¥￥]|\b(?:dollars?|euros?|pounds?|yuan|USD|EUR|cents?)\b|[元块塊](?!素)|美金|[欧歐]元|英[镑鎊]", re.IGNORECASE
)
_ASKS_SHARE = re.compile(r"\bwhat (?:percentage|percent|proportion|share|fraction)\b|百分之几|百分之幾|百分比|比例")
_SHARE = re.compile(r"%|％|\b(?:percent|per cent|half|third|quarter|thirds|quarters)\b|百分之|成|分之", re.IGNORECASE)
_ASKS_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|state)\b|哪里|哪裡|哪儿|何处|何處|在哪|什么地方"
)
_PLACE = re.compile(
    r"\b(?:[Ii]n|[Aa]t|[Nn]ear|[Oo]n|[Ff]rom|[Tt]o)\s+(?:the\s+)?[A-Z]|\blocated\b|位于|位於|[在从從][^，。]{2}|[省市县縣区區]"
)
_ASKS_MANNER = re.compile(r"\bhow (?:is|are|was|were|do|does|did|can|could|should|to)\b|怎么|怎麼|怎样|怎樣|如何")
_MANNER = re.compile(r"\b(?:by|using|through|via|by means of)\b|通过|通過|使用|利用|采用|採用|[以用]", re.IGNORECASE)

# How a sentence begins that says what a thing is: "In Rust, ownership (…) is a set of", "所有权（ownership）是".
_DEFINES = (
    r"(?:[\w’'-]+[,\s]+){{0,3}}(?:an?\s+|the\s+)?[`\"“*_]*{thing}\w{{0,2}}[`\"”*_]*\s*(?:\([^)]*\)\s*)?,?\s*"
    r"(?:is|are|was|were|means?|refers? to|describes?|denotes?)"
    r"\s+(?!(?:not|also|used|different|similar|like|unlike)\b)",
    r".{{0,8}}?{thing}[”」*_]*\s*(?:[（(][^）)]*[）)])?\s*(?:就?是|系|為|为|指的?是?|即|意为|意味)",
)
_WHAT_IS = re.compile(
    r"^what\s+(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(?P<thing>[^?,.]{2,40}?)\s*\?*$"
    r"|^(?:please )?define\s+(?P<other>[^?,.]{2,40}?)\s*[?.]*$"
)
_WHAT_IS_ZH = re.compile(
    r"^什[么麼]是(?P<thing>[^？?，。的]{1,16})[？?]*$|^(?P<other>[^？?，。的]{1,16})是什[么麼](?:意思)?[？?]*$"
)
# "What is the range of an i8?" asks for a value of something, which no sentence defines.
_OF = re.compile(r"\b(?:of|in|for|between|name|number|difference)\b")

_PLURAL = r"[\w-]+(?:[^s\W]s|ies)"
_SEVERAL = re.compile(
    r"^(?:please\s+)?(?:(?:list|enumerate)\b|(?:name|give)\s+(?!(?:an?|one|the\s+\w+\s+of)\b))"
    r"|\bwhat\s+(?:other|kinds?|types?|sorts?)\b|^what\s+(?:are|were)\s+(?:the|some|all)\b"
    rf"|\bwhat\s+{_PLURAL}\s+(?:are|were|do|have|can|must|should)\b"
    rf"|\bwhich\s+(?:[\w-]+\s+){{0,2}}?{_PLURAL}\s+(?:are|were|do|does|did|have|has|can|must|should|may)\b"
    r"|哪些|哪几|哪幾|列出|列举|列舉|分别是|分別是|包括什|几种|幾種|应注意什|應注意什|什[么麼](?:情况|條件|条件|情況)"
)


def answer_pattern(question: str) -> re.Pattern[str] | None:
    """Return what an answer to the question has to hold; None where its kind cannot be told."""
    lowered = question.lower()
    for asks, pattern in ((_ASKS_TIME, _TIME), (_ASKS_NUMBER, _NUMBER), (_ASKS_PERSON, _NAME)):
        if asks.search(lowered):
            return pattern
    return None


def preferred_pattern(question: str) -> re.Pattern[str] | None:
    """Return what tells the better of two sentences that are nearly as good: finer than what every answer holds."""
    lowered = question.lower().strip()
    for asks, pattern in (
        (_ASKS_MONEY, _MONEY),
        (_ASKS_SHARE, _SHARE),
        (_ASKS_REASON, _REASON),
        (_ASKS_PLACE, _PLACE),
        (_ASKS_MANNER, _MANNER),
    ):
        if asks.search(lowered):
            return pattern
    return defining_pattern(lowered) or answer_pattern(question)


def defining_pattern(question: str) -> re.Pattern[str] | None:
    """Return how a sentence begins that says what the thing is which the question asks about."""
    for asks, defines in zip((_WHAT_IS, _WHAT_IS_ZH), _DEFINES, strict=True):
        if match := asks.search(question.lower().strip()):
            thing = (match["thing"] or match["other"]).strip(' `"“”')
            if thing and not _OF.search(thing):
                return re.compile(r"[\W_]*" + defines.format(thing=re.escape(thing)), re.IGNORECASE)
    return None


def asks_for_several(question: str) -> bool:
    """Tell whether a question wants a list: "What are the …?", "Which rules are …?", "有哪些"."""
    return _SEVERAL.search(question.lower().strip()) is not None
