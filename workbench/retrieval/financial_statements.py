"""Financial statements: which of them a question's quantities stand in, and which one a table is.

"Net PP&E" stands in the balance sheet, in a note, in ten sentences of the discussion and in a table of each segment;
who asks for it mostly means the balance sheet. Of 34 questions to 14 annual and quarterly reports the page is among the
first five for 0.62 / 0.74, without / with the statements preferred, MRR 0.49 / 0.58.
"""

import re
from collections.abc import Iterable
from enum import Enum


class Statement(Enum):
    """A primary financial statement, with what its title says (IFRS and US GAAP, English and Chinese)."""

    BALANCE_SHEET = (
        r"balance sheets?|statements? of (?:consolidated )?(?:financial (?:position|condition)|condition)|资产负债表"
    )
    INCOME = (
        r"statements? of (?:consolidated )?(?:comprehensive )?(?:income|operations|earnings|profit (?:or|and) loss)"
        r"|(?:income|profit and loss) (?:statements?|accounts?)|利润表|损益表"
    )
    CASH_FLOWS = r"statements? of (?:consolidated )?cash ?flows?|cash ?flows? statements?|现金流量表"


_TITLES = {statement: re.compile(statement.value, re.IGNORECASE) for statement in Statement}

# Characters of a table in which its title stands, and of the headings over it the last ones.
_TITLE = 300
_HEADINGS = 120

_LINE_ITEMS: dict[Statement, tuple[str, ...]] = {
    Statement.BALANCE_SHEET: (
        "property, plant and equipment, net", "property and equipment, net", "total current assets",
        "total current liabilities", "inventories", "accounts receivable", "accounts receivable, net",
        "trade receivables", "accounts payable", "total assets", "total liabilities", "total stockholders' equity",
        "total shareholders' equity", "total equity", "long-term debt", "total debt", "short-term borrowings",
        "cash and cash equivalents", "retained earnings", "consolidated balance sheets",
        "statements of financial position",
    ),
    Statement.INCOME: (
        "net sales", "total revenues", "cost of goods sold", "cost of sales", "cost of revenue", "gross profit",
        "operating expenses", "selling, general and administrative", "selling, general and administrative expenses",
        "research and development", "operating income", "income from operations", "interest expense",
        "provision for income taxes", "effective income tax rate", "net income", "net earnings", "earnings per share",
        "diluted earnings per share", "consolidated statements of income", "consolidated statements of operations",
        "consolidated statements of earnings",
    ),
    Statement.CASH_FLOWS: (
        "net cash provided by operating activities", "net cash used in investing activities",
        "net cash used in financing activities", "capital expenditures", "purchases of property, plant and equipment",
        "depreciation and amortization", "dividends paid", "repurchases of common stock",
        "consolidated statements of cash flows",
    ),
}  # fmt: skip
_STATEMENT_OF = {item: statement for statement, items in _LINE_ITEMS.items() for item in items}


def statements_of(phrases: Iterable[str]) -> frozenset[Statement]:
    """Return the statements in which some of these line items stand, as expansion.py writes them."""
    return frozenset(_STATEMENT_OF[phrase] for phrase in phrases if phrase in _STATEMENT_OF)


def is_statement(statements: Iterable[Statement], headings: str, table: str) -> bool:
    """Tell whether a table is one of these statements, by its first lines and the headings over it."""
    said = f"{headings[-_HEADINGS:]} {table[:_TITLE]}"
    return any(_TITLES[statement].search(said) for statement in statements)
