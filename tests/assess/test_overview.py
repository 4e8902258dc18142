"""The overview: what waits for an organiser or an adjudicator, and the state of the campaign."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from assess.models import Assignment
from assess.queries.campaign_reads import CampaignReads
from assess.queries.campaigns import next_step
from assess.queries.extensions import Task
from assess.queries.filling import filling_of
from assess.queries.overview import state_of, tasks_of
from assess.queries.progress import progress_grid
from assess.release.plan import FILL, ReleasePlan
from assess.services.adjudications import settle
from assess.services.assignments import assign
from assess.services.people import invite_to_topics
from assess.services.releases import release_qrels
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import add_member
from tests.assess.test_adjudication import settlement
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
NOW = timezone.now()
AGO = timedelta(days=4)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Every document has a text and a label of alice, its only judge: nothing waits."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number) for number in ("1", "2")]
    make.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1\n2 D1 1")
    make.make_pool(campaign)
    assign([make.make_user("alice")], topics)
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.")
    for topic, docno in (("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1")):
        make.make_judgment(campaign, "alice", topic, docno, 1)
    return campaign


def client_of(make: Factory, person: str) -> Client:
    client = Client()
    client.force_login(make.make_user(person))
    return client


def tasks(make: Factory, person: str = "carol") -> list[Task]:
    reads = CampaignReads(campaign_or_404(make.make_user(person), "tiny"))
    return tasks_of(reads, progress_grid(reads), timezone.now())


def titles(make: Factory, person: str = "carol") -> list[str]:
    return [task.title for task in tasks(make, person)]


def step(make: Factory) -> str | None:
    reads = CampaignReads(campaign_or_404(make.make_user("carol"), "tiny"))
    found = next_step(reads, progress_grid(reads))
    return found and found.label


def test_nothing_waits_in_a_campaign_that_is_done(campaign: Campaign, make: Factory) -> None:
    assert titles(make) == []
    page = markup(client_of(make, "carol").get(HOME))
    assert "Nothing waits for you." in page


def test_a_failed_job_waits_until_it_is_started_again(campaign: Campaign, make: Factory) -> None:
    failed = {"state": Job.State.FAILED, "message": "The endpoint answered 402.", "finished_at": NOW}
    job = make.make_job(campaign, "Send 3 requests", **failed)
    make.make_job(campaign, "Load documents", **failed, created_at=NOW - timedelta(days=31))
    (task,) = tasks(make)
    assert (task.title, task.detail) == ("A job failed: Send 3 requests", "The endpoint answered 402.")
    assert task.urgent and task.url == f"{HOME}jobs/{job.pk}/"
    make.make_job(campaign, "Send 3 requests")
    assert titles(make) == []


def test_judges_who_stopped_come_before_documents_without_a_judge(make: Factory) -> None:
    make.make_pooled_campaign()
    Assignment.objects.filter(judge__username="bob").delete()
    Assignment.objects.filter(topic__number="2").delete()
    Assignment.objects.update(assigned_at=NOW - AGO)
    assert titles(make) == [
        "alice has not begun in 4 days: 3 documents left in topic 1.",
        "1 document of 1 topic without a primary judge",
        "3 pooled documents without a text",
    ]


def test_one_line_stands_for_many_judges_who_stopped(make: Factory) -> None:
    campaign = make.make_forty()
    judges = [make.make_user(f"judge{number}") for number in range(8)]
    for judge in judges:
        add_member(campaign, judge, Role.JUDGE)
    assign(judges, list(campaign.topics.all()))
    Assignment.objects.update(assigned_at=NOW - AGO)
    assert [task.title for task in tasks(make) if task.urgent][5:] == ["3 other judges stopped"]


def test_a_date_that_is_past_waits(campaign: Campaign, make: Factory) -> None:
    Campaign.objects.update(release_planned_at=NOW - AGO, judging_ends_at=NOW - AGO)
    assert titles(make) == ["The planned date of the release is past"]
    make.make_release(campaign)
    assert titles(make) == []
    assign([make.make_user("bob")], list(campaign.topics.all()))
    assert titles(make)[0] == "Judging has ended; 4 labels remain"


def test_a_date_that_is_near_waits(campaign: Campaign, make: Factory) -> None:
    now = timezone.now()
    near, far = now + timedelta(hours=50), now + timedelta(days=3, minutes=1)
    dates = ("submission_closes_at", "judging_ends_at", "release_planned_at")
    Campaign.objects.update(**dict.fromkeys(dates, far))
    assert titles(make) == []
    Campaign.objects.update(**dict.fromkeys(dates, near))
    assert titles(make) == ["Submission closes in 2 days", "A release is planned in 2 days"]
    assign([make.make_user("bob")], list(campaign.topics.all()))
    assert "Judging ends in 2 days; 4 labels remain" in titles(make)
    assert not [task for task in tasks(make) if task.urgent]


def test_cases_and_changed_labels_wait_for_an_adjudicator_too(campaign: Campaign, make: Factory) -> None:
    assign([make.make_user("bob")], list(campaign.topics.all()))
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    assert titles(make, "ada") == ["1 document waits for an adjudicator"]
    settle(make.pooled(campaign, "1", "D1"), make.make_user("ada"), settlement(campaign, make, "D1", 2))
    assert titles(make, "ada") == []
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    assert titles(make, "ada") == ["A judge changed a label after 1 decision"]
    link = tasks(make, "ada")[0].url
    assert "D1" in markup(client_of(make, "ada").get(link))


def test_an_audit_waits_for_the_grades_of_people(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    audit = make.make_audit(campaign)
    (task,) = (task for task in tasks(make) if task.link == "Audit")
    assert task.title == "Audit 1 of robot has no verdict yet"
    assert task.detail == "3 sampled documents of 3 without a grade of people"
    assert task.url == f"{HOME}judging/machines/audits/{audit.number}/"
    assert task.title not in titles(make, "ada")
    for topic, docno in (("1", "D1"), ("1", "D3"), ("2", "D1")):
        make.make_judgment(campaign, "alice", topic, docno, 1)
    (task,) = (task for task in tasks(make) if task.link == "Verdict")
    assert task.title == "Audit 1 of robot has a verdict"
    assert task.detail.startswith("3 of 3 sampled documents have a grade of people.")
    assert "3 of 3" in markup(client_of(make, "carol").get(f"{HOME}judging/machines/audits/"))
    release_qrels(campaign, make.make_user("carol"), ReleasePlan())
    assert task.title not in titles(make)
    make.make_judgment(campaign, "alice", "2", "D1", 0)  # the verdict can be another one now
    assert task.title in titles(make)


def test_a_machine_judge_in_the_draft_waits_for_an_audit(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, "1 0 D1 3\n")
    release_qrels(campaign, make.make_user("carol"), ReleasePlan("maximum", machines=("tiny/robot",)))
    (task,) = tasks(make)
    assert task.title == "The next release would use labels of robot" and "no audit" in task.detail


def test_a_machine_that_fills_holes_waits_for_an_audit_only_if_there_are_holes(
    campaign: Campaign, make: Factory
) -> None:
    make.make_machine(campaign, "1 0 D1 3\n")
    plan = ReleasePlan("maximum", machines=("tiny/robot",), machine_use=FILL)
    release_qrels(campaign, make.make_user("carol"), plan)
    assert titles(make) == []


def test_documents_that_programs_fill_need_no_judge(make: Factory) -> None:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number)
    make.make_run(campaign, "1 D1 3\n1 D2 2\n2 D1 1")
    make.make_pool(campaign)
    make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n")
    (task,) = (task for task in tasks(make) if "primary judge" in task.title)
    assert task.title == "3 documents of 2 topics without a primary judge"
    assert task.detail == "Topics 1, 2. A release can take their grades from programs."
    release_qrels(
        campaign,
        make.make_user("carol"),
        ReleasePlan("maximum", machines=("tiny/robot",), machine_use=FILL),
    )
    filling = filling_of(CampaignReads(campaign))
    assert filling.by_machine == {"tiny/robot": 2} and len(filling.documents) == 2
    (task,) = (task for task in tasks(make) if "primary judge" in task.title)
    assert task.title == "1 document of 1 topic without a primary judge" and task.detail == "Topic 2"
    assert "The next release would use labels of robot" in titles(make)


def test_an_accepted_use_of_a_machine_judge_waits_only_if_its_verdict_changes(
    campaign: Campaign, make: Factory
) -> None:
    make.make_machine(campaign, "1 0 D1 3\n")
    plan = ReleasePlan("maximum", machines=("tiny/robot",))
    release_qrels(campaign, make.make_user("carol"), plan, accepted=True)
    assert titles(make) == []
    make.make_audit(campaign)
    assert "The next release would use labels of robot" in titles(make)


def test_a_reader_sees_only_what_members_may_see(campaign: Campaign, make: Factory) -> None:
    reads = CampaignReads(campaign_or_404(make.make_user("rita"), "tiny"))
    assert set(state_of(reads, None)) == {"Collect", "Results"}
    page = markup(client_of(make, "rita").get(HOME))
    assert "Needs you" not in page and "Judges with most" not in page


def test_the_state_says_each_figure_once(campaign: Campaign, make: Factory) -> None:
    reads = CampaignReads(campaign_or_404(make.make_user("carol"), "tiny"))
    state = state_of(reads, progress_grid(reads))
    figures = {figure.name: figure.value for figures in state.values() for figure in figures}
    assert figures == {
        "Topics": "2", "Runs": "1", "Texts": "3", "Pools": "1", "Judged documents": "4",
        "Topics with every document labelled": "2", "Topics with every assignment done": "2",
        "Labels of people": "4", "Adjudication": "0", "People here": "1", "People elsewhere": "0",
        "Programs": "0", "Releases": "0",
    }  # fmt: skip


def test_programs_lead_to_machine_judges_and_internal_releases_to_publishing(
    campaign: Campaign, make: Factory
) -> None:
    make.make_machine(campaign, "1 0 D1 3\n")
    carol = client_of(make, "carol")
    assert f'href="{HOME}judging/machines/">Programs</a>' in markup(carol.get(HOME))
    release_qrels(campaign, make.make_user("carol"), ReleasePlan())
    link = f'href="{HOME}qrels/1/audience/public/" aria-label="Publish Qrels v1"'
    assert link in " ".join(markup(carol.get(f"{HOME}qrels/")).split())
    assert "Publish Qrels" not in markup(client_of(make, "ada").get(f"{HOME}qrels/"))


def test_a_draft_with_assigned_judges_waits_to_be_opened(campaign: Campaign, make: Factory) -> None:
    Campaign.objects.update(state=Campaign.State.DRAFT)
    assert titles(make) == []
    assign([make.make_user("bob")], list(campaign.topics.all()))
    first = tasks(make)[0]
    assert (first.title, first.urgent) == ("Judges cannot label yet", True)
    assert first.url == f"{HOME}settings/dates/"


def test_topics_of_an_open_invitation_wait_for_the_judge_not_for_the_organiser(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    Assignment.objects.all().delete()
    carol, topics = make.make_user("carol"), list(campaign.topics.all())
    invite_to_topics(campaign, topics[:1], Assignment.Part.SECOND, carol)
    assert step(make) == "Assign topics"
    invite_to_topics(campaign, topics[:1], Assignment.Part.PRIMARY, carol)
    detail = "Topics 1, 2. Invited, not joined yet: 1 judge for topic 1."
    assert [task.detail for task in tasks(make) if "primary judge" in task.title] == [detail]
    assert step(make) == "Assign topics"
    invite_to_topics(campaign, topics, Assignment.Part.SHARED, carol)
    (task,) = [task for task in tasks(make) if "primary judge" in task.title]
    assert (task.detail, task.link) == (
        "Topics 1, 2. Invited, not joined yet: 2 judges.",
        "Open invitations",
    )
    assert task.url == f"{HOME}people/#invitations"
    assert step(make) != "Assign topics"


def test_the_steps_to_a_pool_say_which_are_done(make: Factory) -> None:
    campaign, carol = make.make_campaign(), client_of(make, "carol")
    assert (
        "done" not in markup(carol.get(HOME)).partition("No documents to judge yet")[2].partition("</ol>")[0]
    )
    make.make_topic(campaign, "1")
    steps = markup(carol.get(HOME)).partition("No documents to judge yet")[2].partition("</ol>")[0]
    assert steps.count("done") == 1 and "Load topics</a> (done)" in steps


def test_a_campaign_without_a_pool_leads_to_what_needs_none(make: Factory) -> None:
    make.make_campaign("empty")
    page = client_of(make, "carol").get("/campaigns/empty/").content.decode().split("<main")[1]
    for place in ("pool/", "answer-runs/", "judging/high-recall/"):
        assert f'href="/campaigns/empty/{place}"' in page
