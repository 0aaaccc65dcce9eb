"""Edits of a sentence that change its meaning, and edits that keep it: test cases for the claim check.

Each edit takes a sentence, its paragraph and a random generator, and returns the changed sentence, or nothing if it
does not apply. The words here were chosen independently of the tables that the check uses.
"""

import calendar
import random
import re
from collections.abc import Callable

Edit = Callable[[str, str, random.Random], str | None]

_NAME = re.compile(r"\b[A-Z][a-z]+(?: (?:[A-Z][a-z]+|of [A-Z][a-z]+|[IVX]+\b))*")
_MONTHS = [*calendar.month_name][1:]
_YEAR = re.compile(r"(?<![\d,.])1[5-9]\d\d(?![\d,.])|(?<![\d,.])20[0-2]\d(?![\d,.])")
_PLAIN_NUMBER = re.compile(r"(?<![\w,.])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\w,.]\d|\w)")
_HAN_NUMBER = re.compile(r"(?<![\d.,A-Za-z])\d+(?:\.\d+)?(?![\d.,年月日A-Za-z])")
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CONNECTED = re.compile(
    r"[\s,/&–-]*(?:(?:and|or|versus|as well as|和|与|與|及|以及|或|、)[\s,]*)?(?:the\s)?", re.IGNORECASE
)

