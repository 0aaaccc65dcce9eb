"""Recognition of requests about a whole document or the whole library, by patterns in English and Chinese.

The first pattern that matches determines the request.

"Summarise the survey", "which documents do I have", "how many documents mention X", "比较这两份报告": these are
answered by the structure of documents and not by a passage. Only the wording is considered here, so a rule must match
the whole question. The documents that the subject refers to are looked up later (document_names.py); a subject that
refers to none is searched.

False positives among ordinary questions and the share of generated requests that are recognised are measured in
tests/benchmarks/request_recognition.py.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache


class RequestKind(StrEnum):
    """Kind of a request about whole documents or the library."""

    OVERVIEW = "overview"
    DOCUMENTS = "documents"
    MENTIONS = "mentions"
    LISTING = "listing"
    COMPARISON = "comparison"
    DETAILS = "details"


@dataclass(frozen=True, slots=True)
class Request:
    """Request about the structure of documents.

    Attributes:
        kind: Kind of the request.
        subject: For an overview or details, the words for the documents, empty for all of them; for mentions, the words
            to count; for a listing, the words for the table or list.
        other: For a comparison, the second subject; empty if the subject means both ("the two reports").
        within: For mentions, the words for the documents to search; empty for all.
    """

    kind: RequestKind
    subject: str = ""
    other: str = ""
    within: str = ""


_LONGEST = 240
"""Maximum length in characters: a longer question includes text of its own."""

_SPACES = re.compile(r"\s+")
_END = re.compile(r"[\s.?!。？！…~～]+$")
_WORD = re.compile(r"[a-z]{6,}")
_CJK = re.compile(r"[\u3400-\u9fff]")
_PAIR_EN = re.compile(r"^(?P<one>.+?)\s+(?:and|with|to|against|versus|vs\.?|from)\s+(?P<two>.+)$", re.IGNORECASE)
_PAIR_ZH = re.compile(r"^(?P<one>.+?)(?:和|与|與|跟|同|及|以及|、)(?P<two>.+)$")
_QUOTES = " \t\"'“”‘’「」『』《》:：,，、"

# One letter may be wrong, missing, extra, or exchanged with the next; two in the verb that most requests begin with.
_TWO_WRONG = frozenset({"summarise", "summarize"})


# Cached, because an offline answer needs it five times.
@lru_cache(maxsize=64)
def request_of(question: str) -> Request | None:
    """Return the request about the structure of documents that a question contains; None for an ordinary question."""
    text = _END.sub("", _SPACES.sub(" ", unicodedata.normalize("NFKC", question)).strip())
    if not text or len(text) > _LONGEST:
        return None
    if _CJK.search(text):
        return _match_rules(CHINESE, _strip_politeness(POLITE_ZH, TRAILING_ZH, text), _PAIR_ZH)
    return _match_rules(ENGLISH, _strip_politeness(POLITE, TRAILING, _correct_spelling(text)), _PAIR_EN)


def _strip_politeness(polite: re.Pattern[str], trailing: re.Pattern[str], text: str) -> str:
    """Return a question without leading and trailing politeness, however often repeated."""
    while (shorter := trailing.sub("", polite.sub("", text)).strip(_QUOTES)) != text:
        text = shorter
    return text


@cache
def _compile_rule(rule: str) -> re.Pattern[str]:
    # Not on import: all rules take 0.12 s of processor time, and most commands ask nothing.
    return re.compile(rf"{rule}$", re.IGNORECASE)


@cache
def beginnings(rule: str) -> tuple[str, ...] | None:
    """Return the literal texts, in lower case, with one of which a match of a rule begins; None if they are unknown.

    Knows the literals, groups and alternatives of the rules below, and no other regular expressions. Of 49 rules, a
    question that begins with "what" can match 20: compiling only those saves half of the time.
    """
    found: list[str] = []
    place = 0
    while place < len(rule):
        if rule.startswith(("(?:", "(?P<"), place):
            end = _end_of_group(rule, place)
            inner = rule[rule.index(":" if rule[place + 2] == ":" else ">", place) + 1 : end]
            for alternative in _alternatives(inner):
                begins = beginnings(alternative)
                if begins is None:
                    return None
                found += begins
            place = end + 1
        elif (literal := _LITERALS.match(rule, place)) is not None:
            # A letter before a quantifier may be absent.
            is_optional = rule.startswith(("?", "*", "{"), literal.end())
            found.append(literal.group()[: -1 if is_optional and len(literal.group()) > 1 else None].lower())
            place = literal.end()
            if not is_optional or len(literal.group()) > 1:
                return tuple(found)
        else:
            return None
        if not rule.startswith(("?", "*", "{"), place):
            return tuple(found)
        if rule[place] == "{":
            return None
        place += 1
    return None  # it also matches an empty text


def _end_of_group(rule: str, start: int) -> int:
    """Return the place of the parenthesis that closes the group."""
    depth = 0
    for match in _PARENTHESES.finditer(rule, start):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if not depth:
            return match.start()
    raise ValueError(rule)


def _alternatives(inner: str) -> Iterator[str]:
    """Yield the alternatives of the inside of a group."""
    depth, start = 0, 0
    for match in _PARENTHESES.finditer(inner):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if match.group() == "|" and not depth:
            yield inner[start : match.start()]
            start = match.end()
    yield inner[start:]


# Escaped characters and sets of characters are skipped as a whole.
_PARENTHESES = re.compile(r"\\.|\[[^\]]{0,200}\]|[()|]", re.DOTALL)
_LITERALS = re.compile(r"[\w @’;,-]+")


def _match_rules(rules: tuple[tuple[str, str], ...], text: str, pair: re.Pattern[str]) -> Request | None:
    lower = text.lower()
    for kind, rule in rules:
        begins = beginnings(rule)
        if begins is not None and not lower.startswith(begins):
            continue
        if match := _compile_rule(rule).match(text):
            groups = {name: (value or "").strip(_QUOTES) for name, value in match.groupdict().items()}
            return _make_request(RequestKind(kind), groups, pair)
    return None


def _make_request(kind: RequestKind, groups: dict[str, str], pair: re.Pattern[str]) -> Request | None:
    subject, other = groups.get("subject", ""), groups.get("other", "")
    if kind is RequestKind.COMPARISON and not other:
        two = pair.match(BETWEEN.sub("", subject))
        if two is not None:
            subject, other = two["one"].strip(_QUOTES), two["two"].strip(_QUOTES)
        elif not SEVERAL.search(subject):
            return None
    if kind in (RequestKind.MENTIONS, RequestKind.LISTING) and not subject:
        return None
    return Request(kind, subject, other, groups.get("within", ""))


@lru_cache(maxsize=64)
def _correct_spelling(text: str) -> str:
    """Return a text with spelling errors corrected in the words that requests are recognised by."""
    return (
        _WORD.sub(lambda match: _correct_word(match.group()), text)
        if text.islower()
        else _correct_spelling_in_case(text)
    )


def _correct_spelling_in_case(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        return text
    pieces, position = [], 0
    for match in _WORD.finditer(lower):
        right = _correct_word(match.group())
        pieces += [text[position : match.start()], right if right != match.group() else text[slice(*match.span())]]
        position = match.end()
    return "".join([*pieces, text[position:]])


def _correct_word(word: str) -> str:
    if word in SPELT or word in NEAR_BUT_OTHER:
        return word
    return next((right for right in SPELT if _is_near(word, right)), word)


def _is_near(word: str, right: str) -> bool:
    most = 2 if right in _TWO_WRONG else 1
    return abs(len(word) - len(right)) <= most and word[0] == right[0] and _distance(word, right) <= most


def _distance(one: str, other: str) -> int:
    """Return the number of wrong, missing, extra or exchanged letters (optimal string alignment distance)."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for place, row in enumerate(_cost_rows(one, other), 1):
        current = [place]
        for column, cost in enumerate(row, 1):
            best = min(last[column] + 1, current[-1] + 1, last[column - 1] + cost)
            if place > 1 and column > 1 and one[place - 1] == other[column - 2] and one[place - 2] == other[column - 1]:
                best = min(best, before[column - 2] + 1)
            current.append(best)
        before, last = last, current
    return last[-1]


