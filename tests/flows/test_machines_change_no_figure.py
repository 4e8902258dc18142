"""The labels of a program change no figure of people, on any page and in any file of a campaign.

Every page and file to which links lead is read without labels of a program, with them, and after they were
withdrawn.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import resolve

from accounts.models import User
from assess.models import Source
from assess.services.sources import withdraw_source
from config.demo import campaign as demonstration
from config.management.commands.load_demo import find_or_create_person
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.markup import markup

MOST = 3  # addresses of one view, in the order in which links lead to them
CHANGING = re.compile(  # from one request to the next
    r'name="(?:csrfmiddlewaretoken|request_key)" value="[^"]*"|nonce="[^"]*"|hx-headers=\'[^\']*\''
)
Pages = dict[str, str]


def read(client: Client, url: str) -> str | None:
    """Return the content of a page or a file; None for what cannot be had."""
    response = client.get(url)
    if response.status_code != 200:
        return None
    if response.streaming:
        return b"".join(response).decode("latin-1")  # type: ignore[arg-type]
    return CHANGING.sub("", markup(response)) if "html" in response["Content-Type"] else response.content.decode("latin-1")


def crawled(client: Client, campaign: Campaign) -> Pages:
    """Return address -> content, of what links of the campaign lead to, at most MOST of each view."""
    home = f"/campaigns/{campaign.slug}/"
    waiting, pages, seen = deque([home]), dict[str, str](), Counter[str]()
    known = {home}
    while waiting:
        url = waiting.popleft()
        content = read(client, url)
        if content is None:
            continue
        pages[url] = content
        for link in re.findall(r'(?:href|hx-get)="([^"]+)"', content):
            linked = urljoin(url, unescape(link)).partition("#")[0]
            path = urlsplit(linked).path
            if linked in known or not path.startswith((home, f"/public/{campaign.slug}/", f"/api/campaigns/{campaign.slug}/")):
                continue
            known.add(linked)
            name = resolve(path).view_name
            seen[name] += 1
            if seen[name] <= MOST:
                waiting.append(linked)
    return pages


def test_try(make: Factory) -> None:
    campaign = make_lived_campaign(make)
    make.publish(campaign)
    for who in ("carol", "alice", ""):
        client = Client()
        if who:
            client.force_login(make.make_user(who))
        before = crawled(client, campaign)
        again = {url: read(client, url) for url in before}
        print(who, len(before), Counter(resolve(urlsplit(u).path).view_name for u in before))
        for url in before:
            if before[url] != again[url]:
                a, b = before[url].split("<"), again[url].split("<")
                print("CONTROL", url, [x for x in a if x not in b][:3], [x for x in b if x not in a][:3])
        m = make.make_machine(campaign, "1 0 D1 0\n1 0 D2 3\n1 0 D3 3\n2 0 D1 3\n", name=f"rob{who}")
        after = {url: read(client, url) for url in before}
        for url in before:
            if before[url] != after[url]:
                a, b = before[url].split("<"), after[url].split("<")
                print("DIFF", who, url, [x for x in a if x not in b][:6], [x for x in b if x not in a][:6])
        withdraw_source(m, make.make_user("carol"), "x")
        after = {url: read(client, url) for url in before}
        for url in before:
            if before[url] != after[url]:
                a, b = before[url].split("<"), after[url].split("<")
                print("WITHDRAWN", who, url, [x for x in a if x not in b][:6], [x for x in b if x not in a][:6])