_OPPOSITES = """
high low|higher lower|highest lowest|large small|larger smaller|largest smallest|long short|longer shorter|
early late|earlier later|north south|northern southern|east west|eastern western|first last|old new|
older younger|oldest youngest|hot cold|warm cool|strong weak|stronger weaker|rich poor|public private|
major minor|majority minority|internal external|legal illegal|possible impossible|success failure|
successful unsuccessful|win lose|won lost|winner loser|open closed|opened closed|male female|men women|
upper lower|inner outer|positive negative|active inactive|present absent|maximum minimum|most least|best worst|
better worse|easy difficult|fast slow|heavy light|wide narrow|deep shallow|ancient modern|allowed forbidden|
accepted rejected|import export|imports exports|begin end|beginning end|began ended|advantage disadvantage|
common rare|urban rural|wet dry|above below|inside outside|left right|top bottom|true false|victory defeat|
supported opposed|include exclude|includes excludes|included excluded|full empty|always never|all none|
strengths weaknesses|profit loss|agree disagree|gained lost|safe dangerous|simple complex|near far|dark bright|
everyone nobody|permanent temporary|domestic foreign|formal informal|direct indirect|regular irregular|
united divided
"""
_COMPARISONS = """
more less|more fewer|increased decreased|increase decrease|increases decreases|increasing decreasing|rose fell|
rising falling|grew shrank|growth decline|before after|greater smaller|higher lower|larger smaller|
older younger|faster slower|over under|above below|exceeded fell_short_of|gained lost|longer shorter|
earlier later|at_least at_most
"""
_OPPOSITES_ZH = """
大 小|高 低|最高 最低|最大 最小|多数 少数|男性 女性|男 女|南部 北部|东部 西部|北 南|东 西|成功 失败|
胜利 失败|公开 秘密|上升 下降|开始 结束|第一 最后|内部 外部|合法 非法|支持 反对|正面 负面|优点 缺点|
古代 现代|进口 出口|长 短|强 弱|新 旧|早期 晚期|允许 禁止|公立 私立|打开 关闭|国内 国外|接受 拒绝|
最早 最晚|最长 最短|主要 次要|前期 后期|赢 输|城市 农村|永久 临时|同意 反对|左 右|简单 复杂|快 慢|
富裕 贫穷|安全 危险|积极 消极|出生 去世|父亲 母亲|直接 间接|热 冷|加入 退出|获胜 落败|全部 部分|有利 不利|
著名 无名|增强 减弱
"""
_COMPARISONS_ZH = """
增加 减少|增长 下降|上升 下降|提高 降低|超过 不到|多于 少于|大于 小于|高于 低于|之前 之后|以前 以后|
以上 以下|早于 晚于|扩大 缩小|至少 至多|提升 降低|年前 年后|优于 劣于|更多 更少|更大 更小|更高 更低|
最多 最少
"""
_UNITS = """
kilometres miles|kilometers miles|km miles|miles kilometres|metres feet|meters feet|feet metres|m ft|
inches centimetres|million billion|billion million|thousand million|percent percentage_points|
% percentage_points|years months|years days|months years|days weeks|hours minutes|minutes hours|weeks days|
seconds minutes|kg tonnes|pounds kilograms|tons pounds|acres hectares|dollars euros|$ €|€ $|£ $|°C °F|°F °C|
decades years|centuries years|gallons litres|mm cm|GB MB|yards metres
"""
_UNITS_ZH = """
公里 英里|千米 英里|英里 公里|米 英尺|厘米 米|万 亿|亿 万|% 个百分点|公斤 吨|吨 公斤|小时 分钟|分钟 小时|
天 个月|个月 年|元 美元|美元 欧元|平方公里 平方米|周 天|摄氏度 华氏度|岁 个月|年 天|秒 分钟|人 万人
"""
_SAME = """
began started|started began|large big|big large|shows demonstrates|used utilized|help assist|also additionally|
however nevertheless|many numerous|located situated|situated located|famous well-known|known called|
several some|became turned_into|built constructed|constructed built|near close_to|received got|obtained got|
approximately about|about roughly|often frequently|usually normally|required needed|purchase buy|
buildings structures|main principal|because since|although though|but yet|such_as like|within inside|
through via|created made|made produced|reported stated|said stated|led headed|won gained|city town|
children kids|important significant|per_cent percent
"""
_SAME_ZH = """
开始 起始|位于 坐落于|著名 知名|因为 由于|由于 因为|但是 不过|但 然而|非常 十分|许多 很多|建造 修建|
使用 采用|成为 变成|认为 觉得|目前 现在|曾 曾经|并且 而且|获得 取得|包括 包含|主要 首要|称为 叫做|帮助 协助|
大约 约|如果 假如|已经 已|重要 关键|全部 所有|以及 和|不同 各异|父亲 爸爸
"""
_STYLES = """
kilometres km|kilometers kilometres|km kilometres|metres m|percent %|per_cent percent|% _percent|
more_than over|less_than under|at_least no_fewer_than|over more_than|fewer_than under|such_as including|
prior_to before|minutes min|years_old years_of_age|up_to at_most|rose increased|fell decreased|grew increased|
million m|the_United_States the_US|公里 千米|千米 公里|超过 多于|不到 少于|平方公里 平方千米|公斤 千克|
之前 以前|之后 以后|至少 最少|增加 增长|减少 下降|百分之 约百分之
"""
# Traditional characters of the words above.
_TRADITIONAL_PAIRS = """
东東 数數 败敗 胜勝 开開 结結 满滿 内內 负負 优優 点點 进進 长長 强強 旧舊 许許 关關 国國 绝絕 简簡 单單 复複 杂雜
贫貧 穷窮 险險 积積 极極 亲親 热熱 减減 无無 马馬 万萬 亿億 个個 时時 钟鐘 岁歲 对對 过過 变變 为為 认認 觉覺 现現
经經 获獲 称稱 帮幫 协協 约約 键鍵 后後 与與 间間 区區 华華 欧歐 吨噸 扩擴 缩縮 于於 临臨 农農 赢贏 输輸 门門 声聲
应應 动動 从從 发發 会會
"""
_TRADITIONAL = str.maketrans({pair[0]: pair[1] for pair in _TRADITIONAL_PAIRS.split()})


def _pairs(table: str) -> list[tuple[str, str]]:
    found = [pair.split() for line in table.strip().splitlines() for pair in line.strip("|").split("|")]
    return [(first.replace("_", " "), second.replace("_", " ")) for first, second in found]


def _both_ways(table: str) -> list[tuple[str, str]]:
    found = _pairs(table)
    return [*found, *((second, first) for first, second in found)]


def _exchanged(pairs: list[tuple[str, str]], pairs_zh: list[tuple[str, str]], *, counted: bool = False) -> Edit:
    """Return the edit that replaces the first word of a pair by the second; counted: after a number."""
    traditional = [(one.translate(_TRADITIONAL), other.translate(_TRADITIONAL)) for one, other in pairs_zh]

    def edit(sentence: str, paragraph: str, chance: random.Random) -> str | None:
        places = []
        is_english = not re.search(r"[\u4e00-\u9fff]", sentence)
        for one, other in [*pairs, *pairs_zh, *traditional]:
            bounds = (
                (r"(?<![\w-])(?<!\bno )(?<!\bnot )", r"(?![\w-])")
                if one.isascii() and one.replace(" ", "").isalpha()
                else ("", "")
            )
            if other.isascii() and other.strip().isalpha() and not is_english:
                continue
            before = r"(?<=\d)\s?" if counted and one not in "$€£" else bounds[0]
            behind = r"(?=\s?\d)" if one in "$€£" else bounds[1]
            places += [(match, one, other) for match in re.finditer(before + re.escape(one) + behind, sentence)]
        if not places:
            return None
        match, one, other = chance.choice(places)
        kept = match.group()[: -len(one)]
        if other.isascii() and other[0].isalpha() and counted and not kept:
            kept = " "
        return sentence[: match.start()] + kept + other + sentence[match.end() :]

    return edit


