"""Many disputed documents are settled by a named rule: preview, record, and what the rule leaves."""

from __future__ import annotations

import json
import uuid

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.adjudication import DisputeFilter
from assess.models import Adjudication, AdjudicationEvent, Judgment
from assess.queries.adjudication import dispute_queue
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of
from assess.queries.settling import cases_of_rule
from assess.release.plan import ReleasePlan
from assess.services.adjudications import NotSettled, claim_case, settle_by_rule
from assess.services.assignments import assign
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.releases import release_qrels
from assess.settling_rules import SETTLING_RULES, grade_by_rule
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/adjudication/"


def build_campaign(make: Factory) -> Campaign:
    """Topic 1: D1 is 3, 3, 0; D2 is 1, 2; D3 is 0, 2 and *cannot judge*. Topic 2: D1 is 0, 1."""
    campaign = make.make_pooled_campaign()
    add_member(campaign, make.make_user("eve"), Role.JUDGE)
    assign([make.make_user("eve")], campaign.topics.all())
    for topic, docno, labels in (
        ("1", "D1", {"alice": 3, "bob": 3, "eve": 0}),
        ("1", "D2", {"alice": 1, "bob": 2}),
        ("1", "D3", {"alice": 0, "bob": 2}),
        ("2", "D1", {"alice": 0, "bob": 1}),
    ):
        for judge, grade in labels.items():
            make.make_judgment(campaign, judge, topic, docno, grade)
    entry = make.entry(campaign, "eve", "1", "D3")
    cannot = SubmittedJudgment(uuid.uuid4(), "D3", cards_of([entry])[0].text_hash, None, "broken")
    record_judgment(entry, cannot)
    return campaign


@pytest.fixture
def adjudicator(campaign: Campaign, make: Factory) -> Client:
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    client = Client()
    client.force_login(make.make_user("ada"))
    return client


def settled(campaign: Campaign, make: Factory, rule: str) -> dict[tuple[str, str], int]:
    """Return what the preview of a rule says: (topic, docno) -> grade."""
    cases = cases_of_rule(CampaignReads(campaign), make.make_user("ada"), rule)
    numbers = dict(campaign.topics.values_list("pk", "number"))
    return {(numbers[case.topic], case.docno): case.relevance for case in cases.settled}


@given(st.lists(st.sampled_from([0, 1, 3, None]), min_size=1, max_size=9), st.sampled_from([*SETTLING_RULES]))
def test_a_rule_gives_a_grade_of_a_judge_or_none(labels: list[int | None], rule: str) -> None:
    grade = grade_by_rule(rule, labels, [0, 1, 3])
    assert grade is None or grade in labels
    assert grade == grade_by_rule(rule, labels[::-1], [0, 1, 3])
    if rule == "majority":
        assert (grade is not None) == any(labels.count(each) * 2 > len(labels) for each in (0, 1, 3))
    else:
        assert (grade is not None) == (set(labels) in ({0, 1}, {1, 3}))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("majority", {("1", "D1"): 3}),
        ("lower", {("1", "D2"): 1, ("2", "D1"): 0}),
        ("higher", {("1", "D2"): 2, ("2", "D1"): 1}),
    ],
)
def test_the_preview_says_what_a_rule_settles(
    campaign: Campaign, make: Factory, rule: str, expected: dict[tuple[str, str], int]
) -> None:
    assert settled(campaign, make, rule) == expected
    cases = cases_of_rule(CampaignReads(campaign), make.make_user("ada"), rule)
    assert (cases.left, cases.earlier, cases.reserved) == (4 - len(expected), 0, 0)


def test_one_press_settles_what_the_preview_showed_and_says_by_which_rule(
    campaign: Campaign, adjudicator: Client, make: Factory
) -> None:
    page = markup(adjudicator.get(f"{URL}rules/", {"rule": "lower"}))
    assert "Settle 2 documents" in page and "Left to you" in page
    checked = cases_of_rule(CampaignReads(campaign), make.make_user("ada"), "lower").checksum
    page = markup(adjudicator.post(f"{URL}rules/", {"rule": "lower", "checked": checked}, follow=True))
    assert "2 documents settled by rule." in page
    events = AdjudicationEvent.objects.order_by("pooled__docno", "pk")
    assert [(event.rule, event.relevance) for event in events.order_by("relevance")] == [
        ("lower", 0),
        ("lower", 1),
    ]
    assert all("neighbours" in each.why for each in Adjudication.objects.all())
    assert Judgment.objects.count() == 10
    entry = campaign.audit_log.latest("pk")
    assert entry.verb == "settled by a rule" and len(entry.details["events"]) == 2
    again = adjudicator.post(f"{URL}rules/", {"rule": "lower", "checked": checked})
    assert "Nothing was settled" in markup(again) and Adjudication.objects.count() == 2


def test_the_rule_is_in_the_provenance_of_a_release(campaign: Campaign, make: Factory) -> None:
    ada = make.make_user("ada")
    checked = cases_of_rule(CampaignReads(campaign), ada, "lower").checksum
    settle_by_rule(campaign, ada, "lower", None, checked)
    release = release_qrels(campaign, make.make_user("carol"), ReleasePlan())
    with release.files.get(kind="provenance").file.open("rb") as file:
        lines = [json.loads(line) for line in file]
    rules = {(line["topic"], line["docno"]): (line["adjudication"] or {}).get("rule") for line in lines}
    assert rules["1", "D2"] == rules["2", "D1"] == "lower" and rules["1", "D1"] is None


def test_one_topic_is_settled_alone(campaign: Campaign, make: Factory) -> None:
    ada, topic = make.make_user("ada"), campaign.topics.get(number="2")
    cases = cases_of_rule(CampaignReads(campaign), ada, "higher", topic)
    assert [case.docno for case in cases.settled] == ["D1"]
    assert len(settle_by_rule(campaign, ada, "higher", topic, cases.checksum)) == 1
    assert len(dispute_queue(campaign, ada, DisputeFilter())) == 3


def test_a_label_after_the_preview_settles_nothing(campaign: Campaign, make: Factory) -> None:
    ada = make.make_user("ada")
    checked = cases_of_rule(CampaignReads(campaign), ada, "lower").checksum
    make.make_judgment(campaign, "alice", "2", "D1", 3)
    with pytest.raises(NotSettled, match="changed since the preview"):
        settle_by_rule(campaign, ada, "lower", None, checked)
    assert not Adjudication.objects.exists()


def test_documents_of_another_adjudicator_and_labels_of_earlier_texts_are_left(
    campaign: Campaign, make: Factory
) -> None:
    add_member(campaign, make.make_user("rita"), Role.ADJUDICATOR)
    claim_case(make.pooled(campaign, "1", "D2"), make.make_user("rita"))
    make.make_document(campaign, "D1", "A new text.")
    cases = cases_of_rule(CampaignReads(campaign), make.make_user("ada"), "lower")
    assert not cases.settled and cases.reserved == 1 and cases.earlier == 2


@pytest.mark.parametrize("data", [{"rule": "dice"}, {"rule": "lower", "topic": "9"}, {"rule": ""}])
def test_an_unknown_rule_or_topic_settles_nothing(adjudicator: Client, data: dict[str, str]) -> None:
    for response in (adjudicator.get(f"{URL}rules/", data), adjudicator.post(f"{URL}rules/", data)):
        assert response.status_code == 200 and "alert" in markup(response)
    assert not Adjudication.objects.exists()