def _cost_rows(one: str, other: str) -> Iterator[list[int]]:
    return ([int(letter != other_letter) for other_letter in other] for letter in one)


# English

SPELT = (
    "summarise", "summarize", "summary", "summaries", "overview", "compare", "comparison", "documents", "document",
    "library", "mention", "mentions", "outline", "report", "reports",
)  # fmt: skip
"""Words by which requests are recognised, including misspellings of them."""

NEAR_BUT_OTHER = frozenset({
    "compares", "compared", "reported", "reporter", "outlines", "outlined", "resort", "resorts", "export", "exports",
    "import", "imports", "summarised", "summarized", "summarises", "summarizes", "mentioned",
})  # fmt: skip
"""Other words that resemble those, and are not misspellings of them."""

_NOUN = (
    r"(?:documents?|docs?|files?|reports?|papers?|pdfs?|texts?|articles?|e?books?|manuals?|surveys?|minutes"
    r"|contracts?"
    r"|agreements?|letters?|e?mails?|slides?|slide decks?|decks?|presentations?|spreadsheets?|sheets?|workbooks?"
    r"|notes?"
    r"|guides?|handbooks?|brochures?|leaflets?|guidelines|regulations|polic(?:y|ies)|thes[ie]s|stud(?:y|ies)|essays?"
    r"|memos?|pages?|chapters?|uploads?|attachments?|materials?|sources?|library|collection|knowledge base|folder"
    r"|transcripts?|filings?|contents?|proposals?|specifications?|specs?|protocols?)"
)
_MANY = (
    r"(?:documents|docs|files|reports|papers|pdfs|texts|articles|books|manuals|contracts|letters|emails|mails"
    r"|notes|sources)"
)
_FILE = r"[\w.()\[\]@#&+-]*\w\.[a-z][a-z0-9]{1,5}"
_DEICTIC = (
    r"(?:the|this|that|these|those|my|our|your|all(?: of)?(?: the| my| our| these| those)?|both|each(?: of the)?"
    r"|every)"
)
_THIS = r"(?:this|that|it|these|those|them|everything|(?:all (?:of )?)?(?:this|these|it|them)|this one)"
# Words for a document: "this", "the annual report", "report.pdf", "the first two documents".
_MEANT = (
    rf"(?:{_THIS}|(?:{_DEICTIC} )(?:[\w&'’.-]+ ){{0,4}}?{_NOUN}(?: (?:for |of |from )?\d[\d./-]*)?"
    rf"|{_DEICTIC} {_FILE}|“?\"?(?:[\w-]+ ){{0,5}}{_FILE}\"?”?|@\S.*)"
)
# The same with a complement: "the minutes of the last meeting", "the report on dredging".
_MEANT_OF = rf"{_MEANT}(?: (?:of|on|for|about|from|by|in|called|named|titled) [^?]{{1,80}})?"
_SIZE = (
    r"(?:(?:very |really )?(?:short|brief|quick|concise|detailed|general|high[- ]level|one[- ]?page"
    r"|one[- ]?sentence|full|complete|executive|rough|small|little|good|nice|simple|overall|bullet[- ]?point"
    r"|\d+[- ](?:line|word|sentence|page)) )"
)
_SUMMARY = (
    r"(?:summary|summaries|overview|synopsis|outline|abstract|digest|gist|recap|rundown|run-down|tl;?dr"
    r"|(?:main|key|most important|central|principal|core) (?:points?|ideas?|takeaways?|messages?|contents?"
    r"|arguments?)"
    r"|takeaways|highlights|table of contents|structure|contents)"
)
_MENTION = (
    r"(?:mentions?|contains?|talks? about|refers? to|discuss(?:es)?|covers?|includes?|deals? with|speaks? (?:of"
    r"|about)"
    r"|says? (?:something|anything) about|describes?|names?|has|have|holds?|are about|is about|write about"
    r"|address(?:es)?)"
)

POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|so|well|now|thanks|thank you|great|alright|and|then|also)\b[,.!:]*\s+"
    r"|(?:please|pls|plz|kindly|just|quickly|briefly)\b[,]?\s+"
    r"|(?:can|could|would|will) (?:you|we|u|i)(?: please| kindly| just| maybe| possibly)*\s+"
    r"|i(?: would|['’]d)? (?:want|like|need|wish)(?: you)?(?: to)?\s+(?=(?:summari|compar|list|know|see|find|get|have"
    r"|an? ))"
    r"|(?:do you mind|would you mind|is it possible to)\s+|(?:help me|help)(?: to)?\s+(?=summari|compar|list"
    r"|understand)"
    r"|(?:i want to know|i['’]d like to know|i would like to know|know|let me know|tell me|do you know|say)[,:]?\s+"
    r"(?=what|which|how|who|when|where))",
    re.IGNORECASE,
)
TRAILING = re.compile(
    r"[\s,;-]+(?:please|pls|plz|thanks|thank you|thx|for me|to me|briefly|shortly|quickly|in short|in brief|in detail"
    r"|in general|overall|if you can|if possible|in (?:a few|two|three|five|\d+|one|simple|plain|your own)"
    r" (?:words?|sentences?|lines?|points?|bullets?|bullet points|paragraphs?|english)|in (?:english|chinese)"
    r"|in bullet points|as bullet points|as a (?:list|table)|in a (?:table|list)|right now|again)$",
    re.IGNORECASE,
)

BETWEEN = re.compile(r"^(?:between|of|both)\s+", re.IGNORECASE)
SEVERAL = re.compile(
    rf"\b(?:two|both|three|all|these|those|the|my|our)\b.*\b{_MANY}\b|^(?:them|these|those|both|all|everything)$"
    r"|(?:两|兩|二|这些|這些|那些|所有|几|幾|三|全部|各).*(?:报告|報告|文件|文档|文檔|论文|論文|资料|資料|文章|合同"
    r"|手册|书|書)",
    re.IGNORECASE,
)


_WITHIN = rf"(?: (?:in|within|across|throughout|of) (?P<within>{_MEANT_OF}|{_NOUN}))?"
_IN_WITHIN = rf"(?: (?:in|within|across|throughout) (?P<within>{_MEANT_OF}|{_NOUN}))"
_HOME = (
    r"(?: (?:(?:that |which )?(?:i|we|you) (?:have|own|added|uploaded|imported)(?: (?:here|added|uploaded))?"
    r"|there are|exist"
    r"|available|loaded|(?:that )?are (?:there|available|loaded)|here|so far|in total|you (?:know|see|can (?:see|read"
    r"|search))"
    r"|(?:are )?in (?:here|it|there|(?:the|my|our|this) (?:library|collection|knowledge base|folder|workbench|app"
    r"|program))))*"
)

