"""The pages of matchings: setup with a preview, a judge's screen without names, the outbox."""

from __future__ import annotations

import uuid
from typing import Any

from django.test import Client

from assess.matchings.queries.tasks import standing_labels
from assess.models import Matching, MatchingTask, NuggetLabel
from assess.nuggets.assignments import Assignment
from pooling.models import Campaign
from tests.assess.matchings.test_matchings import TAGS, campaign, matching, nugget, own
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "matching"]
HOME = "/campaigns/tiny/"
SETUP = HOME + "judging/matchings/"
OUTBOX = HOME + "matchings/outbox/"
SUPPORT, PARTIAL, NONE, CONTRADICTS = Assignment


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def fields_of(task: MatchingTask, place: int = 1, **changed: Any) -> dict[str, Any]:
    fields = {"uuid": f"{uuid.uuid4()}", "nugget": nugget(task, place).pk, "assignment": SUPPORT}
    return fields | {"sentence": 2, "source": "key"} | changed


def test_an_organiser_makes_a_matching_on_the_page(campaign: Campaign, make: Factory) -> None:  # noqa: F811
    carol = signed_in(make, "carol")
    people = [make.make_user(name).pk for name in ("alice", "bob")]
    fields = {"bank": 1, "runs": TAGS, "judges": people[:1], "topics": "all", "double": 50, "seed": 5}
    assert "Choose two judges or more" in markup(carol.post(SETUP, fields))
    fields["judges"] = people
    page = " ".join(markup(carol.post(SETUP, fields)).split())
    assert "Match 3 nuggets with 6 answers?" in page and "1 topic without a nugget left out: 3." in page
    assert not Matching.objects.exists()
    page = markup(carol.post(SETUP, fields | {"confirmed": "yes"}, follow=True))
    assert "Matching 1: judges see 9 answers" in page
    entry = campaign.audit_log.get(verb="made a matching")
    assert (
        entry.details["bank"] == {"1": make.make_bank(campaign).sha256}
        and entry.details["contradicts"] is False
    )
    assert "Matching 1" in markup(carol.get(SETUP))
    page = markup(carol.post(SETUP + "1/discard/", {"confirmed": "yes"}, follow=True))
    assert "Discarded: Matching 1" in page and not Matching.objects.exists()


def test_without_a_frozen_bank_the_page_says_so(campaign: Campaign, make: Factory) -> None:  # noqa: F811
    campaign.nugget_banks.update(frozen_at=None)
    page = markup(signed_in(make, "carol").get(SETUP))
    assert "needs a frozen nugget bank" in page and "Preview the matching" not in page


def test_a_judge_labels_on_pages_without_names(matching: Matching, make: Factory) -> None:  # noqa: F811
    alice, task = signed_in(make, "alice"), own(matching)[0]
    assert "6 answers to match" in " ".join(markup(alice.get(HOME + "judge/")).split())
    address = f"{HOME}matchings/{task.pk}/"
    page = markup(alice.get(address))
    assert "It floats" in page and "It is light" in page and "It sinks" not in page and "zebra" not in page
    assert "aria-pressed" not in page and 'value="contradicts"' not in page
    assert "The answer has 2 sentences" in markup(alice.post(address, fields_of(task, sentence=3)))
    assert "Select a valid choice" in markup(alice.post(address, fields_of(task, assignment=CONTRADICTS)))
    assert not NuggetLabel.objects.exists()
    assert alice.post(address, fields_of(task)).headers["Location"] == address
    assert "support · sentence 2" in markup(alice.get(address))
    again = markup(alice.get(f"{address}?nugget={nugget(task).pk}"))
    assert f'name="nugget" value="{nugget(task).pk}"' in again and "aria-pressed" in again
    following = alice.post(address, fields_of(task, 2, assignment=NONE)).headers["Location"]
    assert following == f"{HOME}matchings/{own(matching)[1].pk}/"
    assert [each.sentence for each in standing_labels([task])] == [2, None]
    bob = signed_in(make, "bob")
    assert bob.get(address).status_code == 404
    for each in own(matching, "bob"):
        assert "support · sentence" not in markup(bob.get(f"{HOME}matchings/{each.pk}/"))


def test_contradicts_is_a_button_where_it_is_allowed(campaign: Campaign, make: Factory) -> None:  # noqa: F811
    task = own(make.make_matching(campaign, contradicts=True))[0]
    alice = signed_in(make, "alice")
    assert 'value="contradicts"' in markup(alice.get(f"{HOME}matchings/{task.pk}/"))
    alice.post(f"{HOME}matchings/{task.pk}/", fields_of(task, assignment=CONTRADICTS))
    assert NuggetLabel.objects.get().assignment == CONTRADICTS


