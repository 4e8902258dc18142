"""A campaign, a topic or a run may be called like a page: that hides neither it nor the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, resolve

OURS = ("accounts", "assess", "metrics", "pooling")
NAME = re.compile(r"<(?:slug|str):(?:slug|tag|number)>")  # which people give


def routes(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, pattern.namespace or space)
        elif space in OURS:
            yield f"{pattern.pattern}"


ROUTES = [*routes(get_resolver("config.urls").url_patterns)]
WORDS = sorted({word for route in ROUTES for word in route.split("/") if re.fullmatch(r"[a-z-]+", word)})


@pytest.mark.parametrize("route", [*filter(NAME.search, ROUTES)])
def test_an_address_leads_to_its_page_whatever_people_call_their_things(route: str) -> None:
    path = re.sub(r"<(\w+):\w+>", lambda hole: hole[0] if NAME.fullmatch(hole[0]) else "7", route)
    for place in range(len(NAME.findall(path))):
        for word in WORDS:
            named = "{}".join(NAME.split(path)).format(*["x"] * place, word, *["x"] * 9)
            assert resolve(f"/{named}").route == route, word