ENGLISH = (
    # Documents in the library.
    ("documents", rf"(?:which|what|how many) (?:\w+ )?{_MANY} (?:do|did|have|can|are|is|does) (?:i|we|you|there)"
                  r"(?: (?:have|got|added|add|upload|uploaded|imported|see|read|search|access|know|using|use))?"
                  rf"(?: (?:here|access to|loaded|available|about))?{_HOME}"),
    ("documents", rf"(?:which|what|how many) (?:\w+ )?{_MANY} are (?:there|available|loaded|here|in (?:here|there|it)"
                  rf"|in (?:the|my|our|this) (?:library|collection|knowledge base|folder)){_HOME}"),
    ("documents", r"(?:list|show|show me|display|enumerate|give me|what are|name)(?: me)?(?: a list of| the list of)?"
                  rf"(?: all(?: of)?)?(?: the| my| our| these| available)? ?(?:available |added "
                  rf"|loaded )?{_MANY}{_HOME}"),
    ("documents", rf"(?:list|inventory|overview|contents) of (?:all )?(?:the |my |our )?(?:documents|files"
                  rf"|library){_HOME}"),
    ("documents", r"what(?:['’]?s| is) (?:there )?in (?:the|my|our|this) (?:library|collection|knowledge base"
                  r"|folder)"),
    ("documents", r"what (?:do you (?:know|have)(?: here)?|can i ask(?: you)?(?: about)?|have i added|is in (?:here"
                  r"|there))"),
    ("documents", rf"(?:how many|number of) {_MANY}"),
    # Documents that mention something.
    ("mentions", rf"(?:in )?(?:how many|which|what)(?: of)?(?: the| my| our| these| those)? {_MANY}(?: in (?:the|my"
                 rf"|our)"
                 rf" (?:library|collection))?(?: (?:do|does|that|which|actually|also"
                 rf"|you know))? ?{_MENTION} (?P<subject>.+)"),
    ("mentions", rf"(?:in )?(?:how many|which|what)(?: of)?(?: the| my| our| these| those)? {_MANY} (?:is|are|do"
                 rf"|does)"
                 r" (?P<subject>.+?) (?:mentioned|discussed|named|described|appear|occur|come up|found"
                 r"|talked about)"),
    ("mentions", r"(?:which|what) (?:document|file|report|paper|pdf|article|contract|letter|manual)s? (?:mentions?"
                 r"|contains?|talks? about|refers? to|discuss(?:es)?|covers?|deals? with|is about|are about)"
                 r" (?P<subject>.+)"),
    ("mentions", rf"(?:find|list|show|show me|give me|count|get)(?: all)?(?: of)?(?: the| my| our)? {_MANY}"
                 rf"(?: (?:that|which|where))? ?(?:{_MENTION}|mentioning|containing|about|on|with|discussing"
                 rf"|regarding)"
                 r" (?P<subject>.+)"),
    ("mentions", rf"(?:do|does|is|are) (?:any|some)(?: of)?(?: the| my| our| these)? {_MANY} (?:mention|contain"
                 r"|talk about|refer to|discuss|cover|about)(?:ing)? (?P<subject>.+)"),
    ("mentions", rf"how (?:many times|often) (?:is|are|was|were|does|do|did|has) (?P<subject>.+?) (?:get "
                 rf"|been )?(?:mentioned?"
                 rf"|named|referred to|discussed){_WITHIN}"),
    ("mentions", rf"how (?:many times|often) (?:is|are|was|were|does|do|did) (?P<subject>.+?) (?:appear|occur|come up"
                 rf"|used|found|show up|stand){_IN_WITHIN}"),
    ("mentions", rf"how many times (?:does|do|did) (?P<within>{_MEANT}) (?:mention|name|use|say"
                 rf"|contain) (?P<subject>.+)"),
    ("mentions", rf"(?:count|number of)(?: all)?(?: of)?(?: the)? (?:mentions|occurrences"
                 rf"|appearances) of (?P<subject>.+?)"
                 rf"{_WITHIN}"),
    ("mentions", rf"where (?:is|are|was|were) (?P<subject>.+?) mentioned{_WITHIN}"),
    ("mentions", rf"(?:show|list|find)(?: me)?(?: all)?(?: the)? (?:mentions|occurrences"
                 rf"|places) of (?P<subject>.+?){_WITHIN}"),
    # File properties, and contents of the first page.
    ("details", rf"who (?:wrote|authored|published|issued|prepared|compiled|drafted|edited"
                rf"|made) (?P<subject>{_MEANT})"),
    ("details", rf"who (?:is|are|was|were) (?:the )?(?:authors?|publisher|editors?) of (?P<subject>{_MEANT})"),
    ("details", rf"(?:what(?:['’]?s| is| was)|tell me) the (?:title|date|publication date|author|length"
                rf"|number of pages"
                rf"|page count|language|file name) of (?P<subject>{_MEANT})"),
    ("details", rf"when (?:was|were) (?P<subject>{_MEANT}) (?:written|published|issued|made|created|released"
                rf"|last changed"
                r"|last modified|dated|drawn up)"),
    ("details", rf"how (?:many pages|long) (?:is|are|has) (?P<subject>{_MEANT})"),
    ("details", rf"how many pages (?:does|do|are) (?P<subject>{_MEANT})(?: have| there| contain| in)?"),
    ("details", rf"how many pages are (?:there )?in (?P<subject>{_MEANT})"),
    # Contents of a document.
    ("overview", r"(?:summari[sz]e|sum up|recap|digest|condense|tl;?dr|abridge|recapitulate|give me the gist of)"
                 r"(?: up)?(?:[:,]? (?P<subject>.+))?"),
    ("overview", rf"(?:outline|skim|explain|describe|introduce|present|tell me about|walk me through|go through"
                 rf"|brief me on"
                 rf"|read|analy[sz]e|review|show me) (?P<subject>{_MEANT_OF})"),
    ("overview", r"(?:give|show|write|make|provide|create|prepare|produce|draft|get|do|send|i (?:need|want"
                 r"|would like)"
                 rf"|(?:can|could|may) i (?:have|get|see)|i['’]d like)(?: me| us)?(?: an?| the| some"
                 rf"| your)? ?{_SIZE}*{_SUMMARY}"
                 r"(?: of| for| about| on| from| to)(?P<subject> .+)"),
    ("overview", r"(?:give|show|write|make|provide|create|prepare|produce|draft|get|do|i (?:need|want|would like)"
                 rf"|(?:can|could|may) i (?:have|get|see)|i['’]d like)(?: me| us)?(?: an?| the| some"
                 rf"| your)? ?{_SIZE}*{_SUMMARY}"),
    ("overview", rf"(?:an? |the )?{_SIZE}*(?:summary|overview|synopsis|gist|recap|outline|abstract|rundown|takeaways"
                 rf"|(?:main|key) (?:points|takeaways|ideas))(?: of| for| on| from)(?P<subject> .+)"),
    ("overview", rf"(?:an? |the )?{_SIZE}*(?:summary|overview|synopsis|gist|recap|tl;?dr|main points|key points"
                 rf"|key takeaways)"),
    ("overview", rf"what(?:['’]?s| is| are| was| were)(?: the)? (?:{_SIZE})*{_SUMMARY} (?:of|in|from"
                 rf"|for) (?P<subject>{_MEANT_OF})"),
    ("overview", rf"what(?:['’]?s| is| are| was| were)(?: the)? (?:main |key |most important |principal "
                 rf"|central )(?:findings?"
                 rf"|conclusions?|results?|topics?|themes?|subjects?|issues?|lessons?) (?:of|in"
                 rf"|from) (?P<subject>{_MEANT_OF})"),
    ("overview", rf"what(?:['’]?s| is| are| was| were) (?P<subject>{_MEANT_OF}) (?:all |mainly |mostly |actually"
                 r" |really |basically |roughly )?(?:about|on|for|saying|telling(?: me| us)?|dealing with)"),
    ("overview", rf"(?:understand |explain )?what (?P<subject>{_MEANT_OF}) (?:is|are|was|were) (?:all |mainly "
                 rf"|mostly |actually |really )?"
                 r"(?:about|saying|for)"),
    ("overview", rf"what (?:do|does|did) (?P<subject>{_MEANT_OF}) (?:all |mainly |mostly |actually |really "
                 rf"|basically )?(?:say"
                 r"|says|cover|contain|deal with|talk about|describe|discuss|tell(?: me| us)?|include|treat"
                 r"|consist of|hold)"),
    ("overview", rf"what(?:['’]?s| is| stands| can i find| do we find) (?:written |said "
                 rf"|there )?in (?P<subject>{_MEANT})"),
    ("overview", rf"(?:what|which) (?:topics|subjects|themes|sections|chapters|parts)(?: are| do| does| is)?"
                 rf"(?: there| covered| discussed| treated| contained)*(?: in)? (?P<subject>{_MEANT})(?: (?:cover"
                 rf"|contain"
                 r"|discuss|have|deal with|treat|talk about|consist of|include))?"),
    ("overview", rf"how (?:is|are) (?P<subject>{_MEANT}) (?:structured|organi[sz]ed|laid out|divided)"),
    ("overview", r"(?:what(?:['’]?s| is) (?:this|that|it)|what am i looking at)"),
    # Comparison of two documents.
    ("comparison", r"(?:compare|contrast|compare and contrast|juxtapose)(?: between)? (?P<subject>.+)"),
    ("comparison", rf"what(?:['’]?s| is| are) the (?:main |key |most important )?(?:differences?|similarities"
                   rf"|changes)"
                   rf"(?: and similarities)? between (?P<subject>{_MEANT_OF}) and (?P<other>{_MEANT_OF})"),
    ("comparison", rf"what(?:['’]?s| is| are) the (?:main |key |most important )?(?:differences?|similarities"
                   rf"|changes)"
                   rf" (?:between|of|in) (?P<subject>(?:the|these|those|my|both)(?: \w+){{0,2}} {_MANY})"),
    ("comparison", rf"how (?:do|does|are|is) (?P<subject>{_MEANT}) (?:differ|different|compare)"
                   rf"(?: (?:from|to|with) (?P<other>{_MEANT}))?"),
    ("comparison", r"(?:an? )?(?:comparison|side[- ]by[- ]side) (?:of|between) (?P<subject>.+)"),
    # All rows of a table or list.
    ("listing", r"(?:list|enumerate|tabulate|itemi[sz]e)(?: me)?(?: out)?(?: all(?: of)?| every"
                r"| each)?(?: the)? (?P<subject>.+)"),
    ("listing", r"(?:show|give|get|name|find|extract|print|output|tell|display)(?: me| us)? (?:all(?: of)?|every|each"
                r"|(?:an? |the )?(?:full |complete |whole |entire )?(?:list|table|overview table) (?:of|with|for"
                r"|showing))"
                r"(?: all)?(?: the)? (?P<subject>.+)"),
    ("listing", r"what are all(?: of)?(?: the)? (?P<subject>.+)"),
    ("listing", r"(?:an? |the )?(?:full |complete |whole )?(?:list|table) of (?:all )?(?:the )?(?P<subject>.+)"),
)  # fmt: skip

