"""Addresses as typed, and the machines that they resolve to."""

import asyncio
import ipaddress
import socket

import pytest
from gates import ON, kept_gate

from workbench.egress.gate import PendingRequest
from workbench.errors import AddressRefused, NetworkClosed, PageNotFetched
from workbench.fetching.address import LONGEST, AddressGuard, addresses_to_ask, is_public, resolve_redirect, web_address
from workbench.model.egress import NetworkOutcome, Purpose


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (" https://example.org/a#part ", "https://example.org/a"),
        ("example.org", "https://example.org"),
        ("localhost:8000/x", "https://localhost:8000/x"),
        ("HTTP://Example.ORG/A?b=c", "http://example.org/A?b=c"),
        ("https://例え.jp/ä", "https://xn--r8jz45g.jp/%C3%A4"),
    ],
)
def test_e7_an_address_is_completed(typed: str, meant: str) -> None:
    assert web_address(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://",
        "https://user:secret@example.org/",
        "https://exa mple.org/",
        "https://example.org/\u202efdp.exe",
        "https://example.org/" + "a" * 5000,
        "",
    ],
)
def test_e7_other_addresses_are_refused(typed: str) -> None:
    with pytest.raises(AddressRefused):
        web_address(typed)


def test_a_refusal_does_not_repeat_the_password() -> None:
    with pytest.raises(AddressRefused) as refusal:
        web_address("https://user:hunter2@example.org/")
    assert "hunter2" not in str(refusal.value)


def test_e7_a_redirect_away_from_the_web_is_refused() -> None:
    assert resolve_redirect("https://example.org/a/b", "../c") == "https://example.org/c"
    with pytest.raises(AddressRefused):
        resolve_redirect("https://example.org/", "file:///etc/passwd")


# Both of IANA's special-purpose address registries (2026), except globally reachable blocks.
_IPV4_SPECIAL = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/29"),
    *("192.0.0.170/32", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"),
    *("203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32"),
)
_IPV6_SPECIAL = (
    *("::/128", "::1/128", "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23"),
    *("2001::/32", "2001:2::/48", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10"),
    "ff00::/8",
)
_HOLDING_IPV4 = ("::{}", "::ffff:{}", "::ffff:0:{}", "64:ff9b::{}", "64:ff9b:1::{}", "2606:4700::5efe:{}")


@pytest.mark.parametrize("block", [*_IPV4_SPECIAL, *_IPV6_SPECIAL])
def test_e7_no_special_purpose_address_is_public(block: str) -> None:
    network = ipaddress.ip_network(block)
    for address in (network[0], network[-1], network[network.num_addresses // 2]):
        assert not is_public(str(address))


@pytest.mark.parametrize("form", _HOLDING_IPV4)
@pytest.mark.parametrize("inside", ["127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1"])
def test_e7_no_ipv6_form_of_a_private_address_is_public(form: str, inside: str) -> None:
    assert not is_public(form.format(inside))


@pytest.mark.parametrize("address", ["2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"])
def test_e7_no_tunnel_into_this_network_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:4700::1111", "2a00:1450::1", "::ffff:93.184.216.34", "64:ff9b::93.184.216.34"]
)
def test_machines_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


def _resolved(host: str, *found: str, allow_private: bool = False) -> list[str]:
    async def lookup(_host: str, _port: int) -> list[str]:
        return list(found)

    return asyncio.run(AddressGuard(allow_private=allow_private, lookup=lookup).addresses(host, 80))


def test_e7_a_name_of_a_private_address_is_refused_unless_allowed() -> None:
    with pytest.raises(AddressRefused):
        _resolved("printer.example.org", "192.168.1.7")
    assert _resolved("printer.example.org", "192.168.1.7", allow_private=True) == ["192.168.1.7"]


def test_e7_of_several_addresses_only_the_public_ones_are_asked() -> None:
    assert _resolved("both.example.org", "127.0.0.1", "93.184.216.34") == ["93.184.216.34"]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "127.1"])
def test_e7_loopback_is_refused_however_it_is_written(host: str) -> None:
    with pytest.raises((AddressRefused, PageNotFetched)):
        asyncio.run(AddressGuard().addresses(host, 80))


def test_an_unknown_host_name_is_reported() -> None:
    async def lookup(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(PageNotFetched, match=r"no server “nowhere\.invalid”"):
        asyncio.run(AddressGuard(lookup=lookup).addresses("nowhere.invalid", 80))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("//example.org/a", "https://example.org/a"),
        ("example.org:8080", "https://example.org:8080"),
        ("EXAMPLE.org:8080/a", "https://example.org:8080/a"),
        ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/"),
        ("https://example.org/a?b=c#", "https://example.org/a?b=c"),
    ],
)
def test_an_address_without_scheme_may_have_a_port(typed: str, meant: str) -> None:
    assert web_address(typed) == meant


