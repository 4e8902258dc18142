"""The navigation: each person sees the pages that they may open, and each page says where it is."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from metrics.templatetags.navigation import PLACES
from pooling.models import Campaign
from tests.config.test_roles import GET
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.markup import markup
from tests.support.places import URLS, place

LINK = re.compile(
    r'<a href="([^"]+)"\s*(aria-current="\w+")?>\s*(?:<svg.*?</svg>)?\s*<span>([^<]+)</span>', re.DOTALL
)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make_lived_campaign(make)
    make.make_audit(campaign)
    make.make_labelling(campaign)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def rows(page: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Return the links of both rows: address, aria-current and name."""
    navigation = page.partition('<nav class="places"')[2]
    places, _, rest = navigation.partition('<nav class="subpages"')
    return LINK.findall(places.partition("</nav>")[0]), LINK.findall(rest.partition("</nav>")[0])


@pytest.mark.parametrize(("person", "count"), [("carol", 25), ("ada", 10), ("dave", 5), ("rita", 6)])
def test_every_link_opens_and_leads_to_a_page_that_marks_it(
    campaign: Campaign, make: Factory, person: str, count: int
) -> None:
    client, opened = client_of(make, person), 0
    home = markup(client.get("/campaigns/tiny/", follow=True))
    for place_url, _, place_name in rows(home)[0]:
        first, pages = rows(markup(client.get(place_url, follow=True)))
        assert [name for _, current, name in first if current] == [place_name]
        for url, _, name in pages:
            page = markup(client.get(url, follow=True))
            marked = [link for link, current, _ in rows(page)[1] if current]
            assert marked == [url], name
            opened += 1
    assert opened >= count


def test_a_link_has_the_name_of_the_heading(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    others = {"Participate"}  # its heading is the name of the campaign
    seen = set()
    for place_url, _, _ in rows(markup(client.get("/campaigns/tiny/")))[0]:
        for url, _, name in rows(markup(client.get(place_url, follow=True)))[1]:
            page = markup(client.get(url, follow=True))
            heading = re.search(r"<h1[^>]*>\s*(.*?)\s*</h1>", page, re.DOTALL)
            title = re.search(r"<title>\s*(.*?) · Jurypool</title>", page, re.DOTALL)
            assert heading and title
            if name not in others:
                assert (heading[1], title[1]) == (name, name)
            seen.add(name)
    assert len(seen) > 25


def test_every_page_of_a_campaign_is_in_a_place(campaign: Campaign, make: Factory) -> None:
    """A page below a page of the navigation marks it, and its breadcrumbs lead there."""
    strange, checked = [], 0
    for person in ("carol", "dave"):
        client = client_of(make, person)
        for name in GET:
            if "slug" not in URLS[name] or name.startswith(("admin:", "api:")):
                continue
            response = client.get(place(name, campaign, make))
            if b'<nav class="places"' not in response.getvalue():
                continue
            page = markup(response)
            first, second = rows(page)
            checked += 1
            if not [current for _, current, _ in first if current]:
                strange.append((person, name, "no place"))
            if second and not [current for _, current, _ in second if current]:
                strange.append((person, name, "no page"))
    assert strange == [] and checked > 60


def test_a_judge_has_one_row(make: Factory) -> None:
    make.make_pooled_campaign()
    first, second = rows(markup(client_of(make, "alice").get("/campaigns/tiny/judge/")))
    assert [name for *_, name in first] == ["My topics", "My labels", "Topics"] and second == []


def test_places_have_no_page_twice() -> None:
    urls = [page.url for pages in PLACES.values() for page in pages]
    assert len(urls) == len(set(urls))


def test_the_newest_release_is_read_once_and_only_its_number(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    for _ in range(2):
        make.make_release(campaign)
    client = client_of(make, "carol")
    with CaptureQueriesContext(connection) as captured:
        page = markup(client.get("/campaigns/tiny/jobs/"))
    read = [query["sql"] for query in captured if "assess_qrelsrelease" in query["sql"]]
    assert len(read) == 1 and "manifest" not in read[0]
    page = markup(client.get("/campaigns/tiny/qrels/"))
    assert "/campaigns/tiny/scores/2/compare/" in page
    page = markup(client.get("/campaigns/tiny/scores/1/"))
    assert "/campaigns/tiny/scores/1/compare/" in page
