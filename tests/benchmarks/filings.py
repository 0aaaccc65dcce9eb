"""Generator of annual reports of fictional companies: the same pages for every company and year, with other numbers.

Only the file's name and a few words identify the company of a report, which is what makes real filings hard to search.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pymupdf

COMPANIES = {
    "HALDENFOODS": ("Halden Foods", "packaged foods", ("Snacks", "Frozen Meals", "Beverages")),
    "NORTHMOORPAPER": ("Northmoor Paper", "packaging and paper", ("Containerboard", "Tissue", "Specialty Papers")),
    "CALDERAIR": ("Calder Air", "passenger and cargo aviation", ("Domestic", "Atlantic", "Cargo")),
    "VESTRAHEALTH": ("Vestra Health", "medical devices", ("Imaging", "Implants", "Diagnostics")),
}
YEARS = (2020, 2021, 2022)

# A page: its heading, the names of its lines, and the text above them.
_STATEMENTS = {
    "CONSOLIDATED STATEMENTS OF INCOME": "Net sales; Cost of goods sold; Gross profit; Selling and administrative "
    "expenses; Research and development; Operating income; Interest expense, net; Net income; Diluted earnings a share",
    "CONSOLIDATED BALANCE SHEETS": "Cash and cash equivalents; Accounts receivable, net; Inventories; Current assets; "
    "Property, plant and equipment, net; Goodwill; Total assets; Accounts payable; Long-term debt; Total equity",
    "CONSOLIDATED STATEMENTS OF CASH FLOWS": "Net cash provided by operating activities; Depreciation; "
    "Purchases of property, plant and equipment; Acquisitions, net of cash acquired; Dividends paid; Repurchases of "
    "common stock; Proceeds from issuance of long-term debt; Net change in cash",
    "NOTE 4. INVENTORIES": "Raw materials; Work in process; Finished goods; Reserve for obsolescence",
    "NOTE 6. LEASES": "Operating lease cost; Finance lease cost; Weighted-average remaining term; Discount rate",
    "NOTE 7. DEBT": "Term loan; Senior notes due 2031; Revolving credit facility; Commercial paper",
    "NOTE 9. INCOME TAXES": "Federal; State and local; Foreign; Effective tax rate; Unrecognized benefits",
    "NOTE 11. SHARE-BASED COMPENSATION": "Stock options; Restricted stock units; Performance shares",
    "NOTE 12. PENSION PLANS": "Service cost; Interest cost; Expected return on plan assets; Funded status",
    "NOTE 14. COMMITMENTS AND CONTINGENCIES": "Purchase obligations; Letters of credit; Environmental reserve",
    "SELECTED QUARTERLY DATA (UNAUDITED)": "First quarter; Second quarter; Third quarter; Fourth quarter",
}
_PROSE = {
    "ITEM 1. BUSINESS": "The company makes and sells {trade} products. At year end it employed about {a} people in "
    "{b} countries. No customer accounted for more than {c} percent of net sales.",
    "ITEM 1A. RISK FACTORS": "Prices of energy and raw materials move, and may not be passed on. Customers may merge. "
    "A failure of information systems, or an attack on them, could interrupt operations.",
    "ITEM 2. PROPERTIES": "The company owns {b} plants and leases {c} warehouses. Its head office has {a} square feet.",
    "ITEM 3. LEGAL PROCEEDINGS": "The company is a party to {c} lawsuits about patents and employment. It holds the "
    "outcome to be immaterial, and has set aside ${b} million.",
    "ITEM 5. MARKET FOR COMMON EQUITY": "There were {a} holders of record. The board authorised the repurchase of "
    "${b} million of shares, of which ${c} million remain.",
    "ITEM 7. MANAGEMENT'S DISCUSSION AND ANALYSIS": "Net sales changed by {c} percent as prices and volumes did. "
    "Gross margin was helped by productivity and hurt by freight. Restructuring cost ${b} million.",
    "LIQUIDITY AND CAPITAL RESOURCES": "Cash from operations is the main source of liquidity. The credit facility of "
    "${a} million was undrawn. Capital spending of ${b} million is planned for next year.",
    "ITEM 7A. MARKET RISK": "A rise of interest rates by one percentage point would cost "
    "${c} million a year; a fall of the euro by ten percent ${b} million.",
    "ITEM 9A. CONTROLS AND PROCEDURES": "Management holds that internal control over financial reporting was effective "
    "at year end. There was no change during the fourth quarter that would affect it.",
    "ITEM 10. DIRECTORS AND GOVERNANCE": "The board has {c} members, of whom all but two are independent. The audit "
    "committee met {b} times.",
}
_FILLER = (
    "The amounts are in millions of dollars unless stated otherwise. They were prepared in conformity with accounting "
    "principles generally accepted in the United States, which require estimates. Actual results could differ. "
    "Certain amounts of prior years were put in line with the present presentation. "
)

# Questions, worded differently from the reports, and the page with the answer.
ASKED = (
    ("How much did {company} spend on capital expenditure in FY{year}?", "CONSOLIDATED STATEMENTS OF CASH FLOWS"),
    ("What was the {year} revenue of {company}?", "CONSOLIDATED STATEMENTS OF INCOME"),
    ("How much stock did {company} hold as finished goods at the end of {year}?", "NOTE 4. INVENTORIES"),
    ("What is {company}'s effective tax rate for FY{year}?", "NOTE 9. INCOME TAXES"),
    ("How many people work for {company} according to its {year} 10-K?", "ITEM 1. BUSINESS"),
    ("What would a rise in interest rates cost {company}? Use the {year} filing.", "ITEM 7A. MARKET RISK"),
    ("Which segment of {company} sold most in {year}?", "NOTE 16. SEGMENTS"),
    ("How well funded were the pensions of {company} in {year}?", "NOTE 12. PENSION PLANS"),
    ("What does the {year} report of {company} say about lawsuits?", "ITEM 3. LEGAL PROCEEDINGS"),
    ("How much goodwill does {company} have on its books at the end of {year}?", "CONSOLIDATED BALANCE SHEETS"),
)


@dataclass(frozen=True)
class Question:
    """A question, the name of the report that answers it, and its page."""

    text: str
    name: str
    page: int


def write_filings(folder: Path) -> tuple[Question, ...]:
    """Write one PDF per company and year; return 40 questions, one per report and kind of page."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = []
    for number, (key, year) in enumerate((key, year) for key in COMPANIES for year in YEARS):
        company, trade, segments = COMPANIES[key]
        name = f"{key}_{year}_10K.pdf"
        pages = list(_pages(random.Random(f"{key} {year}"), company, year, trade, segments))
        _write(folder / name, [page for _, page in pages])
        headings = [heading for heading, _ in pages]
        for place, (text, heading) in enumerate(ASKED):
            if (number + place) % 3 == 0:
                asked.append(Question(text.format(company=company, year=year), name, headings.index(heading) + 1))
    return tuple(asked)


