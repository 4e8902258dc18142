"""The navigation of a campaign: five places and *Manage*, each with a row of its pages.

A page shows its navigation by itself: `base.html` asks for it where the context has a campaign of which the
user is a member. The address tells which page is current.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from django import template
from django.template import Context
from django.urls import reverse

from accounts.models import User
from assess.queries.adjudication import unsettled_of
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import NavigationPage, navigation_pages
from pooling.models import Campaign, Role

register = template.Library()

MOST_IN_ONE_ROW = 4  # pages of a person that are shown without places

ALL = frozenset(Role)
ORGANISER = frozenset({Role.ORGANISER})
ADJUDICATORS = ORGANISER | {Role.ADJUDICATOR}
STAFF = ADJUDICATORS | {Role.READER}
RESULTS = STAFF | {Role.PARTICIPANT}
JUDGE, PARTICIPANT = frozenset({Role.JUDGE}), frozenset({Role.PARTICIPANT})

PLACES: dict[str, list[NavigationPage]] = {
    "Overview": [
        NavigationPage("Overview", "assess:overview", STAFF, ("",)),
        NavigationPage("Progress", "assess:progress", ADJUDICATORS, ("progress", "budget")),
        NavigationPage("Participate", "assess:participate", PARTICIPANT, ("participate", "")),
        NavigationPage("My topics", "assess:my_topics", JUDGE, ("judge", "")),
        NavigationPage("My labels", "assess:my_labels", JUDGE, ("judge/labels",)),
    ],
    "Collect": [
        NavigationPage("Topics", "pooling:topic_list", ALL, ("topics",)),
        NavigationPage("Runs", "pooling:run_list", RESULTS, ("runs", "report")),
        NavigationPage("Documents", "pooling:document_list", ORGANISER, ("documents",)),
    ],
    "Judge": [
        NavigationPage("Pools", "pooling:pool", ORGANISER, ("pool",)),
        NavigationPage("Pool quality", "metrics:quality", ADJUDICATORS, ("pool/quality",)),
        NavigationPage("Assignments", "assess:judging", ORGANISER, ("judging",)),
        NavigationPage("Plan", "assess:plan", ORGANISER, ("judging/plan",)),
        NavigationPage("Training and gold", "assess:probes", ORGANISER, ("judging/probes",)),
        NavigationPage("Cannot judge", "assess:refusals", ORGANISER, ("judging/cannot-judge",)),
        NavigationPage("Consistency", "assess:consistency", ORGANISER, ("judging/consistency",)),
        NavigationPage("Agreement", "assess:agreement", STAFF, ("agreement",)),
        NavigationPage("Adjudication", "assess:adjudication", ADJUDICATORS, ("adjudication",)),
    ],
    "Sources": [
        NavigationPage("All sources", "assess:source_list", ORGANISER, ("judging/sources", "judging/load")),
        NavigationPage("Machine judges", "assess:machine_list", ORGANISER, ("judging/machines",)),
    ],
    "Results": [
        NavigationPage("Releases", "assess:release_list", RESULTS, ("qrels",)),
        NavigationPage("Leaderboard", "metrics:scores", RESULTS, ("scores",)),
        NavigationPage("Scores by topic", "metrics:topic_scores", RESULTS, ("scores/*/topics",), True),
        NavigationPage("Compare", "metrics:compare", RESULTS, ("scores/*/compare",), True),
        NavigationPage("Significance", "metrics:significance", RESULTS, ("scores/*/significance",), True),
        NavigationPage(
            "Measure agreement",
            "metrics:measure_agreement",
            RESULTS,
            ("scores/*/measures",),
            True,
        ),
        NavigationPage("Downloads", "metrics:downloads", RESULTS, ("downloads",), True),
    ],
    "Manage": [
        NavigationPage("People", "assess:people", ORGANISER, ("people",)),
        NavigationPage("Settings", "assess:settings", ORGANISER, ("settings",)),
        NavigationPage("Dates", "assess:schedule", ORGANISER, ("settings/dates", "settings/state")),
        NavigationPage("Cost", "assess:cost", ORGANISER, ("judging/cost",)),
        NavigationPage("Audit log", "pooling:audit_log", ORGANISER, ("trail",)),
        NavigationPage("Jobs", "pooling:job_list", ORGANISER, ("jobs",)),
    ],
}


class Count(NamedTuple):
    """How much waits on a page for this person. meaning: "documents without text"."""

    number: int
    meaning: str
    style: str = "warning"


COUNTS: dict[str, Callable[[CampaignReads], Count]] = {
    "pooling:document_list": lambda reads: Count(reads.texts.missing, "documents without text"),
    "assess:adjudication": lambda reads: Count(unsettled_of(reads), "documents wait", "alert"),
}


class Link(NamedTuple):
    """A link of the navigation. url: "" where there is no release yet. current: its value of aria-current."""

    name: str
    url: str
    current: str = ""
    waiting: Count | None = None


class Group(NamedTuple):
    """Pages of a place behind one word at the end of its row."""

    name: str
    links: list[Link]

    @property
    def is_current(self) -> bool:
        return any(link.current for link in self.links)


class Navigation:
    """The links of one person on one page. They are read when a template asks for the first."""

    def __init__(self, reads: CampaignReads, user: User, path: str) -> None:
        self.reads, self.campaign, self.user, self.path = reads, reads.campaign, user, path
        home = reverse("assess:overview", args=[self.campaign.slug])
        self.segments = [part for part in path.removeprefix(home).split("/") if part]

    @cached_property
    def pages(self) -> dict[str, list[NavigationPage]]:
        """Place -> the pages of it that this person may open; without places that have none."""
        roles = self.campaign.my_roles
        places = {
            place: [page for page in [*pages, *navigation_pages[place]] if page.roles & roles]
            for place, pages in PLACES.items()
        }
        return {place: pages for place, pages in places.items() if pages}

    @cached_property
    def here(self) -> tuple[str, NavigationPage] | None:
        """The place and the page to which the address belongs, with the most segments in common."""
        matches = [
            (length, place, page)
            for place, pages in self.pages.items()
            for page in pages
            if (length := page.matching_segments(self.segments)) is not None
        ]
        return max(matches, key=lambda match: match[0])[1:] if matches else None

    @cached_property
    def release(self) -> int | None:
        """The number of the release in the address, otherwise of the newest that the person may see."""
        if (
            self.segments[:1] in (["scores"], ["downloads"])
            and self.segments[1:]
            and self.segments[1].isdecimal()
        ):
            return int(self.segments[1])
        releases = self.campaign.releases.visible_to(self.campaign).standing()
        return releases.values_list("number", flat=True).first()

    @cached_property
    def is_one_row(self) -> bool:
        return sum(map(len, self.pages.values())) <= MOST_IN_ONE_ROW

    @cached_property
    def places(self) -> list[Link]:
        """The first row: places, or the pages of a person with few of them."""
        if self.is_one_row:
            return [link for pages in self.pages.values() for link in self.links(pages)]
        return [
            Link(
                place,
                links[0].url,
                "true" if self.here and self.here[0] == place else "",
                self.waiting(links),
            )
            for place, pages in self.pages.items()
            if (links := [link for link in self.links(pages) if link.url])
        ]

    @cached_property
    def place_pages(self) -> list[NavigationPage]:
        """The pages of the current place, the same on each of them."""
        return [] if self.is_one_row or not self.here else self.pages[self.here[0]]

    @cached_property
    def subpages(self) -> list[Link]:
        """The second row: the pages of the current place that are in no group."""
        return self.links([page for page in self.place_pages if not page.group])

    @cached_property
    def groups(self) -> list[Group]:
        """The other pages of the current place, at the end of the second row."""
        names = dict.fromkeys(page.group for page in self.place_pages if page.group)
        return [
            Group(name, self.links([page for page in self.place_pages if page.group == name]))
            for name in sorted(names)
        ]

    @cached_property
    def trail(self) -> list[Link]:
        """The place and the page to which the address belongs, for the breadcrumbs."""
        if not self.here:
            return []
        place, page = self.here
        links = [link for link in self.links([page]) if link.name != place]
        return links if self.is_one_row else [*(link for link in self.places if link.name == place), *links]

    def links(self, pages: list[NavigationPage]) -> list[Link]:
        return [
            Link(page.name, url := self.url(page), self.current(page, url), self.counts.get(page.url))
            for page in pages
        ]

    def url(self, page: NavigationPage) -> str:
        """Return the address of a page, "" for one of a release where there is no release yet."""
        if not page.of_release:
            return reverse(page.url, args=[self.campaign.slug])
        return reverse(page.url, args=[self.campaign.slug, self.release]) if self.release else ""

    def current(self, page: NavigationPage, url: str) -> str:
        if not self.here or self.here[1] is not page:
            return ""
        return "page" if url == self.path else "true"

    @cached_property
    def counts(self) -> dict[str, Count]:
        """URL name -> what waits on that page, for the pages of this person on which something does."""
        urls = {page.url for pages in self.pages.values() for page in pages}
        counts = {url: count_of(self.reads) for url, count_of in COUNTS.items() if url in urls}
        return {url: count for url, count in counts.items() if count.number}

    def waiting(self, links: list[Link]) -> Count | None:
        """Return what waits on the first page of a place on which something does."""
        return next((link.waiting for link in links if link.waiting), None)


@register.simple_tag(takes_context=True)
def campaign_navigation(context: Context) -> Navigation | None:
    """Return the navigation of this page; None where the context has no campaign of the user."""
    campaign, request = context.get("campaign"), context.get("request")
    if not isinstance(campaign, Campaign) or request is None or not getattr(campaign, "my_roles", None):
        return None
    reads = context.get("reads")
    if not isinstance(reads, CampaignReads):
        reads = CampaignReads(campaign)
    return Navigation(reads, request.user, request.path)
