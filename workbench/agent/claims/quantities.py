"""Numbers and quantities in claims: values of digits and number words, their units, and their bounds."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from workbench.agent.claims.antonym_lists import fold_characters

# One unit per line with all its spellings; longer spellings are tried first.
_UNITS_EN = """
kilometre kilometres kilometer kilometers km kms
metre metres meter meters
centimetre centimetres centimeter centimeters cm
millimetre millimetres millimeter millimeters mm
mile miles mi
foot feet ft
inch inches
yard yards
acre acres
hectare hectares ha
kilogram kilograms kg kgs kilogramme kilogrammes
gram grams gramme grammes
tonne tonnes ton tons
pound pounds lb lbs
ounce ounces oz
litre litres liter liters
millilitre millilitres milliliter milliliters ml
gallon gallons
second seconds sec
minute minutes min mins
hour hours hr hrs
day days
week weeks
month months
year years yr yrs
decade decades
century centuries
percentage_point percentage_points pp
basis_point basis_points
percent per_cent percentage %
watt watts
kilowatt kilowatts kw
megawatt megawatts mw
gigawatt gigawatts gw
kilobyte kilobytes kb
megabyte megabytes mb
gigabyte gigabytes gb
terabyte terabytes tb
volt volts
degree_celsius degrees_celsius °c
degree_fahrenheit degrees_fahrenheit °f
dollar dollars
euro euros
yen
franc francs
square_kilometre square_kilometres square_kilometer square_kilometers km2 km² sq_km
square_mile square_miles sq_mi
square_metre square_metres square_meter square_meters m2 m²
square_foot square_feet sq_ft
"""
_UNITS_ZH = """
公里 千米 km
平方公里 平方千米
平方米 平米
平方英里
英里
米 公尺
厘米 公分 cm
毫米 mm
英尺 呎
英寸 英吋
海里
公顷
英亩
亩
公斤 千克 kg
克
毫克
吨 公吨
磅
升
毫升
秒 秒钟
分钟
小时
天 日
周 星期
个月
月
年
岁
世纪
% 百分比
个百分点 百分点
元 人民币
美元 美金
欧元
日元 日圆
英镑
港元 港币
摄氏度 °c
华氏度 °f
千瓦
兆瓦
人 名
户 家
次
倍
"""
_CURRENCIES = {"us$": "dollar", "$": "dollar", "€": "euro", "£": "pound sterling", "¥": "yen"}
_MORE = "more than|over|above|exceeding|exceeds?|exceeded|(?:great|high|long|larg)er than|in excess of"
_LESS = "less than|fewer than|under|below|(?:low|small|short)er than|up to|at most|a maximum of|nearly|almost"
# Suffixes of an amount: "$5m", "€2 bn".
_TIMES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9}
_SHORTENED = re.compile(r"\s?(k|mn?|bn?)\b")
_BOUNDS = (
    ("more", re.compile(r"(?:no|not)\s(?:less|fewer|(?:low|small|short)er) than\s$")),
    ("less", re.compile(rf"(?:no|not|never)\s(?:more|(?:great|high|long|larg)er) than\s(?:\w+\s)?$|\b(?:{_LESS})\s$")),
    ("more", re.compile(rf"\b(?:{_MORE}|at least|a minimum of)\s$")),
    ("before", re.compile(r"\b(?:before|prior to|until|till|earlier than)\s(?:the\s|\w+\s)?$")),
    ("after", re.compile(r"\b(?:after|since|following|later than)\s(?:the\s|\w+\s)?$")),
    ("more", re.compile(r"不[少低小]于约?$")),
    ("less", re.compile(r"(?:不到|不足|[少小低]于|[至最]多|[不未]超过|不[多高大]于|将近|接近|近)约?$")),
    ("more", re.compile(r"(?:超过|[多大高]于|[至最]少|超出|逾|突破)[了约]?$")),
    ("before", re.compile(r"早于$")),
    ("after", re.compile(r"(?:晚于|自从)$")),
)
_BOUNDS_BEHIND = (
    ("more", re.compile(r"(?:或)?以上|or more\b|and above\b|或更多")),
    ("less", re.compile(r"(?:或)?以下|or less\b|or fewer\b|以内")),
    ("before", re.compile(r"(?:之|以)?前(?!后|往|来|进|任|身|期|线|锋|所|述)")),
    ("after", re.compile(r"(?:之|以)?后(?!来|期|裔|方|代|卫|者|续)")),
)
OPPOSITE_BOUNDS = {"more": "less", "less": "more", "before": "after", "after": "before"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit and the words that bound it: text[start:end].

    Attributes:
        value: Value of the number, including a word such as "million".
        unit: Name of the unit; empty if there is none, or an unknown one.
        bound: "more", "less", "before", "after" or empty.
        number_start: Start of the number itself.
        number_end: End of the number itself.
    """

    start: int
    end: int
    value: float
    unit: str
    bound: str
    number_start: int
    number_end: int