def _pages(
    luck: random.Random, company: str, year: int, trade: str, segments: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the heading and HTML of each page."""
    cover = "<h2>UNITED STATES SECURITIES AND EXCHANGE COMMISSION</h2><p>FORM 10-K</p><p>Annual report for the fiscal"
    yield "COVER", f"{cover} year ended December 31, {year}</p><p>{company}, Inc.</p>"
    for heading, text in _PROSE.items():
        said = text.format(trade=trade, a=luck.randint(900, 90_000), b=luck.randint(3, 90), c=luck.randint(2, 40))
        yield heading, f"<h3>{escape(heading)}</h3><p>{escape(said)}</p><p>{_FILLER * luck.randint(2, 5)}</p>"
    for heading, lines in {**_STATEMENTS, "NOTE 16. SEGMENTS": "; ".join((*segments, "Corporate"))}.items():
        rows = "".join(
            f"<tr><td>{escape(line)}</td>" + "".join(f"<td>{luck.randint(20, 9000):,}</td>" for _ in range(3)) + "</tr>"
            for line in lines.split("; ")
        )
        head = "<tr><th>(in millions)</th>" + "".join(f"<th>{year - back}</th>" for back in range(3)) + "</tr>"
        table = f'<table border="1" style="border-collapse:collapse">{head}{rows}</table>'
        yield heading, f"<h3>{escape(heading)}</h3>{table}<p>{_FILLER * luck.randint(1, 4)}</p>"


def _write(path: Path, pages: Sequence[str]) -> None:
    with pymupdf.open() as made:
        for number, page in enumerate(pages, start=1):
            sheet = made.new_page()
            sheet.insert_htmlbox(pymupdf.Rect(60, 60, 540, 760), page)
            sheet.insert_text((290, 800), str(number), fontsize=9)
        made.save(path)