# Chinese

_THIS_ZH = r"(?:这|這|那|本|该|該|此|我的|我们的|以上|上述|所有的?|全部的?|整个|整)"
_COUNTED_ZH = r"(?:[一两兩二三几幾]?(?:份|个|個|篇|本|些|部|封|张|張|套|种))?"
_NOUN_ZH = (
    r"(?:报告|報告|文件|文档|文檔|论文|論文|资料|資料|文章|手册|手冊|规程|規程|合同|PDF|书|書|材料|说明书|說明書|纪要"
    r"|紀要"
    r"|会议记录|會議記錄|记录|調查|调查|表格|文本|内容|內容|库|知识库|知識庫|资料库|協議|协议|邮件|信件|课件|幻灯片"
    r"|演示文稿"
    r"|简历|标准|規範|规范|年报|年報|财报|白皮书|指南|论文集|教程|教材|讲义|笔记|方案|章程|条例|东西|東西)"
)
_FILE_ZH = r"[\w.()（）+-]+\.[A-Za-z][A-Za-z0-9]{1,5}"
_MEANT_ZH = (
    rf"(?:这|這|它|此|那|这个|這個|这些|這些|它们|全部|所有"
    rf"|{_THIS_ZH}{_COUNTED_ZH}(?:[^，。的]{{0,12}}(?:的)?)?{_NOUN_ZH}"
    rf"|[^，。？的]{{0,16}}(?:{_NOUN_ZH})|《[^》]{{1,40}}》|{_FILE_ZH}|@\S.*)"
)
_NOUN_COUNTED_ZH = r"(?:文档|文檔|文件|资料|資料|报告|報告|论文|論文|文章|合同|书籍|材料|邮件)"
_SUM_ZH = r"(?:总结|總結|概括|概述|归纳|歸納|综述|綜述|简述|簡述|梳理|提炼|提煉|总览|小结|摘要)"
_WHAT_ZH = (
    r"(?:些?(?:什么|什麼|甚么|甚麼|啥)(?:内容|內容|东西|東西|方面|事情?)?|哪些(?:内容|內容|东西|东西|方面|问题"
    r"|主题)?)"
)
_SAYS_ZH = (
    r"(?:讲述|講述|讲的?|講的?|说的?|說的?|写的?|寫的?|谈的?|談的?|介绍|介紹|涉及|包含|包括|涵盖|讨论|描述"
    r"|论述)"
)

