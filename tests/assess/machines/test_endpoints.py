"""Endpoints of the settings, and the addresses to which a connection may be opened."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from assess.endpoints import (
    AddressRefused,
    PrivatePlaces,
    allowed_addresses,
    read_endpoints,
    read_private_places,
)


def endpoint_at(host: str, scheme: str = "https") -> Any:
    return read_endpoints({"JURYPOOL_ENDPOINTS": f"one={scheme}://{host}/v1"})["one"]


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: found)


def test_endpoints_are_read_with_their_keys_which_no_text_shows() -> None:
    environment = {
        "JURYPOOL_ENDPOINTS": "campus=https://llm.campus.example:8443/v1/ local=http://127.0.0.1:11434/v1",
        "JURYPOOL_ENDPOINT_KEY_CAMPUS": "sk-secret",
    }
    campus, local = read_endpoints(environment).values()
    assert (campus.host, campus.port, campus.path, campus.key) == (
        "llm.campus.example",
        8443,
        "/v1",
        "sk-secret",
    )
    assert (local.address, local.key) == ("http://127.0.0.1:11434/v1", "")
    assert "sk-secret" not in f"{campus!r} {campus} {campus.address}"


@pytest.mark.parametrize(
    "entry",
    [
        "nothing", "=https://a.example/v1", "Upper=https://a.example/v1", "a=ftp://a.example/v1", "a=https:///v1",
        "a=https://user:hidden@a.example/v1", "a=https://a.example/v1?key=hidden", "a=https://a.example:99999/v1",
        "a=https://ä.example/v1", "a=https://a.example/v1 a=https://b.example/v1",
    ],
)  # fmt: skip
def test_an_entry_that_is_no_endpoint_is_refused_without_a_secret_in_the_message(entry: str) -> None:
    with pytest.raises(ValueError, match="JURYPOOL_ENDPOINTS: expected") as refused:
        read_endpoints({"JURYPOOL_ENDPOINTS": entry})
    assert "hidden" not in str(refused.value)


def test_a_key_that_would_break_a_header_is_refused_without_the_key_in_the_message() -> None:
    environment = {
        "JURYPOOL_ENDPOINTS": "a=https://a.example/v1",
        "JURYPOOL_ENDPOINT_KEY_A": "hidden\r\nX: 1",
    }
    with pytest.raises(ValueError, match="JURYPOOL_ENDPOINT_KEY_A: expected") as refused:
        read_endpoints(environment)
    assert "hidden" not in str(refused.value)


REFUSED = [
    "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
    "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fd00::1",
    "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::", "2001:0:7f00:1::", "ff02::1", "fec0::1", "2001:db8::1",
]  # fmt: skip


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    resolve_to(monkeypatch, "9.9.9.9", address)  # one public address does not help
    with pytest.raises(AddressRefused, match="not public"):
        allowed_addresses(endpoint_at("judge.example"), PrivatePlaces())


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "localhost", "[::1]",
             "[::ffff:7f00:1]", "169.254.169.254"],
)  # fmt: skip
def test_other_forms_of_an_address_are_refused_as_what_they_resolve_to(host: str) -> None:
    with pytest.raises(AddressRefused, match="not public"):
        allowed_addresses(endpoint_at(host), PrivatePlaces())


@pytest.mark.parametrize("address", ["9.9.9.9", "2620:fe::fe"])
def test_a_public_address_is_allowed_with_https_only(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    resolve_to(monkeypatch, address)
    assert allowed_addresses(endpoint_at("judge.example"), PrivatePlaces()) == [address]
    with pytest.raises(AddressRefused, match="must begin with https"):
        allowed_addresses(endpoint_at("judge.example", "http"), PrivatePlaces())


@pytest.mark.parametrize(
    ("listed", "address", "allowed"),
    [
        ("10.1.0.0/16", "10.1.2.3", True),
        ("10.1.0.0/16", "10.2.0.1", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("judge.example", "192.168.1.5", True),
        ("judge.example", "127.0.0.1", True),
        ("judge.example", "169.254.169.254", False),  # where clouds serve secrets: only by its address
        ("judge.example", "0.0.0.0", False),
        ("169.254.169.254", "169.254.169.254", True),
        ("other.example", "192.168.1.5", False),
    ],
)
def test_a_private_address_is_allowed_if_it_is_listed(
    monkeypatch: pytest.MonkeyPatch, listed: str, address: str, allowed: bool
) -> None:
    resolve_to(monkeypatch, address)
    places = read_private_places(listed)
    if allowed:
        assert allowed_addresses(endpoint_at("judge.example", "http"), places) == [address]
    else:
        with pytest.raises(AddressRefused):
            allowed_addresses(endpoint_at("judge.example", "http"), places)


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="JURYPOOL_PRIVATE_ENDPOINTS: expected"):
        read_private_places("10.0.0.1/8")