def deny(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Negate the sentence, or remove a "not"."""
    if match := re.search(r"\b(is|was|are|were|has|had|can|could|will|would|did|does|do) not ", sentence):
        return f"{sentence[: match.end() - 4]}{sentence[match.end() :]}"
    if matches := [*re.finditer(r"\b(?:is|was|are|were|can|could|will|would|should|must)\b (?=[a-z]{3})", sentence)]:
        match = chance.choice(matches)
        return f"{sentence[: match.end()]}not {sentence[match.end() :]}"
    if match := re.search(r"没有|沒有|并未|並未", sentence):
        return sentence[: match.start()] + sentence[match.end() :]
    if matches := [
        *re.finditer(
            r"(?<![不但只可总就还都凡于於若要])(?:是(?![否以])|能(?![力量够源])|可以|会(?=[在使将被对])|包括|属于)",
            sentence,
        )
    ]:
        match = chance.choice(matches)
        return f"{sentence[: match.start()]}不{sentence[match.start() :]}"
    return None


def other_number(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Replace a number by another one of the paragraph, or by one that does not occur."""
    pattern = _HAN_NUMBER if re.search(r"[\u4e00-\u9fff]", sentence) else _PLAIN_NUMBER
    places = [match for match in pattern.finditer(sentence) if not _YEAR.fullmatch(match.group())]
    words = [*re.finditer(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", sentence)]
    if words and (not places or chance.random() < 0.3):
        match = chance.choice(words)
        other = chance.choice([word for word in _NUMBER_WORDS if word != match.group()])
        return sentence[: match.start()] + other + sentence[match.end() :]
    if not places:
        return None
    match = chance.choice(places)
    found = [one.group() for one in pattern.finditer(paragraph) if not _YEAR.fullmatch(one.group())]
    others = [one for one in found if one != match.group()] or [str(int(float(match.group().replace(",", ""))) + 3)]
    return sentence[: match.start()] + chance.choice(others) + sentence[match.end() :]


def other_date(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Replace a year or month by another one of the paragraph."""
    months = [*re.finditer(rf"\b(?:{'|'.join(_MONTHS)})\b(?= \d)", sentence)]
    if months and chance.random() < 0.5:
        match = chance.choice(months)
        other = chance.choice([month for month in _MONTHS if month != match.group()])
        return sentence[: match.start()] + other + sentence[match.end() :]
    years = [*_YEAR.finditer(sentence)]
    if not years:
        return None
    match = chance.choice(years)
    others = [year for year in _YEAR.findall(paragraph) if year != match.group()] or [str(int(match.group()) + 4)]
    return sentence[: match.start()] + chance.choice(others) + sentence[match.end() :]


def other_name(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Replace a name by another one of the paragraph."""
    places = [match for match in _NAME.finditer(sentence) if match.start() > 0 and match.group() not in _MONTHS]
    if not places:
        return None
    match = chance.choice(places)
    others = [
        one.group()
        for one in _NAME.finditer(paragraph)
        if paragraph[max(0, one.start() - 2) : one.start()].strip(" ").isalpha()
        and one.group() not in sentence
        and not set(one.group().split()) & set(match.group().split())
        and one.group() not in _MONTHS
    ]
    return sentence[: match.start()] + chance.choice(others) + sentence[match.end() :] if others else None


def exchange(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Swap two names or two years that are not part of a list."""
    for pattern in (_NAME, _YEAR):
        found = [one for one in pattern.finditer(sentence) if one.start() > 0 and one.group() not in _MONTHS]
        pairs = [
            (one, other)
            for one in found
            for other in found
            if one.end() < other.start() and not set(one.group().split()) & set(other.group().split())
            if re.search(r"\w{2}", _CONNECTED.sub("", sentence[one.end() : other.start()], count=1))
            and other.start() - one.end() < 40
            and "," not in sentence[one.end() : other.start()]
        ]
        if pairs:
            return two_exchanged(sentence, *((one.start(), one.end()) for one in chance.choice(pairs)))
    return None


def two_exchanged(sentence: str, one: tuple[int, int], other: tuple[int, int]) -> str:
    """Return a sentence with two of its parts swapped."""
    (start, end), (second, last) = sorted((one, other))
    return f"{sentence[:start]}{sentence[second:last]}{sentence[end:second]}{sentence[start:end]}{sentence[last:]}"


def move_time(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Move the time from the beginning of the sentence to its end, or the other way round."""
    if match := re.fullmatch(r"((?:In|On|By|During|Since|After|Before) [^,.]{4,30}), ([^,;]+)\.", sentence):
        return f"{match[2][0].upper()}{match[2][1:]} {match[1][0].lower()}{match[1][1:]}."
    if match := re.fullmatch(
        r"((?:The|A|An|This|These|It|He|She|They) [^,;]+) (in \d{4}|on \w+ \d+, \d{4})\.", sentence
    ):
        return f"{match[2][0].upper()}{match[2][1:]}, {match[1][0].lower()}{match[1][1:]}."
    return None


def make_active(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Replace "A was built by B" by "B built A"."""
    match = re.fullmatch(r"([A-Z][^,;]{3,60}) (?:was|were) (\w+ed) by ([^,;]{3,60})\.", sentence)
    if match is None:
        return None
    first = (
        match[1]
        if _NAME.match(match[1]) and not match[1].startswith(("The ", "A "))
        else match[1][0].lower() + match[1][1:]
    )
    return f"{match[3][0].upper()}{match[3][1:]} {match[2]} {first}."


def turn_list(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Swap the order of the two members of a pair."""
    matches = [
        *re.finditer(r"\b([A-Z][a-z]+) (and) ([A-Z][a-z]+)\b(?! [A-Z])", sentence),
        *re.finditer(r"(?<=、)([\u4e00-\u9fff]{2,4})()、([\u4e00-\u9fff]{2,4})(?=、)", sentence),
    ]
    matches = [one for one in matches if not re.search(r"[A-Z]\w*\.? $|between $|Both $", sentence[: one.start()])]
    if not matches:
        return None
    match = chance.choice(matches)
    return two_exchanged(sentence, match.span(1), match.span(3))


def cut_short(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Remove the last clause."""
    if match := re.fullmatch(r"([^,;]{40,}), (?:which|who|where|while|with|including) [^;]+\.", sentence):
        return f"{match[1]}."
    match = re.fullmatch(r"([^，；。]{12,}，[^，；。]{8,})，[^；。]+。", sentence)
    return f"{match[1]}。" if match else None


def deny_opposite(sentence: str, paragraph: str, chance: random.Random) -> str | None:
    """Replace "is high" by "is not low"."""
    for one, other in _both_ways(_OPPOSITES):
        if one.endswith(("er", "st")) or one in ("all", "most", "first", "last"):
            continue
        if match := re.search(rf"\b(is|was|are|were) {one}(?=[.,])", sentence):
            return f"{sentence[: match.end(1)]} not {other}{sentence[match.end() :]}"
    return None


CHANGES: dict[str, Edit] = {
    "opposite": _exchanged(_both_ways(_OPPOSITES), _both_ways(_OPPOSITES_ZH)),
    "comparison": _exchanged(_both_ways(_COMPARISONS), _both_ways(_COMPARISONS_ZH)),
    "negation": deny,
    "unit": _exchanged(_pairs(_UNITS), _pairs(_UNITS_ZH), counted=True),
    "number": other_number,
    "date": other_date,
    "name": other_name,
    "exchange": exchange,
}
"""Kinds of edits that change the claim of a sentence."""
REWORDINGS: dict[str, Edit] = {
    "unchanged": lambda sentence, _paragraph, _chance: sentence,
    "time moved": move_time,
    "made active": make_active,
    "list turned": turn_list,
    "cut short": cut_short,
    "opposite denied": deny_opposite,
    "same word": _exchanged(_pairs(_SAME), _pairs(_SAME_ZH)),
    "same style": _exchanged(_pairs(_STYLES), []),
}
"""Kinds of edits that reword a sentence and keep its claim."""
