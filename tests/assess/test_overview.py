"""The overview: what waits for an organiser or an adjudicator, and the state of the campaign."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from assess.models import Assignment, JudgmentEvent
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import Task
from assess.queries.overview import state_of, tasks_of
from assess.queries.progress import progress_grid
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
NOW = timezone.now()
AGO = timedelta(days=4)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Every document has a text, a judge and a label: nothing waits."""
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.")
    for topic, docno in (("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1")):
        if make.pooled(campaign, topic, docno):
            make.make_judgment(campaign, "alice", topic, docno, 1)
    return campaign


def tasks(make: Factory, person: str = "carol") -> list[Task]:
    reads = CampaignReads(campaign_or_404(make.make_user(person), "tiny"))
    return tasks_of(reads, progress_grid(reads), timezone.now())


def titles(make: Factory, person: str = "carol") -> list[str]:
    return [task.title for task in tasks(make, person)]