def test_the_longest_address_is_taken_and_one_character_more_is_not() -> None:
    longest = "https://example.org/".ljust(LONGEST, "a")
    assert web_address(longest) == longest
    with pytest.raises(AddressRefused, match=r"“https://example\.org/a{59}…” is not"):
        web_address(longest + "a")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("FTP://example.org/", "“ftp:” addresses are not fetched"),
        ("https://", "contains no server name"),
        ("https://user:secret@example.org/", "holds a user name or a password"),
        ("https://user@example.org/", "holds a user name or a password"),
        ("https://example.org:port/", "is not a web address"),
        ("https://exa mple.org/", "“https://exa mple.org/” is not a web address"),
        ("https://exa\n\t mple.org/", "“https://exa mple.org/” is not a web address"),
        (f"https://{'a ' * 35}b/", f"“https://{'a ' * 35}b/” is not a web address"),
        (f"https://{'a ' * 35}bc/", f"“https://{'a ' * 35}b…” is not a web address"),
    ],
)
def test_the_reason_for_rejecting_an_address_is_reported(typed: str, said: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        web_address(typed)
    assert said in refused.value.message


@pytest.mark.parametrize(
    ("typed", "hint"), [("file:///etc/passwd", "with “Add files…”"), ("ftp://example.org/", "with https://")]
)
def test_an_unsupported_address_gets_a_hint_with_the_alternative(typed: str, hint: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        web_address(typed)
    assert hint in str(refused.value.hint)


@pytest.mark.parametrize("location", [" http://other.example.org/x ", "HTTP://other.example.org/x"])
def test_a_redirect_may_lead_to_another_server(location: str) -> None:
    assert resolve_redirect("https://example.org/", location) == "http://other.example.org/x"


@pytest.mark.parametrize("location", ["https://[broken/", "ftp://example.org/", "javascript:alert(1)"])
def test_an_invalid_redirect_is_reported_with_its_target(location: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        resolve_redirect("https://example.org/", location)
    assert f"redirects to “{location}”" in refused.value.message


@pytest.mark.parametrize(
    ("address", "is_it"),
    [
        ("2002:5db8:d822::1", True),
        ("2002:a00:1::1", False),
        ("2606:4700::5efe:5db8:d822", True),
        ("2606:4700::200:5efe:5db8:d822", True),
        ("2606:4700::200:5efe:a00:1", False),
        ("2606:4700::5eff:a00:1", True),
        ("64:ff9b::a00:1", False),
        ("192.88.99.1", False),
        ("192.88.98.255", True),
        ("224.0.1.1", False),
    ],
)
def test_an_address_that_holds_another_is_public_where_both_are(address: str, is_it: bool) -> None:
    assert is_public(address) is is_it


@pytest.mark.parametrize("host", ["printer.example.org", "Printer.Example.ORG"])
def test_a_host_that_the_user_put_into_the_settings_is_asked_wherever_it_is(host: str) -> None:
    async def lookup(_host: str, _port: int) -> list[str]:
        return ["192.168.1.7"]

    guard = AddressGuard(lookup=lookup, chosen=frozenset({"printer.example.org"}))
    assert asyncio.run(guard.addresses(host, 80)) == ["192.168.1.7"]
    with pytest.raises(AddressRefused, match=r"192\.168\.1\.7"):
        asyncio.run(guard.addresses("other.example.org", 80))


def test_a_number_is_not_looked_up_and_a_name_without_address_is_unknown() -> None:
    assert _resolved("[2606:4700::1111]") == ["2606:4700::1111"]
    with pytest.raises(PageNotFetched):
        _resolved("empty.example.org")


def test_a_name_that_cannot_be_one_is_unknown() -> None:
    async def lookup(_host: str, _port: int) -> list[str]:
        raise UnicodeError("label too long")

    with pytest.raises(PageNotFetched):
        asyncio.run(AddressGuard(lookup=lookup).addresses("a" * 70, 80))


async def _unknown(_host: str, _port: int) -> list[str]:
    raise socket.gaierror(-2, "Name or service not known")


def test_in_offline_mode_no_name_is_looked_up() -> None:
    looked_up: list[str] = []

    async def lookup(host: str, _port: int) -> list[str]:
        looked_up.append(host)
        return ["93.184.216.34"]

    asked = PendingRequest(Purpose.WEB_PAGE, "example.org", 81, "http://example.org:81/a")
    with kept_gate(lambda: ON) as (gate, ledger):
        with pytest.raises(NetworkClosed):
            asyncio.run(addresses_to_ask(AddressGuard(lookup=lookup), gate, asked))
        assert (ledger.last.outcome, ledger.last.port, ledger.last.address) == (
            NetworkOutcome.REFUSED,
            81,
            "http://example.org:81/a",
        )
    with kept_gate() as (gate, ledger):
        assert asyncio.run(addresses_to_ask(AddressGuard(lookup=lookup), gate, asked)) == ["93.184.216.34"]
        assert not ledger.requests
    assert looked_up == ["example.org"]


@pytest.mark.parametrize(("host", "rows"), [("nowhere.invalid", 1), ("10.0.0.1", 0), ("[::1]", 0)])
def test_a_failed_host_name_lookup_is_in_the_ledger_and_a_rejected_ip_address_is_not(host: str, rows: int) -> None:
    with kept_gate() as (gate, ledger):
        with pytest.raises((PageNotFetched, AddressRefused)):
            asyncio.run(
                addresses_to_ask(AddressGuard(lookup=_unknown), gate, PendingRequest(Purpose.WEB_PAGE, host, 80))
            )
        gate.settle()
        outcomes = [(one.outcome, "no server" in one.note) for one in ledger.requests.values()]
        assert outcomes == [(NetworkOutcome.FAILED, True)] * rows
