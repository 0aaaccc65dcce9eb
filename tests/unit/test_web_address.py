"""The target of an address is the one that machines use, not the one it seems to name."""

import pytest

from workbench.model.web_address import distinguishing_site, may_be_opened, site_of, warnings_of


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://example.org/a?b", "example.org"),
        ("HTTPS://EXAMPLE.org:8443/", "example.org"),
        ("https://bank.example@evil.example/", "evil.example"),
        ("https://bank.example%2Flogin@evil.example/", "evil.example"),
        ("https://b\u0430nk.example/", "xn--bnk-6cd.example"),
        ("https://b%D0%B0nk.example/", "xn--bnk-6cd.example"),
        ("mailto:me@example.org?subject=x", "me@example.org"),
        ("http://[bad/", ""),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("//example.org/x", ""),
        ("\\\\server\\share", ""),
        ("", ""),
    ],
)
def test_the_site_is_the_one_that_machines_go_to(address: str, site: str) -> None:
    assert site_of(address) == site
    assert may_be_opened(address) is bool(site)


def test_misleading_parts_of_an_address_give_warnings() -> None:
    assert warnings_of("https://example.org/@me") == ()
    assert "real spelling" in warnings_of("https://b\u0430nk.example/")[0]
    assert "“@”" in warnings_of("https://bank.example@evil.example/")[0]


@pytest.mark.parametrize(
    "label", ["1", "[2]", "¹", "", "→", "bank.example", "https://bank.example/", "evil.example.bank.example"]
)
def test_link_text_that_could_be_mistaken_for_something_else_is_followed_by_the_site(label: str) -> None:
    assert distinguishing_site(label, "https://evil.example/x") == "evil.example"


@pytest.mark.parametrize("label", ["the manual", "evil.example", "https://www.evil.example/page", "see 4.2", "手册"])
def test_unambiguous_link_text_is_shown_without_the_site(label: str) -> None:
    assert distinguishing_site(label, "https://evil.example/x") == ""


def test_a_long_site_name_is_truncated_to_its_end_which_identifies_the_owner() -> None:
    assert distinguishing_site("1", f"https://{'bank.example.' * 12}evil.example/").endswith(
        ".bank.example.evil.example"
    )
