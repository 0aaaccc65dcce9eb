"""Number formats of spreadsheets."""

import pytest

from workbench.parsing.number_format import format_number


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (3.0000000001, "General", "3"),
        (1e15, "General", "1e+15"),
        (123456789012, "General", "123456789012"),
        (2.675, "0.00", "2.68"),
        (1234.5, "#,##0", "1,235"),
        (1500000, '0.0,,"M"', "1.5M"),
        (0.5, "# ?/?", "0.5"),
        (12345, "0.00E+00", "1.23E+04"),
        (-3, "0;0", "-3"),
        (-3, "0;(0)", "(3)"),
        (0, '0;-0;"none"', "none"),
        (0, '_-* #,##0_-;-* #,##0_-;_-* "-"??_-', "-"),
        (-7, '_-* #,##0_-;-* #,##0_-;_-* "-"??_-', "-7"),
        (5, '"No." 0', "No. 5"),
        (7, '0" kg"', "7 kg"),
        (45123, "m/d/yyyy", "2023-07-16"),
        (45123.75, "yyyy-mm-dd hh:mm:ss", "2023-07-16 18:00:00"),
        (0.75, "h:mm AM/PM", "18:00"),
        (1.5, "[h]:mm", "36:00:00"),
        (45123, "mmm-yy", "Jul-23"),
        (45123, "mmmm yyyy", "July 2023"),
        (45123, "dddd", "Sunday"),
        (45123, 'yyyy"年"m"月"d"日"', "2023-07-16"),
        (45123, 'yyyy"年"m"月"', "2023年7月"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (-1, "yyyy-mm-dd", "-1"),
        (1e9, "yyyy-mm-dd", "1000000000"),
        (float("nan"), "0.00", "nan"),
    ],
)
def test_number_is_shown_as_in_the_sheet(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


def test_days_may_count_from_1904() -> None:
    assert format_number(43661, "yyyy-mm-dd", since_1904=True) == "2023-07-16"
