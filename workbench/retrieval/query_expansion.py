"""Query expansion: business and science terms, and abbreviations with their long forms as documents define them.

"What does FCFC say" finds "free cash flow conversion", and "emissions trading schemes" finds "ETS".

An analyst asks for "capex" and a report prints "purchases of property and equipment"; "working capital" occurs in no
report, but its two parts are in the balance sheet. Each expansion is searched as a separate part of the question. Page
recall@10 of 34 questions to 14 annual and quarterly reports, without / with: 0.56 / 0.82 (both lists and page scores).

The definitions of ratios are those of accounting text books; the list is general and not derived from any document.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from workbench.model.filter import ChunkFilter
from workbench.store.abbreviation_table import MOST_WORDS, Definition, phrase_of, short_form, stems_of

MOST_EXPANSIONS = 8
"""Maximum number of expansions per question: a question for three ratios has six quantities."""


@dataclass(frozen=True, slots=True)
class Term:
    """Term as it is spelled in questions, with its wordings in documents.

    Attributes:
        asked: Regular expression of its forms in a question, case-insensitive.
        written: Phrases to search for.
    """

    asked: str
    written: tuple[str, ...]


_CAPEX = ("capital expenditures", "purchases of property, plant and equipment")
_PPE = ("property, plant and equipment, net", "property and equipment, net")
_OPERATING_CASH = ("net cash provided by operating activities",)
_COGS = ("cost of goods sold", "cost of sales", "cost of revenue")
_REVENUE = ("net sales", "total revenues")
_BALANCE = ("consolidated balance sheets",)
_INCOME_STATEMENT = ("consolidated statements of income", "consolidated statements of operations")
_CURRENT = ("total current assets", "total current liabilities")
_EARNINGS = ("net income", "net earnings")
_OPERATING_INCOME = ("operating income", "income from operations")
_DEPRECIATION = ("depreciation and amortization",)
_EQUITY = ("total stockholders' equity", "total shareholders' equity")
_LISTED = ("securities registered pursuant to section 12(b)", "name of each exchange on which registered")

TERMS: tuple[Term, ...] = (
    # Ratios first: their components have priority over words that they share with other terms.
    Term(r"free cash ?flows?|\bFCF\b|自由现金流", (*_OPERATING_CASH, *_CAPEX)),
    Term(r"cash ?flow conversion|cash conversion(?! cycle)", (*_OPERATING_CASH, *_EARNINGS)),
    Term(r"cash conversion cycle|\bCCC\b", ("inventories", "accounts receivable", "accounts payable", *_COGS)),
    Term(r"fixed asset turnover|固定资产周转", ("property, plant and equipment, net", *_REVENUE)),
    Term(r"(?<!fixed )\basset turnover|资产周转", ("total assets", *_REVENUE)),
    Term(
        r"capital[- ]intens\w+|资本密集", ("property, plant and equipment, net", "capital expenditures", "total assets")
    ),
    Term(r"inventory turnover|turns? over its inventory|sold its inventory|存货周转", ("inventories", *_COGS)),
    Term(r"\bDPO\b|days payables? outstanding|应付账款周转", ("accounts payable", *_COGS)),
    Term(r"\bDSO\b|days sales outstanding|receivables? turnover|应收账款周转", ("accounts receivable", *_REVENUE)),
    Term(r"\bDIO\b|days (?:of )?inventory", ("inventories", *_COGS)),
    Term(r"working capital|营运资金|营运资本", _CURRENT),
    Term(r"current ratio|流动比率", _CURRENT),
    Term(
        r"quick ratio|acid[- ]test|速动比率",
        ("cash and cash equivalents", "accounts receivable", "total current liabilities"),
    ),
    Term(r"liquidity (?:profile|position)", ("liquidity and capital resources", *_CURRENT)),
    Term(
        r"debt[- ]to[- ]equity|leverage ratio|gearing|资产负债率",
        ("total liabilities", "total stockholders' equity", "long-term debt"),
    ),
    Term(r"interest coverage|times interest earned|利息保障", (*_OPERATING_INCOME, "interest expense")),
    Term(r"\bROA\b|return on (?:total )?assets|资产回报率", ("net income", "total assets")),
    Term(r"\bROE\b|return on (?:shareholders'? |stockholders'? )?equity|净资产收益率", ("net income", "total equity")),
    Term(r"\bROIC\b|return on invested capital", (*_OPERATING_INCOME, "total debt", "total equity")),
    Term(r"(?:dividend )?payout ratio|retention ratio|派息率", ("dividends paid", *_EARNINGS)),
    Term(r"adjusted EBITDA", ("adjusted EBITDA", *_OPERATING_INCOME, *_DEPRECIATION)),
    Term(r"\bEBITDA\b", (*_OPERATING_INCOME, *_DEPRECIATION)),
    Term(r"\bEBIT\b|operating (?:profit|earnings)|营业利润", _OPERATING_INCOME),
    Term(r"operating (?:profit )?margins?|营业利润率", (*_OPERATING_INCOME, *_REVENUE)),
    Term(r"gross (?:profit )?margins?|gross profits?|毛利率?", ("gross profit", "gross margin", *_COGS)),
    Term(r"(?:net (?:profit )?|profit )margins?|净利率", (*_EARNINGS, *_REVENUE)),
    Term(r"effective tax rate|实际税率", ("effective income tax rate", "provision for income taxes")),
    Term(r"\bEPS\b|每股收益", ("earnings per share", "diluted earnings per share")),
    Term(r"book value per share|每股净资产", ("book value per share", "total stockholders' equity")),
    Term(r"organic growth|high[- ]growth|revenue growth|sales growth|growth rate of revenue", ("net sales increased",)),
    # Statements.
    Term(
        r"balance sheets?|statements? of financial position|资产负债表",
        (*_BALANCE, "statements of financial position", "total assets", "total liabilities"),
    ),
    Term(
        r"P&L|profit (?:and|&) loss|income statements?|statements? of (?:income|operations|earnings)|利润表|损益表",
        (*_INCOME_STATEMENT, "consolidated statements of earnings"),
    ),
    Term(
        r"cash ?flows? statements?|statements? of cash ?flows?|现金流量表", ("consolidated statements of cash flows",)
    ),
    Term(
        r"cash ?flows? from operat\w+|operating cash ?flows?|cash from operations|operating activities|经营活动",
        _OPERATING_CASH,
    ),
    Term(
        r"investing (?:activities|cash ?flows?)|cash ?flows? from invest\w+|投资活动",
        ("net cash used in investing activities",),
    ),
    Term(
        r"financing (?:activities|cash ?flows?)|cash ?flows? from financ\w+|筹资活动",
        ("net cash used in financing activities",),
    ),
    Term(r"cash (?:balance|position|on hand)|货币资金", ("cash and cash equivalents",)),
    Term(r"(?:share|stock)holders['’]? equity|net assets|净资产(?!收益)|股东权益", _EQUITY),
    Term(r"retained earnings|accumulated deficit|未分配利润", ("retained earnings", "accumulated deficit")),
    Term(r"\binventor(?:y|ies)\b(?! turnover)|存货(?!周转)", ("inventories", "merchandise inventories")),
    Term(r"interest (?:expenses?|costs?)|利息(?:支出|费用)", ("interest expense",)),
    Term(r"income tax(?:es)?\b|所得税", ("provision for income taxes", "income tax expense")),
    Term(r"shares outstanding|share count|流通股", ("shares of common stock outstanding", "weighted average shares")),
    # Abbreviations and everyday words.
    Term(r"\bcap\.?ex\b|capital (?:expenditures?|spending|investments?)|资本支出", _CAPEX),
    Term(r"\bopex\b|operating expenses|运营费用", ("operating expenses", "selling, general and administrative")),
    Term(r"\bPP&?N?E\b|fixed assets|固定资产", _PPE),
    Term(r"\bSG&?A\b|销售及管理费用", ("selling, general and administrative expenses",)),
    Term(r"\bD&A\b|折旧", _DEPRECIATION),
    Term(r"\bR&D\b|研发(?:费用|投入|支出)", ("research and development",)),
    Term(r"\bCOGS\b|cost of goods|销售成本|营业成本", _COGS),
    Term(r"\bM&A\b", ("mergers and acquisitions", "acquisition of")),
    Term(r"\bAR\b|accounts? receivables?|应收账款", ("accounts receivable, net", "trade receivables")),
    Term(r"\bAP\b|accounts? payables?|应付账款", ("accounts payable",)),
    Term(r"\btop[- ]line\b|\brevenues?\b|\bturnover\b|营业收入|营收", _REVENUE),
    Term(r"\bbottom[- ]line\b|net (?:income|profit|earnings)|净利润", _EARNINGS),
    Term(r"\bheadcount\b|how many (?:people work|employees)|员工人数", ("number of employees", "employees worldwide")),
    Term(r"\bbuy ?backs?\b|share repurchases?|回购", ("repurchases of common stock", "share repurchase program")),
    Term(r"\bdividends?\b|股息|分红", ("dividends declared per common share", "cash dividends")),
    Term(
        r"\bdebts?\b(?! (?:forgiveness|relief|ceiling|collect\w+))|borrowings?|债务",
        ("long-term debt", "total debt", "short-term borrowings"),
    ),
    Term(r"legal (?:battles?|disputes?|cases?)|lawsuits?|litigation|诉讼", ("legal proceedings", "litigation")),
    Term(r"spin(?:ning|s)?[- ]?(?:off|out)|demerger|分拆", ("spin-off", "separation")),
    Term(r"acquire[ds]?|acquisitions?|take[- ]?overs?|收购", ("acquisition of", "business combinations")),
    Term(r"restructuring|layoffs?|重组", ("restructuring charges", "restructuring costs")),
    Term(r"customer concentration|biggest customers?|largest customers?", ("customers accounted for", "net sales to")),
    Term(
        r"\bticker\b|\bregistered (?:securities|debt|notes)|(?:registered|listed|traded|trades?) (?:to trade )?on\b"
        r"|national securities exchange|上市地",
        _LISTED,
    ),
    Term(r"geograph(?:y|ies|ic)\w*|地区分部", ("geographic areas", "revenue by geographic region")),
    Term(r"(?:business|operating|reportable|reporting) segments?|业务分部", ("reportable segments", "segment results")),
    Term(
        r"(?:main|major|key|primary|principal) (?:products?|services?|lines? of business)|主营业务",
        ("products and services",),
    ),
    Term(
        r"(?:sales|revenues?) (?:mix|breakdown|split)|收入构成", ("disaggregation of revenue", "net sales by category")
    ),
    Term(r"(?:earnings|financial|full[- ]year|revenue|sales) guidance|业绩指引", ("outlook", "guidance")),
    Term(
        r"(?:one|1)[- ]time (?:items?|charges?|gains?|events?)|non-?recurring|unusual items?|非经常性",
        ("special items", "nonrecurring"),
    ),
    Term(r"(?:stock|share)[- ]based (?:compensation|payments?)|股份支付", ("stock-based compensation expense",)),
    Term(
        r"credit (?:facilit\w+|lines?|agreements?)|lines? of credit|授信",
        ("revolving credit facility", "credit agreement"),
    ),
    Term(r"(?:main|major|key|principal|biggest) risks?|风险因素", ("risk factors",)),
    Term(
        r"\bpensions?\b|retirement (?:plans?|benefits?)|养老金",
        ("pension and postretirement benefits", "benefit obligation"),
    ),
    Term(r"market cap\w*|市值", ("aggregate market value", "market capitalization")),
    Term(
        r"how many (?:stores|shops|branches)|(?:store|branch) count|门店数",
        ("number of stores", "total stores at end of period"),
    ),
    Term(
        r"(?:executive|director|CEO) (?:pay|compensation|salary)|高管薪酬",
        ("executive compensation", "total compensation"),
    ),
    Term(r"\bNII\b|净利息收入", ("net interest income",)),
    Term(r"\bNIM\b|净息差", ("net interest margin",)),
    Term(r"\bCET1\b|capital ratios?|资本充足率", ("common equity tier 1 capital ratio",)),
    Term(r"\bAUM\b|管理资产", ("assets under management",)),
    Term(
        r"(?:loan|credit) loss(?:es)?|bad (?:loans|debts?)|坏账|不良贷款",
        ("allowance for credit losses", "provision for credit losses"),
    ),
    Term(r"\bauditors?\b|审计师", ("independent registered public accounting firm",)),
    Term(r"\bheadquarter\w*|head office|总部", ("principal executive offices", "headquarters")),
    Term(r"\bCEO\b|首席执行官", ("chief executive officer",)),
    Term(r"\bCFO\b|首席财务官", ("chief financial officer",)),
    Term(r"\bKPIs?\b", ("key performance indicators",)),
    Term(r"\bESG\b", ("environmental, social and governance",)),
    Term(r"\bGHG\b|greenhouse gas|温室气体", ("greenhouse gas emissions",)),
    Term(r"\bLLMs?\b|大语言模型", ("large language model",)),
    Term(r"\bSOTA\b", ("state of the art", "state-of-the-art")),
    Term(r"\bRCTs?\b", ("randomized controlled trial",)),
    Term(r"\bCIs?\b(?= |\?|$)|confidence intervals?", ("confidence interval",)),
    Term(r"\bIPO\b", ("initial public offering",)),
    Term(r"\bNPV\b", ("net present value",)),
    Term(r"\bTAM\b", ("total addressable market",)),
    Term(r"\bGDP\b", ("gross domestic product",)),
    Term(r"\bCPI\b", ("consumer price index",)),
    Term(r"\bSMEs?\b", ("small and medium-sized enterprises",)),
    Term(r"\bNGOs?\b", ("non-governmental organizations",)),
    Term(r"\bAI\b", ("artificial intelligence",)),
    Term(r"\bML\b", ("machine learning",)),
    Term(r"\bNLP\b", ("natural language processing",)),
    Term(r"\bFAQs?\b", ("frequently asked questions",)),
    Term(r"\bT&Cs?\b", ("terms and conditions",)),
)

PHRASES: tuple[str, ...] = tuple(dict.fromkeys(phrase for term in TERMS for phrase in term.written))
"""All phrases without duplicates."""

_PATTERNS = tuple((re.compile(term.asked, re.IGNORECASE), term.written) for term in TERMS)
# A two-letter abbreviation is matched in upper case only: in lower case it may be a word ("ar", "ap", "ci").
_EXACT = frozenset(term.asked for term in TERMS if re.search(r"\\b[A-Z]{2}s?\\b|\\bC[EF]O\\b|\\bCIs", term.asked))
_CASED = tuple(
    (re.compile(term.asked) if term.asked in _EXACT else pattern, written)
    for term, (pattern, written) in zip(TERMS, _PATTERNS, strict=True)
)


@lru_cache(maxsize=64)
def expansions(question: str) -> tuple[str, ...]:
    """Return the wordings in documents of a question's terms, without duplicates, at most MOST_EXPANSIONS.

    The first phrase of every term comes before the second of any, so that all parts of a question are searched.
    """
    found = [written for pattern, written in _CASED if pattern.search(question)]
    longest = max(map(len, found), default=0)
    turns = (written[turn] for turn in range(longest) for written in found if turn < len(written))
    return tuple(dict.fromkeys(turns))[:MOST_EXPANSIONS]


_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9&./-]*")
_CHINESE = re.compile(r"[\u3400-\u9fff·]{2,}")
# Length in characters of a Chinese form; longer forms are not written out in questions.
_CHINESE_LENGTHS = range(2, 17)
# Limit for pasted text, which is not a question about a term: 80 words already have 900 runs of words.
_MOST_ASKED = 80


class AbbreviationSource(Protocol):
    """Abbreviations that documents define; implemented in store/abbreviation_table.py."""

    def defined(self, forms: Collection[str], filter: ChunkFilter) -> list[Definition]:
        """Return the most common definition of each form that is defined."""
        ...


def defined_forms(question: str, source: AbbreviationSource | None, filter: ChunkFilter) -> tuple[str, ...]:
    """Return the other form of each term in a question whose short and long forms are not both in it.

    Args:
        question: Question as searched.
        source: Definitions in documents; None means that there are none.
        filter: Filter of the search; definitions of other documents do not count.

    Raises:
        NotFound: The filter names an unknown knowledge base.
    """
    forms = set(_find_forms(question))
    if source is None or not forms:
        return ()
    others: dict[str, None] = {}
    for definition in source.defined(forms, filter):
        has_short, has_long = definition.short in forms, phrase_of(definition.long) in forms
        if not (has_short and has_long):
            others[definition.long if has_short else definition.short] = None
    return tuple(others)


def _find_forms(question: str) -> Iterator[str]:
    """Yield all candidates for a short form or a normalised long form; many of them are neither."""
    yield from filter(None, map(short_form, _TOKEN.findall(question)[:_MOST_ASKED]))
    words = stems_of(question)[:_MOST_ASKED]
    for start in range(len(words)):
        for end in range(start + 2, min(len(words), start + MOST_WORDS) + 1):
            yield " ".join(words[start:end])
    for match in _CHINESE.finditer(question):
        run = match[0][:_MOST_ASKED]
        for start in range(len(run)):
            for length in _CHINESE_LENGTHS:
                yield run[start : start + length]
