"""Guidelines and scale in versions: which labels were given under which, for organisers and for judges."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from assess.models import JudgmentEvent
from assess.queries.agreement import VERSIONS, agreement_scope, drift_by_period
from assess.queries.campaign_reads import CampaignReads
from assess.queries.guideline_versions import (
    guideline_versions,
    labels_by_version,
    version_at,
    version_to_read,
)
from assess.services.settings import change_settings
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"


def tell(campaign: Campaign, guidelines: str, definition: str = "") -> None:
    """Change the guidelines, and the definition of the lowest grade."""
    grades = campaign.grades
    if definition:
        grades = (grades[0]._replace(definition=definition), *grades[1:])
    change_settings(campaign, grades, campaign.threshold, guidelines=guidelines)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Three versions; two labels under the first, none under the second, four under the third."""
    campaign = make.make_pooled_campaign()
    early = timezone.now() - timedelta(days=20)
    for docno in ("D1", "D2"):
        judgment = make.make_judgment(campaign, "alice", "1", docno, 2)
        JudgmentEvent.objects.filter(pk=judgment.event_id).update(pressed_at=early)
    change_settings(campaign, campaign.grades, campaign.threshold, name="Boats")  # no version
    tell(campaign, "Read the *title* first.")
    tell(campaign, "Read all.", "Not about it at all.")
    for docno in ("D1", "D2", "D3"):
        make.make_judgment(campaign, "bob", "1", docno, 1)
    make.make_judgment(campaign, "alice", "1", "D3", 1)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_a_version_begins_with_each_change_of_guidelines_or_scale(campaign: Campaign) -> None:
    first, second, third = versions = guideline_versions(campaign)
    assert [version.number for version in versions] == [1, 2, 3]
    assert (first.begins, first.guidelines, first.changed) == (None, "", ())
    assert (second.guidelines, second.changed) == ("Read the *title* first.", ("guidelines",))
    assert (third.guidelines, set(third.changed)) == ("Read all.", {"guidelines", "scale"})
    assert third.grades[0].definition == "Not about it at all." != first.grades[0].definition
    assert third.grades == campaign.grades


def test_each_label_belongs_to_the_version_in_force_when_it_was_given(campaign: Campaign) -> None:
    versions = guideline_versions(campaign)
    assert labels_by_version(campaign, versions) == [2, 0, 4]
    begins = versions[2].begins
    assert begins
    assert version_at(versions, begins) == 3
    assert version_at(versions, begins - timedelta(days=9)) == 1


def test_a_campaign_without_a_change_has_one_version(make: Factory) -> None:
    campaign = make.make_campaign()
    versions = guideline_versions(campaign)
    assert len(versions) == 1 and labels_by_version(campaign, versions) == [0]
    assert version_at(versions, timezone.now()) == 1


def test_agreement_is_split_by_version(campaign: Campaign, make: Factory) -> None:
    drift = drift_by_period(agreement_scope(CampaignReads(campaign)), VERSIONS)
    assert [period.labels for period in drift.periods] == [2, 0, 4]
    page = markup(client_of(make, "carol").get(f"{HOME}agreement/", {"by": "version"}))
    assert "Human judges: versions of the guidelines" in page


def test_the_pages_show_the_versions(campaign: Campaign, make: Factory) -> None:
    page = markup(client_of(make, "carol").get(f"{HOME}settings/versions/"))
    assert "Version 3" in page and "Read all." in page and "guidelines, scale" in page
    alice = make.make_user("alice")
    page = markup(client_of(make, "carol").get(f"{HOME}judging/consistency/{alice.pk}/topics/1/"))
    assert ">v1<" in page and ">v3<" in page and ">v2<" not in page


def test_a_judge_learns_of_a_change_until_the_next_label(campaign: Campaign, make: Factory) -> None:
    alice = make.make_user("alice")
    assert version_to_read(campaign, alice) is None
    tell(campaign, "Read all, twice.")
    note = "guidelines changed on"
    assert note in markup(client_of(make, "alice").get(f"{HOME}judge/")).lower()
    make.make_judgment(campaign, "alice", "2", "D1", 1)
    assert note not in markup(client_of(make, "alice").get(f"{HOME}judge/")).lower()
    assert version_to_read(campaign, make.make_user("eve")) is None