def test_the_last_label_leads_back_to_the_list(matching: Matching, make: Factory) -> None:  # noqa: F811
    *others, last = own(matching)
    for task in others:
        for place in range(1, 3 if task.answer.topic.number == "1" else 2):
            make.make_nugget_label(task, place, NONE)
    page = markup(signed_in(make, "alice").post(f"{HOME}matchings/{last.pk}/", fields_of(last), follow=True))
    assert "You have finished Matching 1." in page and "done" in page


def test_labels_of_the_outbox_are_stored_once_and_bring_the_next_answers(
    matching: Matching,  # noqa: F811
    make: Factory,
) -> None:
    alice, tasks = signed_in(make, "alice"), own(matching)
    label = fields_of(tasks[0], entry=0) | {"task": tasks[0].pk}
    payload: dict[str, Any] = {"judge": tasks[0].judge_id, "topic": f"{matching.pk}", "have": []}
    payload |= {"want": 3, "labels": [label]}
    for _ in range(2):
        page = markup(alice.post(OUTBOX, payload, "application/json"))
    assert NuggetLabel.objects.count() == 1 and page.count("<template>") == 3 and "data-problem" not in page
    assert "zebra" not in page and "<b>1</b> of 9" in page
    last = fields_of(tasks[0], 2, entry=tasks[0].pk, assignment=NONE, sentence=None)
    page = markup(alice.post(OUTBOX, payload | {"labels": [last]}, "application/json"))
    assert f'data-entry="{tasks[0].pk}"' not in page
    others = [label | {"assignment": NONE}, label | {"uuid": f"{uuid.uuid4()}", "task": 0}]
    others.append(fields_of(tasks[0], entry=tasks[-1].pk))
    page = markup(alice.post(OUTBOX, payload | {"labels": others}, "application/json"))
    assert "This page has already sent another label" in page
    assert "This answer is not yours any more" in page
    assert "Topic 2: Select a valid choice" in page
    back = {"uuid": f"{uuid.uuid4()}", "revokes": label["uuid"], "entry": 0, "task": tasks[0].pk}
    page = markup(alice.post(OUTBOX, payload | {"labels": [back, back]}, "application/json"))
    assert [each.assignment for each in tasks[0].labels.all()] == [SUPPORT, NONE, ""]
    assert f'data-entry="{tasks[0].pk}"' in page


def test_answers_of_a_withdrawn_run_are_not_shown(
    matching: Matching,  # noqa: F811
    make: Factory,
) -> None:
    task = next(each for each in own(matching) if each.answer.run.tag == "zebra-one")
    make.make_nugget_label(task, 1, SUPPORT)
    matching.campaign.answer_runs.filter(tag="zebra-one").update(withdrawn_at="2026-01-01T00:00:00Z")
    assert signed_in(make, "alice").get(f"{HOME}matchings/{task.pk}/").status_code == 404
    page = markup(signed_in(make, "carol").get(SETUP + "1/"))
    assert "Withdrawn since: zebra-one" in page and "0 of 12 labels" in page


def test_who_sees_a_name_since_sees_no_answer(matching: Matching, make: Factory) -> None:  # noqa: F811
    member = matching.campaign.memberships.get(user__username="alice")
    member.group = "zebra-group"
    member.save()
    assert signed_in(make, "alice").get(f"{HOME}matchings/{own(matching)[0].pk}/").status_code == 404


def test_each_page_leads_on_from_answers_to_results(
    campaign: Campaign,  # noqa: F811
    matching: Matching,  # noqa: F811
    make: Factory,
) -> None:
    carol, banks = signed_in(make, "carol"), f"{HOME}judging/nuggets/"
    bank = markup(carol.get(f"{banks}{matching.bank.number}/"))
    assert f'href="{SETUP}"' in bank and "Match with answers" in bank
    assert f'value="{TAGS[0]}"' in (page := " ".join(markup(carol.get(SETUP)).split()))
    assert page.count("checked") == len(TAGS)  # all runs, and no judge
    assert "Judges have finished" not in markup(carol.get(SETUP + "1/"))
    for task in MatchingTask.objects.select_related("judge", "answer", "matching__campaign"):
        for place in range(1, matching.bank.nuggets.filter(topic=task.answer.topic).count() + 1):
            make.make_nugget_label(task, place, SUPPORT, 1)
    assert "Judges have finished" in markup(carol.get(SETUP + "1/"))


def test_answers_without_a_nugget_bank_lead_organisers_to_nuggets(make: Factory) -> None:
    fresh = make.make_campaign()
    make.make_topic(fresh, "1", "boats")
    run = make.make_answer_run(fresh, group="carolab")
    carol = signed_in(make, "carol")
    for place in ("answer-runs/", f"answer-runs/{run.pk}/"):
        assert "Collect nuggets" in markup(carol.get(HOME + place))
    assert "Collect nuggets" not in markup(signed_in(make, "dave").get(HOME + "answer-runs/"))
    make.make_bank(fresh)
    assert "Collect nuggets" not in markup(carol.get(HOME + "answer-runs/"))
