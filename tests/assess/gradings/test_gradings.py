"""Grades of whole answers: the plan, grades that are never lost, blind pages."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client

from assess.gradings.queries.integrity import grading_faults
from assess.gradings.services import (
    SubmittedGrades,
    discard_grading,
    record_grades,
    take_back_grades,
)
from assess.models import GivenGrades, Grading, GradingTask
from assess.services.judged_sets import SetRefused
from assess.services.judging import LabelRefused
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
SETUP = HOME + "judging/gradings/"
OUTBOX = HOME + "gradings/outbox/"
TAGS = ("zebra-one", "zebra-two", "zebra-three")


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Three answer runs to two topics; D1 is a document that every answer cites."""
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    make.make_document(campaign, "D1", "Ships float because they are light.", title="On ships")
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    for tag in TAGS:
        answers = {number: [(f"Answer {tag[6:]} to {number}.", ["D1"])] for number in ("1", "2")}
        make.make_answer_run(campaign, answers, tag, "zebra-group")
    return campaign


@pytest.fixture
def grading(campaign: Campaign, make: Factory) -> Grading:
    return make.make_grading(campaign)


def own(grading: Grading, judge: str = "alice") -> list[GradingTask]:
    related = ("judge", "answer__run", "answer__topic", "grading__campaign")
    return list(grading.tasks.filter(judge__username=judge).select_related(*related))


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def fields_of(**changed: Any) -> dict[str, Any]:
    return {"uuid": f"{uuid.uuid4()}", "criterion_1": "2", "criterion_2": "0", "source": "key"} | changed


def test_a_judge_gets_all_answers_to_a_topic_one_after_the_other(grading: Grading) -> None:
    for judge in ("alice", "bob"):
        topics = [task.answer.topic.number for task in own(grading, judge)]
        assert topics == ["1"] * 3 + ["2"] * 3
    orders = [[task.answer.run.tag for task in own(grading, judge)] for judge in ("alice", "bob")]
    assert sorted(orders[0][:3]) == sorted(TAGS) and orders[0] != orders[1]


def test_an_organiser_makes_a_grading_on_the_page(campaign: Campaign, make: Factory) -> None:
    carol = signed_in(make, "carol")
    people = [make.make_user(name).pk for name in ("alice", "bob")]
    fields = {"runs": TAGS, "judges": people, "topics": "all", "double": 50, "seed": 5}
    fields["criteria"] = "Helpful: no, yes\nSound: no"
    assert "Line 2: expected a name, a colon" in markup(carol.post(SETUP, fields))
    fields["criteria"] = "Helpful: no, yes"
    page = markup(carol.post(SETUP, fields))
    assert "about 1 minute of reading" in " ".join(page.split())
    assert "Make a grading of 6 answers?" in page and not Grading.objects.exists()
    page = markup(carol.post(SETUP, fields | {"confirmed": "yes"}, follow=True))
    assert "Grading 1: judges see 9 answers" in page
    assert grading_faults(campaign).__next__() == []
    entry = campaign.audit_log.get(verb="made a grading")
    assert entry.details["criteria"] == {"Helpful": ["no", "yes"]}
    assert "Grading 1" in markup(carol.get(SETUP)) and "0 of 9 answers have grades" in markup(
        carol.get(SETUP + "1/")
    )


def test_who_sees_a_name_cannot_grade(campaign: Campaign, make: Factory) -> None:
    member = campaign.memberships.get(user__username="alice")
    member.group = "zebra-group"
    member.save()
    with pytest.raises(Refused, match="alice can see the name"):
        make.make_grading(campaign)
    member.group = ""
    member.save()
    grading = make.make_grading(campaign)
    member.group = "zebra-group"
    member.save()
    task = own(grading)[0]
    assert signed_in(make, "alice").get(f"{HOME}gradings/{task.pk}/").status_code == 404


def test_a_judge_grades_on_pages_without_names(grading: Grading, make: Factory) -> None:
    task, alice = own(grading)[0], signed_in(make, "alice")
    assert "6 answers to grade" in markup(alice.get(HOME + "judge/"))
    address = f"{HOME}gradings/{task.pk}/"
    page = markup(alice.get(address))
    assert "Helpful" in page and "partly" in page and "zebra" not in page
    assert "On ships" in markup(alice.get(f"{address}citations/1/1/"))
    assert "On ships" in markup(alice.get(f"{address}?sentence=1&citation=1"))
    assert alice.get(f"{address}citations/1/2/").status_code == 404
    fields = fields_of(reason="a private reason")
    page = markup(alice.post(address, {**fields, "criterion_2": ""}))
    assert "Complete: This field is required" in page and not GivenGrades.objects.exists()
    assert alice.post(address, fields).status_code == 302
    assert GivenGrades.objects.get().grades == [2, 0]
    page = markup(alice.get(address))
    assert "You have graded this answer" in page and "a private reason" in page
    bob = signed_in(make, "bob")
    assert bob.get(address).status_code == 404
    for each in own(grading, "bob"):
        assert "a private reason" not in markup(bob.get(f"{HOME}gradings/{each.pk}/"))


