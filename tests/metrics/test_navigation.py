"""The navigation: each person sees the pages that they may open, and each page says where it is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from assess.queries.extensions import navigation_pages
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


def build_campaign(make: Factory) -> Campaign:
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


ENTRY = re.compile(r"<(?:a|summary)\b[^>]*>\s*(?:<span>)?([^<]+)<")


def row_of_pages(page: str) -> tuple[str, list[str]]:
    """Return the place and the words of its row, with links that cannot be opened yet and names of groups."""
    row = page.partition('<nav class="subpages" aria-label="Pages of ')[2].partition("</nav>")[0]
    return row.partition('"')[0], [name.strip() for name in ENTRY.findall(row)]


def test_every_page_of_a_campaign_is_in_a_place(campaign: Campaign, make: Factory) -> None:
    """A page below a page of the navigation marks it, and the row of a place is the same on all its pages."""
    strange, checked = [], 0
    for person in ("carol", "dave"):
        client, rows_of = client_of(make, person), defaultdict[str, set[tuple[str, ...]]](set)
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
            if second:
                its_place, row = row_of_pages(page)
                rows_of[its_place].add(tuple(row))
        assert {its_place: len(found) for its_place, found in rows_of.items()} == dict.fromkeys(rows_of, 1)
        assert len(rows_of) >= 3 and all("" not in row for found in rows_of.values() for row in found)
    assert strange == [] and checked > 60


def test_a_judge_has_one_row(make: Factory) -> None:
    make.make_pooled_campaign()
    first, second = rows(markup(client_of(make, "alice").get("/campaigns/tiny/judge/")))
    assert [name for *_, name in first] == ["My topics", "My labels", "Topics"] and second == []


def test_the_row_is_the_same_before_the_first_release(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    client = client_of(make, "carol")
    before = markup(client.get("/campaigns/tiny/qrels/"))
    disabled = '<a role="link" aria-disabled="true" title="This page needs a release.">Compare</a>'
    assert before.count(disabled) == 2  # the second one is of the list on a phone
    make.make_release(campaign)
    after = markup(client.get("/campaigns/tiny/qrels/"))
    assert row_of_pages(before) == row_of_pages(after) and disabled not in after
    elsewhere = markup(client.get("/campaigns/tiny/scores/confusion/"))
    assert row_of_pages(elsewhere) == row_of_pages(after)
    assert "/campaigns/tiny/scores/1/compare/" in elsewhere


def test_a_row_of_pages_is_short_and_its_groups_have_several_pages() -> None:
    for name in [*PLACES, *navigation_pages]:
        pages = [*PLACES[name], *navigation_pages[name]]
        groups = Counter(page.group for page in pages)
        assert groups.pop("") + len(groups) <= 12, name
        assert all(count > 1 for count in groups.values()), name


def test_the_group_of_the_current_page_is_marked(campaign: Campaign, make: Factory) -> None:
    page = markup(client_of(make, "carol").get("/campaigns/tiny/judging/preferences/"))
    assert '<summary aria-current="true">Comparisons</summary>' in page
    assert "<summary>Answers</summary>" in page


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
