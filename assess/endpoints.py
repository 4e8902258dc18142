"""Endpoints of language models: their list, and the addresses to which a connection may be opened."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from pooling.refusals import Refused

NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
KEY = re.compile(r"[A-Za-z0-9._~+/=:-]+")  # characters that a header and a JSON string hold unchanged
PORTS = {"http": 80, "https": 443}
GLOBAL_IPV6 = IPv6Network("2000::/3")
NOT_PUBLIC = "The host {} of the endpoint has the address {}, which is not public and not in the list"
UNKNOWN_HOST = "The name {} of the endpoint's host cannot be resolved."
NEEDS_HTTPS = "The endpoint has a public address, so its address must begin with https."


class AddressRefused(Refused):
    """The host of an endpoint may not be connected to."""


class HostUnknown(Refused):
    """The name of a host has no address now."""


@dataclass(frozen=True)
class Endpoint:
    """A server with the chat completions format. path: up to the version. key: "" if it needs none."""

    name: str
    scheme: str
    host: str
    port: int
    path: str
    key: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """The address for people, without the key."""
        return f"{self.scheme}://{self.host_header}{self.path}"

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def read_endpoints(environment: Mapping[str, str]) -> dict[str, Endpoint]:
    """Return name -> endpoint of JURYPOOL_ENDPOINTS, each with its key. Raises ValueError without secrets.

    >>> read_endpoints({"JURYPOOL_ENDPOINTS": "local=http://127.0.0.1:11434/v1"})["local"].address
    'http://127.0.0.1:11434/v1'
    """
    endpoints: dict[str, Endpoint] = {}
    for entry in environment.get("JURYPOOL_ENDPOINTS", "").split():
        name, _, url = entry.partition("=")
        if not NAME.fullmatch(name) or name in endpoints:
            raise ValueError(
                "JURYPOOL_ENDPOINTS: expected entries NAME=ADDRESS with different names of small letters, "
                f"digits and underscores; entry {len(endpoints) + 1} is none"
            )
        key = environment.get(f"JURYPOOL_ENDPOINT_KEY_{name.upper()}", "").strip()
        if key and not KEY.fullmatch(key):
            raise ValueError(f"JURYPOOL_ENDPOINT_KEY_{name.upper()}: expected a key of ASCII characters")
        endpoints[name] = _endpoint(name, url, key)
    return endpoints


def _endpoint(name: str, url: str, key: str) -> Endpoint:
    try:
        place = urlsplit(url)
        port = place.port or PORTS[place.scheme]
    except (ValueError, KeyError):
        place = urlsplit("")
    if not place.hostname or not url.isascii() or "@" in place.netloc or place.query or place.fragment:
        raise ValueError(
            f"JURYPOOL_ENDPOINTS: expected the address of {name} as https://host/v1, without a user name, "
            f"a password or a query; a key is in JURYPOOL_ENDPOINT_KEY_{name.upper()}"
        )
    return Endpoint(name, place.scheme, place.hostname, port, place.path.rstrip("/"), key)


class PrivatePlaces(NamedTuple):
    """Hosts and networks that may be connected to although their addresses are not public."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[str, ...] = ()

    def allow(self, host: str, address: IPv4Address | IPv6Address) -> bool:
        """Whether this address of the host is in the list.

        The name of a host does not allow its link-local addresses, at which clouds serve their secrets.
        """
        if any(address in ip_network(network) for network in self.networks):
            return True
        usable = address.is_private and not (address.is_link_local or address.is_unspecified)
        return host in self.hosts and usable and not address.is_multicast


def read_private_places(text: str) -> PrivatePlaces:
    """Return the hosts, addresses and networks of JURYPOOL_PRIVATE_ENDPOINTS. Raises ValueError."""
    hosts, networks = set(), []
    for entry in text.split():
        try:
            networks.append(str(ip_network(entry)))
        except ValueError as error:
            if "/" in entry or ":" in entry:
                raise ValueError(
                    "JURYPOOL_PRIVATE_ENDPOINTS: expected host names, addresses and networks such as "
                    f"10.1.0.0/16, found {entry}"
                ) from error
            hosts.add(entry.lower())
    return PrivatePlaces(frozenset(hosts), tuple(networks))


def allowed_addresses(endpoint: Endpoint, private: PrivatePlaces) -> list[str]:
    """Resolve the host of an endpoint, and return its addresses if all of them may be connected to.

    Connect to one of these, not to the name: it could resolve to another address the next time. Raises
    AddressRefused and HostUnknown.
    """
    try:
        resolved = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise HostUnknown(UNKNOWN_HOST.format(endpoint.host)) from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in resolved))
    for text in addresses:
        address = ip_address(text)
        listed = private.allow(endpoint.host, address)
        if not listed and not is_public(address):
            raise AddressRefused(
                f"{NOT_PUBLIC.format(endpoint.host, text)} JURYPOOL_PRIVATE_ENDPOINTS of the installation."
            )
        if endpoint.scheme == "http" and not listed:
            raise AddressRefused(NEEDS_HTTPS)
    return addresses


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is reachable on the internet and leads nowhere else.

    >>> is_public(ip_address("169.254.169.254")), is_public(ip_address("9.9.9.9"))
    (False, True)
    """
    if isinstance(address, IPv6Address) and (address not in GLOBAL_IPV6 or address.sixtofour):
        return False  # it holds an IPv4 address, or belongs to one network or host
    return address.is_global and not address.is_multicast
