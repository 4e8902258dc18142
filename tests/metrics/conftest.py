"""A campaign with something to compare: three groups, four runs, two judged topics and a release."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.services.assignments import assign
from pooling.models import Campaign, PooledDocument
from tests.support.factory import Factory

RUNS = {  # sloop and ketch pooled; the others came later
    "sloop": ("harbour", "1 A 4\n1 B 3\n1 C 2\n2 A 2\n2 B 1"),
    "ketch": ("mill", "1 C 4\n1 A 3\n1 B 2\n2 B 2\n2 A 1"),
    "wheel": ("davelab", "1 B 3\n1 X 3\n1 A 3\n2 A 2"),
    "stone": ("mill", "1 X 2\n1 Y 1"),
}
GRADES = {("1", "A"): 3, ("1", "B"): 0, ("1", "C"): 2, ("2", "A"): 2, ("2", "B"): 0}


@pytest.fixture
def compared(campaign: Campaign) -> Campaign:
    """The campaign of a module whose `build_campaign` is `make_compared`."""
    return campaign


def make_compared(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"title {number}")
    for tag in ("sloop", "ketch"):
        make.make_run(campaign, RUNS[tag][1], tag=tag, group=RUNS[tag][0])
    make.make_pool(campaign)
    assign([make.make_user("alice")], campaign.topics.all())
    for (topic, docno), grade in GRADES.items():
        make.make_judgment(campaign, "alice", topic, docno, grade)
    for tag in ("wheel", "stone"):
        make.make_run(campaign, RUNS[tag][1], tag=tag, group=RUNS[tag][0])
    make.make_release(campaign)
    return campaign


@pytest.fixture
def carol(make: Factory) -> Client:
    return signed_in(make, "carol")


@pytest.fixture
def dave(make: Factory) -> Client:
    """A participant, of davelab."""
    return signed_in(make, "dave")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


GRADES_OF_ABC = [(3, 0, 2), (0, 2, 2), (3, 3, 0), (0, 0, 2), (2, 0, 0), (2, 2, 3), (3, 0, 0), (0, 3, 2)]


@pytest.fixture
def many_topics(make: Factory) -> Campaign:
    """The four runs over eight topics, each graded a little differently."""
    return judged_campaign(make, GRADES_OF_ABC)


@pytest.fixture
def twelve_topics(make: Factory) -> Campaign:
    """The four runs over twelve topics: enough for intervals of means."""
    return judged_campaign(make, [*GRADES_OF_ABC, *GRADES_OF_ABC[:4]])


def judged_campaign(make: Factory, grades: list[tuple[int, int, int]]) -> Campaign:
    """A released campaign. grades: of the documents A, B and C, for each topic."""
    Campaign.objects.filter(slug="tiny").update(
        slug="tiny-of-the-module"
    )  # of a module that also has that one
    campaign = make.make_campaign()
    numbers = range(1, len(grades) + 1)
    for number in numbers:
        make.make_topic(campaign, str(number), f"title {number}")
    for tag, (group, lines) in RUNS.items():
        first = [line[2:] for line in lines.splitlines() if line.startswith("1 ")]
        second = [line[2:] for line in lines.splitlines() if line.startswith("2 ")] or ["Y 1"]
        every = [f"{n} {row}" for n in numbers for row in (first if n % 3 else second)]
        make.make_run(campaign, "\n".join(every), tag=tag, group=group)
    make.make_pool(campaign)
    assign([make.make_user("alice")], campaign.topics.all())
    for number, graded in enumerate(grades, start=1):
        for docno, grade in zip("ABC", graded, strict=True):
            if PooledDocument.objects.filter(topic__number=str(number), docno=docno).exists():
                make.make_judgment(campaign, "alice", str(number), docno, grade)
    make.make_release(campaign)
    return campaign
