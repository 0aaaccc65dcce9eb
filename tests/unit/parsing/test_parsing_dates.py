"""Dates in the notations of documents."""

import pytest

from workbench.parsing.dates import iso_date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2021-03-04", "2021-03-04"),
        ("2021/3/4", "2021-03-04"),
        ("2021年3月4日", "2021-03-04"),
        ("2021-03", "2021-03"),
        ("1949", "1949"),
        ("2021-03-04T05:06:07Z", "2021-03-04T05:06:07+00:00"),
        ("2021-03-04 05:06:07.123 +0200", "2021-03-04T05:06:07+0200"),
        ("4 March 2021", "2021-03-04"),
        ("March 4th, 2021", "2021-03-04"),
        ("04.03.2021", "2021-03-04"),
        ("March 2021", "2021-03"),
        ("Thu, 04 Mar 2021 05:06:07 +0000", "2021-03-04T05:06:07+00:00"),
        ("03/04/2021", ""),
        ("2021-13-45", ""),
        ("soon", ""),
        ("", ""),
    ],
)
def test_date_is_iso_or_nothing(text: str, date: str) -> None:
    assert iso_date(text) == date