POLITE_ZH = re.compile(
    r"^(?:请问|請問|请|請|麻烦|麻煩|劳驾|帮我|幫我|帮忙|幫忙|帮|替我|为我|能不能|能否|可不可以|可以|可否|你能|您能"
    r"|你可以"
    r"|您可以|给我|給我|我想要?(?=总|總|概|知|了解|看|比|列)|我要|我需要|知道|了解一下|你|您|用中文|用一句话|用几句话"
    r"|简单地?|簡單地?|简要地?|簡要地?|大致|快速|再|先|你好|您好|来)[，,：:！!\s]*"
)
TRAILING_ZH = re.compile(
    r"[，,\s]*(?:谢谢|謝謝|好吗|好嗎|可以吗|可以嗎|行吗|吗|嗎|呢|啊|吧|呀|给我|給我|用中文|多谢|简单点|详细一点"
    r"|一下)$"
)

CHINESE = (
    ("documents", rf"(?:我|我们|我們|这里|這裡|这儿|你|您|资料库|知识库|库|文档库|文件夹|里面|目前)*(?:里|裡|中"
                  rf"|里面)?(?:现在|现有|一共|总共"
                  rf"|總共|共|都|目前)*(?:有|添加了|上传了|导入了|收录了)(?:哪些|什么|什麼|多少|几|幾)(?:份|个|個|篇"
                  rf"|本)?{_NOUN_COUNTED_ZH}"),
    ("documents", rf"(?:列出|列一下|列举|显示|顯示|展示|查看|看看|罗列|给出)(?:一下)?(?:我)?(?:的)?(?:所有|全部|现有"
                  rf"|已有)?(?:的)?{_NOUN_COUNTED_ZH}"
                  r"(?:列表|清单|目录)?"),
    ("documents", rf"(?:有)?(?:哪些|多少|几|幾)(?:份|个|個|篇)?{_NOUN_COUNTED_ZH}(?:可用|可以搜索|可以问)?"),
    ("documents", r"(?:资料库|知识库|文档库|库|图书馆|文件夹)(?:里|裡|中|里面|内)(?:都)?(?:有|是)(?:些|哪些)?(?:什么"
                  r"|什麼|啥|内容)(?:东西|內容|内容)?"),
    ("mentions", rf"(?:一共|总共|在)?(?:有)?(?:多少|几|幾|哪些|哪几|哪幾|哪)(?:份|个|個|篇"
                 rf"|本)?{_NOUN_COUNTED_ZH}(?:里面|里|裡|中)?(?:都|曾)?"
                 r"(?:提到|提及|涉及|包含|谈到|談到|说到|說到|讲到|講到|含有|出现|出現|谈及|写到|讨论|介绍|有关于?"
                 r"|关于)(?:了|过|過)?"
                 r"(?P<subject>.+)"),
    ("mentions", rf"(?P<subject>.+?)(?:在|于|被|有)+(?:多少|几|幾|哪些|哪几)(?:份|个|個|篇"
                 rf"|本)?{_NOUN_COUNTED_ZH}(?:里面|里|裡|中)?(?:被)?"
                 r"(?:提到|提及|出现|出現|谈到)(?:了|过|過)?"),
    ("mentions", rf"(?:找出|列出|查找|搜索|显示)(?:所有|全部)?(?:的)?(?:提到|提及|涉及|包含|谈到|含有|关于)(?:了"
                 rf"|过)?(?P<subject>.+?)的"
                 rf"{_NOUN_COUNTED_ZH}"),
    ("mentions", rf"(?P<subject>.+?)(?:在(?P<within>{_MEANT_ZH})(?:里面|里|裡|中)?)?(?:一共|总共|共)?(?:被)?(?:提到"
                 rf"|提及)(?:了|过|過)?"
                 r"(?:几|幾|多少)次"),
    ("mentions", rf"(?P<subject>.+?)在(?P<within>{_MEANT_ZH})(?:里面|里|裡|中)?(?:一共|总共|共)?(?:出现|出現|用)(?:了"
                 rf"|过|過)?(?:几|幾|多少)次"),
    ("mentions", rf"(?P<within>{_MEANT_ZH})(?:里面|里|裡|中)?(?:一共|总共|共)?(?:几|幾|多少)次(?:提到|提及|出现"
                 rf"|用到)(?:了|过)?(?P<subject>.+)"),
    ("mentions", r"(?:哪里|哪裡|哪儿|什么地方)(?:提到|提及|谈到)(?:了|过)?(?P<subject>.+)"),
    ("details", rf"(?P<subject>{_MEANT_ZH})(?:是)?(?:由)?(?:谁|誰|什么人|哪个单位|哪家公司)(?:写|寫|编|編|编写|編寫"
                rf"|撰写|撰寫|发布|發布|制定|出版|编制|起草)(?:的|了)?"),
    ("details", rf"(?:谁|誰|什么人|哪个单位)(?:写|寫|编写|撰写|发布|制定|编制|起草)(?:了"
                rf"|的)(?P<subject>{_MEANT_ZH})"),
    ("details", rf"(?P<subject>{_MEANT_ZH})的(?:作者|标题|標題|题目|日期|发布日期|出版日期|编写单位|页数"
                rf"|頁數)(?:是)?(?:谁|誰|什么|什麼|多少|哪天|几号)?"),
    ("details", rf"(?P<subject>{_MEANT_ZH})(?:是)?(?:什么时候|什麼時候|何时|何時|哪年|哪一年)(?:写|寫|编写|发布|發布"
                rf"|出版|制定|起草|编制)(?:的|了)?"),
    ("details", rf"(?P<subject>{_MEANT_ZH})(?:一共|总共|共)?(?:有)?(?:多少|几|幾)(?:页|頁)"),
    ("overview", rf"{_SUM_ZH}(?:一下|下|总结)?(?:[：:]\s*)?(?P<subject>.*?)(?:的)?(?:主要|核心)?(?:内容|內容|要点"
                 rf"|要點|大意|重点|重點)?"),
    ("overview", rf"(?:对|對|把|将|将)(?P<subject>.+?)(?:做|作|进行|進行|写|加以)?(?:一个|一個|个|一份|一下|一篇"
                 rf"|简单的?|简短的?)*{_SUM_ZH}(?:一下)?"),
    ("overview", rf"(?P<subject>{_MEANT_ZH})(?:的)?(?:全文)?{_SUM_ZH}(?:一下)?"),
    ("overview", rf"(?P<subject>{_MEANT_ZH})(?:里|裡|中|里面)?(?:主要|大概|都|到底|究竟|大致|具体|具體|总的来说"
                 rf"|在)*{_SAYS_ZH}(?:了|的是|的|及)?{_WHAT_ZH}"),
    ("overview", rf"(?P<subject>{_MEANT_ZH})(?:是|主要是|主要)*(?:关于|關於|有关|讲|說|说|講)(?:了)?{_WHAT_ZH}(?:方面"
                 rf"|内容)?(?:的)?"),
    ("overview", rf"(?P<subject>{_MEANT_ZH})(?:里|裡|中|里面)(?:都)?(?:有|写了|是)(?:些|哪些)?(?:什么|什麼|啥)(?:内容"
                 rf"|內容)?"),
    ("overview", rf"(?P<subject>{_MEANT_ZH})的?(?:主要|核心|大致|整体|整體|中心|基本|关键)?(?:内容|內容|要点|要點"
                 rf"|主旨|大意|概要|摘要|大纲|大綱|目录|目錄|结论|結論"
                 r"|主题|主題|重点|重點|结构|結構|中心思想|思想|观点)(?:是|有|都|包括)?(?:什么|什麼|啥|哪些|怎样的"
                 r"|哪些内容)?"),
    ("overview", rf"(?:介绍|介紹|说说|讲讲|讲解|说明|解释|谈谈|看看|分析|解读|读一下"
                 rf"|了解)(?:一下)?(?P<subject>{_MEANT_ZH})"),
    ("overview", rf"(?:一份|一个|一個|个|個|一段|写|做|来|列|出|生成|提供)*(?:简短的?|简要的?|簡短的?"
                 rf"|详细的?)?(?P<subject>{_MEANT_ZH})?(?:的)?(?:摘要|总结|總結|概述|概要|大纲|大綱|综述)"),
    ("overview", r"(?:这|這|它|那)(?:是|到底是|究竟是)(?:什么|什麼|啥)(?:东西|內容|内容|文件|文档)?"),
    ("comparison", r"(?:比较|比較|对比|對比|比对|比一比|对照|對照)(?:一下|下)?(?P<subject>.+)"),
    ("comparison", rf"(?P<subject>{_MEANT_ZH})(?:和|与|與|跟)(?P<other>{_MEANT_ZH})(?:之间|之間)?(?:的|有"
                   rf"|有着)?(?:什么|什麼|何|哪些|哪里|主要)*(?:不同|区别|區別|差异"
                   r"|差異|差别|差別|异同|異同|不一样)(?:之处|之處|点|點)?(?:是什么|在哪里|有哪些|是啥)?"),
    ("comparison", rf"(?P<subject>(?:这|這|那|我的)?(?:两|兩|几|幾|三|些|二)(?:份|个|個|篇|本|部)?{_NOUN_ZH})(?:之间"
                   rf"|之間)?(?:的|有|有着)?(?:什么|什麼|何|哪些|哪里|主要)*"
                   r"(?:不同|区别|區別|差异|差異|差别|差別|异同|異同|不一样)(?:之处|点)?(?:是什么|在哪里|有哪些)?"),
    ("listing", r"(?:列出|列举|列舉|列一下|罗列|羅列|枚举|枚舉|列成表|列表显示)(?:一下)?(?:出)?(?:所有|全部|每个|每一"
                r"|各)?(?:的)?(?P<subject>(?![一两兩1-9](?:个|個|种|種|项|項|条))(?!.*一(?:种|個|个|種)).+)"),
    ("listing", r"(?:给出|給出|显示|顯示|展示|汇总|匯總|整理|找出|提取|说出|告诉我|查看)(?:一下)?(?:所有|全部|每个"
                r"|每個|每一|各项|各)(?:的)?(?P<subject>.+)"),
    ("listing", r"(?:把|将|將)(?:所有|全部|每个|每一|各)(?:的)?(?P<subject>.+?)(?:都|全部)?(?:列出来|列出來|列出"
                r"|列一下|列成表|列举出来|整理出来)"),
    ("listing", r"(?:所有|全部|各项|各)(?:的)?(?P<subject>.+?)(?:有哪些|都有哪些|分别是什么|分別是什麼|分别是|是哪些"
                r"|一览|一览表|清单)"),
)  # fmt: skip
