"""Nuggets on which judges differ: an adjudicator settles them, both labels stay, scores follow."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.matchings.queries.differences import CaseChange, nugget_cases, standing_decisions
from assess.matchings.queries.integrity import matching_faults
from assess.matchings.services import settle_cases
from assess.models import Matching, NuggetDecision, NuggetLabel
from assess.nuggets.assignments import Assignment
from assess.services.judged_sets import SetRefused
from metrics.matchings.queries import assigned_answers, found_result, label_rows
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/matchings/1/differences/"
SUPPORT, PARTIAL, NONE = Assignment.SUPPORT, Assignment.PARTIAL, Assignment.NONE


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats")
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    make.make_answer_run(campaign, {"1": [("Boats float.", ["D1"]), ("They are light.", [])]}, "zebra", "zoo")
    make.make_bank(campaign, {"1": [("It floats", "vital"), ("It is light", "vital")]})
    return campaign


@pytest.fixture
def matching(campaign: Campaign, make: Factory) -> Matching:
    """Alice and bob agree on the first nugget, and differ on the second."""
    matching = make.make_matching(campaign)
    for judge, second in (("alice", SUPPORT), ("bob", NONE)):
        task = matching.tasks.get(judge__username=judge)
        make.make_nugget_label(task, 1, SUPPORT, 1)
        make.make_nugget_label(task, 2, second, 2 if second == SUPPORT else None)
    return matching


@pytest.fixture
def ada(matching: Matching, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("ada"))
    return client


def test_only_what_differs_is_a_case(matching: Matching) -> None:
    (case,) = nugget_cases(matching)
    assert case.nugget.text == "It is light" and [side.letter for side in case.sides] == ["A", "B"]
    said = {(side.label, side.sentence, side.text) for side in case.sides}
    assert said == {("support", 2, "They are light."), ("none", None, "")}


def test_a_decision_counts_in_scores_and_not_in_agreement(matching: Matching, ada: Client) -> None:
    before = found_result(matching)
    lead = before.ordered.lead
    assert lead and lead.means[0].mean == 0.75 and before.agreement.same == 1
    (case,) = nugget_cases(matching)
    page = markup(ada.get(PAGE))
    assert "1 case, 0 settled" in " ".join(page.split()) and "zebra" not in page and "alice" not in page
    page = markup(ada.post(PAGE, {case.field: PARTIAL}, follow=True))
    assert "1 decision stored. Both labels stay." in page and "1 case, 1 settled" in " ".join(page.split())
    after = found_result(matching)
    lead = after.ordered.lead
    assert lead and lead.means[0].mean == 0.75 and after.settled == 1  # partial support counts one half
    assert (after.agreement.table, after.agreement.kappa) == (before.agreement.table, before.agreement.kappa)
    ada.post(PAGE, {case.field: NONE, f"initial-{case.field}": PARTIAL})
    lead = found_result(matching).ordered.lead
    assert lead and lead.means[0].mean == 0.5
    assert NuggetLabel.objects.count() == 4
    assert {row["decision"] for row in label_rows(matching)} == {"", NONE}
    (answer,) = assigned_answers(matching)
    assert [nugget.assignment for nugget in answer.nuggets] == [SUPPORT, NONE]
    assert [fault for faults in matching_faults(matching.campaign) for fault in faults] == []


def test_the_same_decision_again_is_no_other_one_and_a_case_can_be_opened(
    matching: Matching, ada: Client
) -> None:
    (case,) = nugget_cases(matching)
    for _ in range(2):
        ada.post(PAGE, {case.field: NONE, f"initial-{case.field}": ""})
    assert NuggetDecision.objects.count() == 1
    entry = matching.campaign.audit_log.get(verb="settled nuggets")
    assert (entry.who, entry.sentence) == ("ada", "Matching 1: 1 decision")
    ada.post(PAGE, {case.field: "", f"initial-{case.field}": NONE})
    assert standing_decisions(matching) == {} and NuggetDecision.objects.count() == 2


def test_what_judges_cannot_say_and_what_does_not_differ_is_refused(
    matching: Matching, ada: Client, make: Factory
) -> None:
    (case,) = nugget_cases(matching)
    assert "Select a valid choice" in markup(ada.post(PAGE, {case.field: "contradicts"}))
    make.make_nugget_label(matching.tasks.get(judge__username="bob"), 2, SUPPORT, 2)
    with pytest.raises(SetRefused, match="do not differ any more"):
        settle_cases(matching, {case.key: CaseChange("", NONE)}, make.make_user("ada"))
    assert not NuggetDecision.objects.exists()
    assert "No differences" in markup(ada.get(PAGE))


def test_judges_cannot_settle(matching: Matching, make: Factory) -> None:
    for name, status in (("alice", 403), ("carol", 200), ("mallory", 404)):
        client = Client()
        client.force_login(make.make_user(name))
        assert client.get(PAGE).status_code == status


def test_a_page_that_was_open_takes_back_no_decision_of_somebody_else(
    matching: Matching, ada: Client, make: Factory
) -> None:
    (case,) = nugget_cases(matching)
    assert f'name="initial-{case.field}"' in markup(ada.get(PAGE))
    settle_cases(matching, {case.key: CaseChange("", PARTIAL)}, make.make_user("carol"))
    as_shown = {case.field: "", f"initial-{case.field}": ""}  # left as it was before carol's decision
    assert "0 decisions stored" in markup(ada.post(PAGE, as_shown, follow=True))
    page = markup(ada.post(PAGE, as_shown | {case.field: NONE}))
    assert "“It is light” was settled meanwhile: partial." in page
    assert [each.assignment for each in standing_decisions(matching).values()] == [PARTIAL]


def test_a_decision_counts_no_more_once_judges_agree(matching: Matching, make: Factory) -> None:
    (case,) = nugget_cases(matching)
    settle_cases(matching, {case.key: CaseChange("", NONE)}, make.make_user("ada"))
    assert found_result(matching).settled == 1
    make.make_nugget_label(matching.tasks.get(judge__username="bob"), 2, SUPPORT, 2)
    result = found_result(matching)
    assert result.settled == 0 and result.ordered.lead and result.ordered.lead.means[0].mean == 1
