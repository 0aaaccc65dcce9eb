"""What a question asks for (a time, a number, a person), and whether a sentence holds one; English and Chinese."""

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


def answer_pattern(question: str) -> re.Pattern[str] | None:
    """Return what an answer to the question has to hold; None where its kind cannot be told."""
    lowered = question.lower()
    for asks, pattern in ((_ASKS_TIME, _TIME), (_ASKS_NUMBER, _NUMBER), (_ASKS_PERSON, _NAME)):
        if asks.search(lowered):
            return pattern
    return None
