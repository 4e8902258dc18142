"""How a campaign is judged: changed freely before the first label, and not shuffled after it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from assess.models import JudgingPlan, QueueEntry
from assess.queries.judging import cards_of
from assess.queries.queues import judging_plan_of
from assess.services.assignments import assign
from assess.services.plans import PlanLocked, change_plan
from assess.services.queues import next_documents
from pooling.models import Campaign, Topic
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/plan/"
PLAN: dict[str, Any] = {
    "order": "docno", "seed": 3, "burn_in": 0, "overlap": "share", "overlap_share": 25, "overlap_count": 9,
    "idle_seconds": 90, "idle_per_1000": 20,
    "repeat_share": 3, "highlighting": "on",
}  # fmt: skip


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {100 - rank}" for rank in range(20)))
    make.make_pool(campaign, depth=20)
    return campaign


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get()


@pytest.fixture
def organiser(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def queue(judge: User, topic: Topic) -> list[str]:
    return [entry.pooled.docno for entry in next_documents(judge, topic, 99)]


def test_before_the_first_label_another_order_lays_every_queue_anew(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice, bob = make.make_user("alice"), make.make_user("bob")
    assign([alice], [topic])
    assign([bob], [topic], "second")
    assert queue(alice, topic) != sorted(queue(alice, topic)) and len(queue(bob, topic)) == 20
    held = set(QueueEntry.objects.filter(judge=alice).values_list("pk", flat=True))
    change_plan(campaign, order="docno", overlap="share", overlap_share=10)
    assert queue(alice, topic) == sorted(queue(alice, topic)) and len(queue(alice, topic)) == 20
    assert len(queue(bob, topic)) == 2
    assert (
        set(QueueEntry.objects.filter(judge=alice).values_list("pk", flat=True)) == held
    )  # cards keep theirs


@pytest.mark.parametrize("field", [{"order": "docno"}, {"seed": 5}, {"burn_in": 3}])
def test_the_first_label_fixes_the_order(
    campaign: Campaign, topic: Topic, make: Factory, field: dict[str, Any]
) -> None:
    alice = make.make_user("alice")
    assign([alice], [topic])
    make.make_judgment(campaign, "alice", "1", "D03", 2)
    before = queue(alice, topic)
    with pytest.raises(PlanLocked, match="already labelled"):
        change_plan(campaign, **field)
    change_plan(campaign, **{name: getattr(judging_plan_of(campaign), name) for name in field}, breaks=False)
    assert queue(alice, topic) == before and not judging_plan_of(campaign).breaks


def test_after_the_first_label_a_new_overlap_rule_only_adds(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    bob = make.make_user("bob")
    change_plan(campaign, overlap="share", overlap_share=20)
    assign([bob], [topic], "second")
    before = queue(bob, topic)
    make.make_judgment(campaign, "bob", "1", before[0], 2)
    change_plan(campaign, overlap_share=5)
    assert queue(bob, topic) == before[1:]
    change_plan(campaign, overlap_share=50)
    assert queue(bob, topic)[:3] == before[1:] and len(queue(bob, topic)) == 9


def test_the_page_saves_every_part_of_the_plan_and_twice_is_once(
    campaign: Campaign, organiser: Client
) -> None:
    for _ in range(2):
        assert "The judging plan is saved." in markup(organiser.post(URL, PLAN, follow=True))
    plan = JudgingPlan.objects.get()
    assert {name: getattr(plan, name) for name in PLAN} == PLAN | {"highlighting": True}
    assert not plan.breaks


def test_the_page_explains_every_choice(campaign: Campaign, organiser: Client) -> None:
    page = markup(organiser.get(URL))
    for words in (
        "judges do not get tired at the same documents",
        "may notice",
        "grows as the primary judge goes on",
    ):
        assert words in page


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"order": "live"}, "live is not one of the available choices"),
        ({"seed": -1}, "greater than or equal to 0"),
        ({"overlap_share": 0}, "greater than or equal to 1"),
        ({"repeat_share": 21}, "less than or equal to 20"),
        ({"overlap": ""}, "This field is required"),
    ],
)
def test_an_invalid_plan_shows_an_error_and_nothing_is_stored(
    campaign: Campaign, organiser: Client, wrong: dict[str, Any], expected: str
) -> None:
    page = organiser.post(URL, PLAN | wrong)
    assert expected in markup(page)
    assert not JudgingPlan.objects.exists()


def test_after_the_first_label_the_page_says_that_the_order_is_fixed(
    campaign: Campaign, topic: Topic, make: Factory, organiser: Client
) -> None:
    assign([make.make_user("alice")], [topic])
    make.make_judgment(campaign, "alice", "1", "D03", 2)
    assert "The order cannot change after the first label" in markup(organiser.get(URL))
    assert "cannot change" in markup(organiser.post(URL, PLAN))
    rest = {name: value for name, value in PLAN.items() if name not in ("order", "seed", "burn_in")}
    assert "The judging plan is saved." in markup(organiser.post(URL, rest, follow=True))
    plan = judging_plan_of(Campaign.objects.get())
    assert (plan.order, plan.overlap_share) == ("random-own", 25)


def test_the_command_changes_what_is_named_and_refuses_as_the_page_does(campaign: Campaign) -> None:
    call_command("plan_judging", "tiny", "--order", "docno", "--breaks", "off", "--repeat-share", "3")
    plan = judging_plan_of(campaign)
    assert (plan.order, plan.breaks, plan.highlighting, plan.repeat_share) == ("docno", False, True, 3)
    with pytest.raises(CommandError, match="--repeat-share: .*20"):
        call_command("plan_judging", "tiny", "--repeat-share", "90")


def test_the_idle_limit_grows_with_the_document_and_is_on_the_card(campaign: Campaign, make: Factory) -> None:
    change_plan(campaign, idle_seconds=90, idle_per_1000=20)
    make.make_document(campaign, "D01", "x" * 2500)
    alice = make.make_user("alice")
    assign([alice], campaign.topics.all())
    limits = {}
    for entry in QueueEntry.objects.filter(judge=alice):
        (card,) = cards_of([entry])
        limits[card.docno] = card.idle_limit
    assert limits.pop("D01") == 140 and set(limits.values()) == {90}
    client = Client()
    client.force_login(alice)
    entry = QueueEntry.objects.filter(judge=alice, pooled__docno="D01")[0]
    assert 'data-idle-limit="140"' in markup(client.get(f"/campaigns/tiny/judge/{entry.pk}/"))
