"""A judge marks a label as unsure: it counts, the judge finds it again, and agreement can leave it out."""

from __future__ import annotations

from django.test import Client

from assess.models import Judgment, JudgmentEvent
from assess.queries.agreement import AgreementScope, agreement_scope, overall_agreement
from assess.queries.campaign_reads import CampaignReads
from pooling.models import Campaign
from tests.assess.test_outbox import press, send
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
LABELS = [("1", "D1", 3, 3), ("1", "D2", 0, 0), ("1", "D3", 0, 2), ("2", "D1", 1, 1)]


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def label(make: Factory, campaign: Campaign, judge: str, topic: str, docno: str, **label: object) -> None:
    entry = make.entry(campaign, judge, topic, docno)
    response = send(client_of(make, judge), press(entry, **label), topic=topic)
    assert response.status_code == 200 and "data-problem" not in markup(response)


def scope_of(campaign: Campaign, sure: bool) -> AgreementScope:
    return agreement_scope(CampaignReads(campaign), sure=sure)


def test_an_unsure_label_counts_and_can_be_found_again(campaign: Campaign, make: Factory) -> None:
    label(make, campaign, "alice", "1", "D1", relevance=2, unsure=True)
    label(make, campaign, "alice", "1", "D2", relevance=2)
    assert Judgment.objects.get(pooled__docno="D1", judge__username="alice").event.unsure
    alice = client_of(make, "alice")
    page = markup(alice.get(f"{HOME}judge/labels/", {"unsure": "on"}))
    assert "D1" in page and "D2" not in page
    entry = make.entry(campaign, "alice", "1", "D1")
    assert 'data-unsure="true"' in markup(alice.get(f"{HOME}judge/{entry.pk}/"))
    label(make, campaign, "alice", "1", "D1", relevance=2)
    assert not Judgment.objects.get(pooled__docno="D1").event.unsure
    assert JudgmentEvent.objects.filter(unsure=True).count() == 1  # the event stays


def test_agreement_without_unsure_labels_is_that_from_before_they_were_given(
    campaign: Campaign, make: Factory
) -> None:
    for topic, docno, alice, bob in LABELS:
        make.make_judgment(campaign, "alice", topic, docno, alice)
        if docno != "D3":
            make.make_judgment(campaign, "bob", topic, docno, bob)
    before = overall_agreement(scope_of(campaign, sure=False))
    label(make, campaign, "bob", "1", "D3", relevance=2, unsure=True)
    assert overall_agreement(scope_of(campaign, sure=True)) == before
    every = overall_agreement(scope_of(campaign, sure=False))
    assert (every.labels, before.labels) == (8, 7)
    assert (every.coefficients["percent"].value, before.coefficients["percent"].value) == (3 / 4, 1)

    page = markup(client_of(make, "carol").get(f"{HOME}agreement/", {"sure": "on"}))
    assert "sure=on" in page and "Leave out unsure" in page


def test_without_a_common_document_left_the_page_leads_back(campaign: Campaign, make: Factory) -> None:
    label(make, campaign, "alice", "1", "D1", relevance=2, unsure=True)
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    page = markup(client_of(make, "carol").get(f"{HOME}agreement/", {"sure": "on"}))
    assert "among the labels that you chose" in page and "Agreement of all labels" in page


def test_an_adjudicator_sees_who_was_unsure_as_a_letter(campaign: Campaign, make: Factory) -> None:
    label(make, campaign, "alice", "1", "D1", relevance=0, unsure=True)
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    case = make.pooled(campaign, "1", "D1").pk
    page = markup(client_of(make, "ada").get(f"{HOME}adjudication/", {"document": case}))
    assert page.count("<b>unsure</b>") == 1
