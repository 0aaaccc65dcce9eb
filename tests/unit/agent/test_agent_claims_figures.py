"""Numbers as values, in any notation."""

import pytest

from workbench.agent.claims.quantities import missing_numbers, numbers_in, values_in


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("It costs 1,234.5 euros.", "It costs 1234.5 euros."),
        ("A share of 12 %.", "A share of 12 percent."),
        ("A share of 12%.", "Twelve percent."),
        ("There were 2 pumps.", "There were two pumps."),
        ("There were 21 pumps.", "There were twenty-one pumps."),
        ("There were 300,000 people.", "Three hundred thousand people came."),
        ("Sales of 1.2 million.", "Sales of 1,234,567 in all."),
        ("It is 47 m deep.", "It is 47.3 m deep."),
        ("On 5 May 2020.", "Date: 2020-05-05"),
        ("2020年5月5日", "May 5, 2020"),
        ("共有3万人。", "共有30,000人。"),
        ("共有1200人。", "共有一千二百人。"),
        ("成立于2021年。", "成立于二〇二一年。"),
        ("在１９年里。", "在19年里。"),
        ("The 19th century.", "the nineteenth century (1801 to 1900), or century 19"),
        ("The B12 pump.", "The pump."),
    ],
)
def test_e37_the_same_number_written_otherwise_is_no_other_number(claim: str, passage: str) -> None:
    assert missing_numbers(numbers_in(claim), values_in(passage)) == ()


@pytest.mark.parametrize(
    ("claim", "passage", "missing"),
    [
        ("It rose by 13 %.", "It rose by 12 %.", ("13",)),
        ("In 1998 and in 1999.", "In 1998.", ("1999",)),
        ("Sales of 1.3 million.", "Sales of 1,234,567.", ("1.3 million",)),
        ("It is 50 m deep.", "It is 45.2 m deep.", ("50",)),
        ("共有4万人。", "共有三万人。", ("4万",)),
        ("In 1998.", "In 1997 or 19,98.", ("1998",)),
    ],
)
def test_e37_an_invented_number_is_found(claim: str, passage: str, missing: tuple[str, ...]) -> None:
    assert missing_numbers(numbers_in(claim), values_in(passage)) == missing


@pytest.mark.parametrize("text", ["", "9" * 400, "1e999", "一" * 400, "½ ² ٣", "1,2,3,4", "万亿", "thousand million"])
def test_any_text_has_values(text: str) -> None:
    assert isinstance(values_in(text), frozenset)
