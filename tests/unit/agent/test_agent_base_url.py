"""Server addresses as typed by users."""

import pytest

from workbench.agent.providers.base_url import is_loopback, normalise
from workbench.errors import SettingError


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        (" http://localhost:11434/v1/ ", "http://localhost:11434/v1"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("localhost:1234", "http://localhost:1234/v1"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("192.168.1.5:8000", "http://192.168.1.5:8000/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("HTTPS://API.Example.com/V1beta", "https://api.example.com/V1beta"),
        ("http://host/v1/chat/completions", "http://host/v1"),
        ("http://host/v1/responses/", "http://host/v1"),
        ("http://host//v1//", "http://host/v1"),
        ("http://host/api/v3", "http://host/api/v3"),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
        ("http://host/v1#part", "http://host/v1"),
    ],
)
def test_an_address_is_made_a_base_url(typed: str, expected: str) -> None:
    assert normalise(typed) == expected


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "empty"),
        ("http://my server/v1", "space"),
        ("ftp://host/v1", "ftp"),
        ("http:///v1", "no server"),
        ("http://host:port/v1", "not a valid URL"),
        ("http://[::1/v1", "not a valid URL"),
        ("http://me:secret@host/v1", "password"),
        ("http://host/v1?x=1", "“?”"),
    ],
)
def test_an_invalid_server_address_is_rejected_with_the_reason(typed: str, said: str) -> None:
    with pytest.raises(SettingError) as caught:
        normalise(typed)
    assert said in caught.value.message
    assert caught.value.hint
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.8.0.1/v1", True),
        ("http://[::1]/v1", True),
        ("http://localhost.example.com/v1", False),
        ("http://192.168.1.5/v1", False),
    ],
)
def test_this_machine_is_recognised(base_url: str, expected: bool) -> None:
    assert is_loopback(base_url) is expected