@lru_cache(maxsize=256)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order, including number words and Chinese numerals."""
    plain = fold_characters(text)
    if len(plain) != len(text):  # lower case changed the number of characters, so offsets would be wrong
        return ()
    return tuple(_make_quantity(plain, *number) for number in _numbers(plain))


def _numbers(plain: str) -> list[tuple[int, int, float]]:
    found = list(values_of_digits(plain))
    for match in _WORDED.finditer(plain):
        if (value := value_of_words(match.group())) is not None:
            found.append((*match.span(), value))
    found += [(*match.span(), value_of_han(match.group())) for match in _HAN_COUNTED.finditer(plain)]
    kept: list[tuple[int, int, float]] = []
    for one in sorted(found):
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


def _make_quantity(plain: str, start: int, end: int, value: float) -> Quantity:
    unit, first, last = "", start, end
    for sign, name in _CURRENCIES.items():
        if plain.endswith(sign, 0, start) or plain.endswith(f"{sign} ", 0, start):
            unit, first = name, plain.rindex(sign, 0, start)
            break
    if unit and (match := _SHORTENED.match(plain, end)):
        value, last = value * _TIMES[match[1]], match.end()
    elif match := _UNIT.match(plain, end):
        written = match[1] or match[2]
        if not unit:
            unit, last = _NAMES[written.replace("-", " ").strip()], match.end()
        elif written not in ("m", "人"):
            last = end
    bound = ""
    before = plain[max(0, first - 30) : first]
    for name, pattern in _BOUNDS:
        if found := pattern.search(before):
            bound, first = name, first - (len(before) - found.start())
            break
    else:
        for name, pattern in _BOUNDS_BEHIND:
            if found := pattern.match(plain, last + (plain[last : last + 1] == " ")):
                bound, last = name, found.end()
                break
    return Quantity(first, last, value, unit, bound, start, end)


def _read_units(tables: Iterable[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for table in tables:
        for line in table.strip().splitlines():
            words = [word.replace("_", " ") for word in line.split()]
            name = next((names[word] for word in words if word in names), words[0])
            names.update(dict.fromkeys(words, name))
    return names


_NAMES = _read_units((_UNITS_EN, _UNITS_ZH))
_IS_HAN = re.compile("[\u4e00-\u9fff]")
_SPACED, _HAN = (
    sorted((name for name in _NAMES if bool(_IS_HAN.match(name)) is is_han), key=len, reverse=True)
    for is_han in (False, True)
)
_COUNTED = "个|位|座|种|条|项|支|艘|只|所|本|部|大|级|层|届"
_UNIT = re.compile(
    rf"(?:\s|-)?({'|'.join(re.escape(name).replace(chr(92) + ' ', '[ -]') for name in _SPACED)})(?![a-z0-9])"
    rf"|\s?(?:多|余|餘)?({'|'.join(_HAN)})"
)
_NUMERAL = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion"
)
_WORDED = re.compile(rf"(?<![\w.,-])(?:{_NUMERAL})\b(?:[\s-](?:and\s)?(?:{_NUMERAL})\b)*")
# A numeral without a unit is part of many words: 一些, 三明治.
_HAN_COUNTED = re.compile(rf"[〇零一二三四五六七八九十百千万亿两]+(?=(?:多|余)?(?:{'|'.join(_HAN)}|{_COUNTED}))")


_FIGURES_TIMES = {
    "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "百": 100.0, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8,
}  # fmt: skip
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9][.,])(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:[\s-]?(?P<times>hundred|thousand|million|billion|trillion)s?\b|\s?(?P<unit>百万|百萬|千万|千萬|[百千万萬亿億])(?![米克瓦卡赫帕]))?",
    re.IGNORECASE,
)
_GLUED = re.compile(r"\d+(?:\.\d+)?")


def _enumerate(spaced: str, *, first: float = 0.0, step: float = 1.0) -> dict[str, float]:
    return {word: first + step * place for place, word in enumerate(spaced.split())}


_WORDS: dict[str, float] = {
    **_enumerate("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"),
    **_enumerate("sixteen seventeen eighteen nineteen", first=16.0),
    **_enumerate("twenty thirty forty fifty sixty seventy eighty ninety", first=20.0, step=10.0),
    **_enumerate("first second third fourth fifth sixth seventh eighth ninth tenth", first=1.0),
    **_enumerate("january february march april may june july august september october november december", first=1.0),
    **_enumerate("jan feb mar apr may jun jul aug sep oct nov dec", first=1.0),
    **{"once": 1.0, "twice": 2.0, "both": 2.0, "half": 50.0, "dozen": 12.0, "sept": 9.0, "a": 1.0, "an": 1.0},
}
_WORD = re.compile(r"[a-z]+")
_FIGURES_HAN = re.compile(r"[〇零一二三四五六七八九十百千万萬亿億两兩]+")
_HAN_DIGITS = {
    digit: value for value, digits in enumerate(("〇零", "一", "二两兩", *"三四五六七八九")) for digit in digits
}
_WIDE = {ord("０") + digit: ord("0") + digit for digit in range(10)}
# Numbers from this size on, and numbers with decimals, are often rounded in reports.
_ROUNDED_FROM = 10_000


@dataclass(frozen=True, slots=True)
class NumberInDigits:
    """A number as it is written in digits, with its value."""

    written: str
    value: float


def numbers_in(text: str) -> list[NumberInDigits]:
    """Return the numbers that are written in digits; digits directly after a letter are part of a name."""
    found = []
    for match in _DIGITS.finditer(text.translate(_WIDE)):
        found.append(NumberInDigits(match.group().strip(), _value(match)))
    return found


def values_in(text: str) -> frozenset[float]:
    """Return the values of all numbers of a text, including number words, months and Chinese numerals."""
    plain = text.translate(_WIDE)
    values = {figure.value for figure in numbers_in(plain)}
    values.update(float(match.group()) for match in _GLUED.finditer(plain))
    values.update(_parse_number_words(_WORD.findall(plain.lower())))
    values.update(value_of_han(match.group()) for match in _FIGURES_HAN.finditer(plain))
    return frozenset(values)


def values_of_digits(text: str) -> Iterable[tuple[int, int, float]]:
    """Yield the start, the end and the value of each number in digits."""
    for match in _DIGITS.finditer(text.translate(_WIDE)):
        yield *match.span(), _value(match)


def value_of_words(written: str) -> float | None:
    """Return the value of a number in English words, such as "three hundred thousand"; None if it is not a number."""
    values = list(_parse_number_words(_WORD.findall(written)))
    return values[-1] if values else None


def missing_numbers(figures: Iterable[NumberInDigits], values: frozenset[float]) -> tuple[str, ...]:
    """Return the numbers that match none of the values, not even rounded, as they are written."""
    return tuple(dict.fromkeys(one.written for one in figures if not _is_among(one.value, values)))


def _is_among(wanted: float, values: frozenset[float]) -> bool:
    return wanted in values or any(_rounds_to(value, wanted) for value in values)


def _rounds_to(value: float, wanted: float) -> bool:
    """Return whether a large or decimal number, rounded to two digits or more, equals the wanted number."""
    if value == int(value) and value < _ROUNDED_FROM:
        return False
    return any(float(f"{value:.{digits}e}") == wanted for digits in range(1, 9))


def _parse_number_words(words: Iterable[str]) -> Iterable[float]:
    """Yield the values of number words, each alone and with those before it: "twenty one", "three hundred thousand"."""
    current: float | None = None
    for word in words:
        if word in _FIGURES_TIMES:
            current = (current or 1.0) * _FIGURES_TIMES[word]
        elif word not in _WORDS:
            current = None
            continue
        elif current is not None and current % 10 == 0 and current >= 20 and _WORDS[word] < 10:
            yield _WORDS[word]
            current += _WORDS[word]
        else:
            current = _WORDS[word]
        yield current


def value_of_han(written: str) -> float:
    """Return the value of a Chinese numeral: 一千二百, 三万, 二〇二一."""
    if all(character in _HAN_DIGITS for character in written):
        return float("".join(str(_HAN_DIGITS[character]) for character in written))
    total = part = digit = 0.0
    for character in written:
        if character in _HAN_DIGITS:
            digit = float(_HAN_DIGITS[character])
        elif character in "万萬亿億":
            total = (total + part + digit or 1.0) * _FIGURES_TIMES[character]
            part = digit = 0.0
        else:
            part += (digit or 1.0) * (10.0 if character == "十" else _FIGURES_TIMES[character])
            digit = 0.0
    return total + part + digit


def _value(match: re.Match[str]) -> float:
    times = match["times"]
    return float(match["number"].replace(",", "")) * (
        _FIGURES_TIMES[times.lower()] if times else _product(match["unit"] or "")
    )


def _product(powers: str) -> float:
    value = 1.0
    for power in powers:
        value *= _FIGURES_TIMES[power]
    return value