def test_the_last_answer_leads_back_to_the_list(grading: Grading, make: Factory) -> None:
    *others, last = own(grading)
    for task in others:
        make.make_grades(task, [0, 0])
    page = markup(signed_in(make, "alice").post(f"{HOME}gradings/{last.pk}/", fields_of(), follow=True))
    assert "You have finished Grading 1." in page and "done" in page


def test_grades_of_the_outbox_are_stored_once_and_bring_the_next_answers(
    grading: Grading, make: Factory
) -> None:
    alice, tasks = signed_in(make, "alice"), own(grading)
    label = fields_of(entry=tasks[0].pk, reason="")
    payload = {"judge": tasks[0].judge_id, "topic": f"{grading.pk}", "have": [], "want": 3, "labels": [label]}
    for _ in range(2):
        page = markup(alice.post(OUTBOX, payload, "application/json"))
    assert GivenGrades.objects.count() == 1 and page.count("<template>") == 3 and "data-problem" not in page
    assert "zebra" not in page
    others = [label | {"criterion_1": "1"}, label | {"uuid": f"{uuid.uuid4()}", "entry": 0}]
    others.append(fields_of(entry=tasks[1].pk, criterion_1="3"))
    page = markup(alice.post(OUTBOX, payload | {"labels": others}, "application/json"))
    assert "This page has already sent another set of grades" in page
    assert "This answer is not yours any more" in page
    assert "Topic 1: Ensure this value is less than or equal to 2" in page
    back = {"uuid": f"{uuid.uuid4()}", "revokes": label["uuid"], "entry": tasks[0].pk}
    alice.post(OUTBOX, payload | {"labels": [back, back]}, "application/json")
    assert [each.grades for each in tasks[0].given.all()] == [[2, 0], []]


def test_grades_taken_back_count_no_more(grading: Grading, make: Factory) -> None:
    task = own(grading)[0]
    given = make.make_grades(task, [1, 1])
    take_back_grades(task, task.judge, uuid.uuid4(), uuid.uuid4())  # not the standing ones
    assert task.given.count() == 1
    take_back_grades(task, task.judge, uuid.uuid4(), given.uuid)
    assert "6 answers to grade" in markup(signed_in(make, "alice").get(HOME + "judge/"))


def test_a_grading_is_discarded_only_without_grades(grading: Grading, make: Factory) -> None:
    carol, task = make.make_user("carol"), own(grading)[0]
    make.make_grades(task, [0, 0])
    with pytest.raises(SetRefused, match="labels are never deleted"):
        discard_grading(grading, carol)
    GivenGrades.objects.all().delete()
    discard_grading(grading, carol)
    with pytest.raises(LabelRefused, match="discarded"):
        record_grades(task, task.judge, SubmittedGrades(uuid.uuid4(), [0, 0]))


def test_answers_of_a_withdrawn_run_are_not_shown(
    grading: Grading, campaign: Campaign, make: Factory
) -> None:
    task = next(each for each in own(grading) if each.answer.run.tag == "zebra-one")
    make.make_grades(task, [2, 2])
    campaign.answer_runs.filter(tag="zebra-one").update(withdrawn_at="2026-01-01T00:00:00Z")
    assert signed_in(make, "alice").get(f"{HOME}gradings/{task.pk}/").status_code == 404
    page = markup(signed_in(make, "carol").get(SETUP + "1/"))
    assert "Withdrawn since: zebra-one" in page and "0 of 8 answers have grades" in page


def test_the_integrity_check_finds_grades_off_the_scale(grading: Grading, make: Factory) -> None:
    def faults() -> list[str]:
        return [str(fault) for each in grading_faults(grading.campaign) for fault in each]

    given = make.make_grades(own(grading)[0], [2, 2])
    assert faults() == []
    for wrong in ([3, 0], [0], [-1, 0]):
        GivenGrades.objects.filter(pk=given.pk).update(grades=wrong)
        assert faults() == ["grading grades that are not on the scales, Grading 1: expected 0, found 1"]
    GivenGrades.objects.filter(pk=given.pk).update(grades=[])
    grading.runs.remove(grading.runs.get(tag="zebra-one"))
    assert faults() == ["grading answers of other runs, Grading 1: expected 0, found 4"]
