"""The grid topic x judge, its forecast, and its requests."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from assess.models import Assignment, JudgingPlan, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.forecast import forecast, idle_judges_in
from assess.queries.progress import Cell, ProgressGrid, progress_grid
from assess.queries.release_draft import release_preview
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign, move_topic, unassign_topic
from assess.services.counters import repair_counters
from assess.services.gold import load_gold
from assess.services.imports import load_judgments
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.queues import extend_queue, next_documents
from assess.services.releases import release_qrels
from pooling.checksum import NO_TEXT
from pooling.models import Campaign, Role, Topic
from pooling.services.people import add_member
from tests.support.campaign_in_judging import lived_in_campaign
from tests.support.factory import Factory
from tests.support.markup import markup

QUERIES = 14  # of the grid, whatever its size


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Two topics of ten and four documents; no judge has them."""
    campaign = make.make_campaign()
    for number, size in (("1", 10), ("2", 4)):
        make.make_topic(campaign, number)
        make.make_run(campaign, "\n".join(f"{number} D{n} {99 - n}" for n in range(size)), tag=f"run{number}")
    make.make_pool(campaign)
    return campaign


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get(number="1")


def cell(grid: ProgressGrid, topic: str, judge: str) -> Cell:
    place = [column.judge.username for column in grid.columns].index(judge)
    (row,) = [row for row in grid.rows if row.topic.number == topic]
    found = row.cells[place]
    assert found
    return found


def test_a_cell_counts_done_left_relevant_seconds_and_when(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice = make.make_user("alice")
    assign([alice], [topic])
    for docno, relevance, seconds in (("D1", 3, 10.0), ("D2", 0, 20.4), ("D3", 2, 90.0), ("D4", 1, None)):
        judgment = make.make_judgment(campaign, "alice", "1", docno, relevance)
        JudgmentEvent.objects.filter(pk=judgment.event_id).update(active_seconds=seconds)
    last = datetime(2025, 3, 3, 12, tzinfo=UTC)
    JudgmentEvent.objects.update(pressed_at=last)
    repair_counters(campaign)
    found = cell(progress_grid(CampaignReads(campaign)), "1", "alice")
    assert found[:5] == ("primary", 4, 6, 2, 0) and found.seconds == pytest.approx(120.4 / 3)
    assert found.last_label == last and found.total == 10


def test_a_row_counts_documents_once_and_a_column_a_judges_labels(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    JudgingPlan.objects.create(campaign=campaign, overlap="share", overlap_share=20)
    alice, bob = make.make_user("alice"), make.make_user("bob")
    assign([alice], campaign.topics.all())
    assign([bob], [topic], "second")
    for entry in next_documents(bob, topic, 9):
        make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 3)
    make.make_judgment(campaign, "bob", "1", entry.pooled.docno, 0)
    grid = progress_grid(CampaignReads(campaign))
    first = grid.rows[0]
    assert (first.pooled, first.judged, first.relevant, first.left) == (10, 2, 1, 8 + 1)
    assert [(each.judge.username, each.done, each.left) for each in grid.columns] == [
        ("alice", 2, 12),
        ("bob", 1, 1),
    ]
    assert (grid.pooled, grid.judged, grid.done, grid.left, grid.completed) == (14, 2, 3, 13, 0)


def test_what_is_shared_is_left_once_and_an_even_part_for_each(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice, bob = make.make_user("alice"), make.make_user("bob")
    assign([alice, bob], [topic], "shared")
    for judge in (alice, bob):
        (entry,) = next_documents(judge, topic, 1)
        make.make_judgment(campaign, judge.username, "1", entry.pooled.docno, 1)
    (entry, *_) = next_documents(alice, topic, 1)
    make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 1)
    grid = progress_grid(CampaignReads(campaign))
    assert (cell(grid, "1", "alice").done, cell(grid, "1", "bob").done) == (2, 1)
    assert cell(grid, "1", "alice").left == cell(grid, "1", "bob").left == grid.rows[0].left == 7
    assert [column.left for column in grid.columns] == [4, 4]


def test_a_topic_without_a_first_hand_judge_is_named(campaign: Campaign, topic: Topic, make: Factory) -> None:
    alice = make.make_user("alice")
    assert progress_grid(CampaignReads(campaign)).unassigned_topics == ["1", "2"]
    assign([alice], [topic], "second")
    assert progress_grid(CampaignReads(campaign)).unassigned_topics == ["1", "2"]
    assign([alice], campaign.topics.filter(number="2"))
    assert progress_grid(CampaignReads(campaign)).unassigned_topics == ["1"]
    assign([make.make_user("bob")], [topic])
    assert progress_grid(CampaignReads(campaign)).unassigned_topics == []
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    unassign_topic(topic, make.make_user("bob"))
    assert (
        progress_grid(CampaignReads(campaign)).unassigned_topics == ["1"]
        and progress_grid(CampaignReads(campaign)).rows[0].left == 9 + 10
    )


def test_documents_of_a_deeper_pool_do_not_undo_the_assignments_that_are_done(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    assert progress_grid(CampaignReads(campaign)).completed == 0  # there is no assignment
    assign([make.make_user("alice")], campaign.topics.all())
    for number in range(4):
        make.make_judgment(campaign, "alice", "2", f"D{number}", 1)
    assert progress_grid(CampaignReads(campaign)).completed == 1
    make.make_run(campaign, "2 D8 9\n2 D9 8", tag="later")
    make.make_pool(campaign)
    grid = progress_grid(CampaignReads(campaign))
    assert (grid.completed, grid.labelled, grid.unassigned) == (1, 0, 2)
    assign([make.make_user("bob")], campaign.topics.filter(number="2"))
    assert progress_grid(CampaignReads(campaign)).completed == 0


def test_labels_made_elsewhere_leave_nothing_to_wait_for(campaign: Campaign, make: Factory) -> None:
    load_judgments(campaign, make.make_user("carol"), b"1 0 D1 3\n1 0 D2 0\n", "q", "NIST")
    grid = progress_grid(CampaignReads(campaign))
    found = cell(grid, "1", "tiny/NIST")
    assert (found.done, found.left, found.last_label) == (2, 0, None)


def test_hidden_repeats_and_gold_documents_are_not_in_the_figures(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    JudgingPlan.objects.create(campaign=campaign, overlap="share", overlap_share=50, repeat_share=20)
    bob = make.make_user("bob")
    load_gold(campaign, make.make_user("carol"), "gold", b"1 G1 3\n1 G2 3\n1 D9 3\n")
    assign([bob], [topic], "second")
    found = cell(progress_grid(CampaignReads(campaign)), "1", "bob")
    assert (found.done, found.left) == (0, 5)


def test_the_grid_takes_the_same_few_queries_whatever_its_size(
    make: Factory, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    large = lived_in_campaign(make, share=0.2)
    progress_grid(CampaignReads(large))  # reads every event, once
    with django_assert_num_queries(QUERIES):
        grid = progress_grid(CampaignReads(large))
    large.topics.get(number="11").assignments.all().delete()  # the one that is shared
    with django_assert_num_queries(QUERIES - 1):
        progress_grid(CampaignReads(large))
    assert (len(grid.rows), len(grid.columns)) == (12, 6)


@pytest.mark.parametrize("seed", range(4))
def test_remaining_documents_are_counted_by_pool_where_pools_are_counted_differently(
    campaign: Campaign, make: Factory, seed: int
) -> None:
    """Every part in every pool, at random; beside it the entries, counted one by one."""
    draw = Random(seed)
    make.make_run(
        campaign, "\n".join(f"{n} E{rank} {99 - rank}" for n in (1, 2) for rank in range(8)), tag="more"
    )
    make.make_pool(campaign)
    JudgingPlan.objects.create(campaign=campaign, overlap="share", overlap_share=60, seed=seed)
    judges = [make.make_user(name) for name in ("alice", "bob", "zoe")]
    add_member(campaign, judges[-1], Role.JUDGE)  # else the grid names only those who have labels
    places = [
        (judge, topic, pool)
        for judge in judges
        for topic in campaign.topics.all()
        for pool in campaign.pools.all()
    ]
    for judge, topic, pool in draw.sample(places, 8):
        part = draw.choice(["primary", "second", "second"])
        Assignment.objects.create(judge=judge, topic=topic, pool=pool, part=part)
        extend_queue(judge, topic, want=0)
    entries = list(QueueEntry.objects.filter(state="open").order_by("pk"))
    for entry in draw.sample(entries, len(entries) // 3):
        record_judgment(entry, SubmittedJudgment(uuid4(), entry.pooled.docno, NO_TEXT, 1))
    grid = progress_grid(CampaignReads(campaign))
    waiting = Counter(QueueEntry.objects.filter(state="open").values_list("judge__username", "topic__number"))
    remaining = {
        (column.judge.username, row.topic.number): cell.left
        for row in grid.rows
        for column, cell in zip(grid.columns, row.cells, strict=True)
        if cell
    }
    assert {place: left for place, left in remaining.items() if left} == waiting
    assert grid.left == waiting.total() + sum(row.unassigned for row in grid.rows)


def test_open_entries_are_counted_from_their_index(campaign: Campaign, topic: Topic, make: Factory) -> None:
    assign([make.make_user("alice")], [topic], "second")
    with CaptureQueriesContext(connection) as captured:
        progress_grid(CampaignReads(campaign))
    (sql,) = [query["sql"] for query in captured.captured_queries if "assess_queueentry" in query["sql"]]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # which walks through small tables
            statistics = "relpages = 100000, reltuples = 1e6 WHERE relname = 'assess_queueentry'"
            cursor.execute(f"UPDATE pg_class SET {statistics}")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' * (connection.vendor == 'sqlite')}{sql}")
        plan = str(cursor.fetchall())
    assert "COVERING INDEX waiting_in_queues" in plan or "Only Scan using waiting_in_queues" in plan


# the days to come


def test_the_forecast_completes_begun_topics_first(campaign: Campaign, topic: Topic, make: Factory) -> None:
    alice = make.make_user("alice")
    assign([alice], campaign.topics.all())
    judgment = make.make_judgment(campaign, "alice", "1", "D1", 1)
    JudgmentEvent.objects.filter(pk=judgment.event_id).update(active_seconds=3600)
    repair_counters(campaign)
    grid, now = progress_grid(CampaignReads(campaign)), datetime(2025, 3, 3, tzinfo=UTC)
    found = forecast(grid, now, hours_a_day=5, budget=12)
    assert found.hours == 13  # an hour each, of nine and four documents
    assert str(found.finish.last) == "2025-03-05"
    assert [topic.number for topic in found.completed] == ["1"]  # it is begun
    assert [topic.number for topic in found.others] == ["2"]
    assert forecast(grid, now, hours_a_day=5).others == []


def test_a_judge_idle_for_days_is_stated_in_a_sentence(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice = make.make_user("alice")
    alice.name = "T. Rieder"
    alice.save()
    assign([alice], [topic])
    make.make_judgment(campaign, "alice", "1", "D1", 1)
    JudgmentEvent.objects.update(pressed_at=timezone.now() - timedelta(days=4, hours=1))
    repair_counters(campaign)
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get("/campaigns/tiny/"))
    assert "T. Rieder was last seen 4 days ago: 9 documents left in topic 1." in page
    assert "/campaigns/tiny/judging/topics/1/" in page
    (stalled,) = idle_judges_in(progress_grid(CampaignReads(campaign)), timezone.now())
    assert stalled.judge == "T. Rieder"


def test_an_adjudicator_sees_the_grid_and_no_way_to_move_topics(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("ada"))
    for url in ("/campaigns/tiny/", "/campaigns/tiny/progress/"):
        page = markup(client.get(url))
        assert "Progress" in page and "/judging/" not in page


def test_the_budget_is_worked_out_in_the_page_and_in_the_fragment(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    assign([make.make_user("alice")], [topic])
    client = Client()
    client.force_login(make.make_user("carol"))
    for url in ("/campaigns/tiny/progress/", "/campaigns/tiny/budget/"):
        asked = markup(client.get(url, {"hours_a_day": "2", "budget": "0.05"}))
        assert "<b>1 of 2</b> open topics" in asked  # four documents of half a minute
        assert "Enter the available hours" in markup(client.get(url))
        assert "every open topic" in markup(client.get(url, {"hours_a_day": "2", "budget": "9"}))


def test_the_budget_assumes_the_mean_active_time_of_the_labels(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    assign([make.make_user("alice")], [topic])
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "no label has a recorded time yet" in markup(client.get("/campaigns/tiny/budget/"))
    judgment = make.make_judgment(campaign, "alice", "1", "D1", 1)
    JudgmentEvent.objects.filter(pk=judgment.event_id).update(active_seconds=52)
    repair_counters(campaign)
    assert "52 s, the mean active time so far" in markup(client.get("/campaigns/tiny/budget/"))


@pytest.mark.parametrize("wrong", ["x", "-1", "nan", "inf", "1e400", "\0"])
def test_a_budget_that_is_no_number_shows_an_error(campaign: Campaign, make: Factory, wrong: str) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    asked = client.get("/campaigns/tiny/budget/", {"hours_a_day": "4", "budget": wrong})
    assert asked.status_code == 200 and 'class="alert' in markup(asked)


def test_former_judges_stay_in_the_grid_with_what_they_did(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    zoe = make.make_user("zoe")
    member = add_member(campaign, zoe, Role.JUDGE)
    assign([zoe], [topic])
    make.make_judgment(campaign, "zoe", "1", "D1", 1)
    unassign_topic(topic, zoe)
    member.delete()
    found = cell(progress_grid(CampaignReads(campaign)), "1", "zoe")
    assert (found.part, found.done, found.left) == ("", 1, 0)
    assert User.objects.filter(username="zoe").exists()


def test_documents_of_a_second_pool_are_left_until_a_judge_has_them(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice, bob = make.make_user("alice"), make.make_user("bob")
    assign([alice], [topic])
    for rank in range(10):
        make.make_judgment(campaign, "alice", "1", f"D{rank}", 1)
    found = progress_grid(CampaignReads(campaign))
    assert (found.rows[0].left, found.completed, found.labelled) == (0, 1, 1)
    assign([bob], [topic], "second")
    found = progress_grid(CampaignReads(campaign))
    assert (found.completed, found.labelled) == (0, 1)
    unassign_topic(topic, bob)
    make.make_run(campaign, "\n".join(f"1 N{rank} {9 - rank}" for rank in range(3)), tag="later")
    make.make_pool(campaign)
    row = progress_grid(CampaignReads(campaign)).rows[0]
    assert (row.pooled, row.judged, row.left, row.unassigned) == (13, 10, 3, 3)
    found = progress_grid(CampaignReads(campaign))
    assert (found.completed, found.unassigned_topics) == (1, ["1", "2"])
    move_topic(topic, alice, bob)
    assert progress_grid(CampaignReads(campaign)).rows[0].left == 3
    assign([bob], [topic])
    row = progress_grid(CampaignReads(campaign)).rows[0]
    assert (row.left, row.unassigned) == (3, 0) and progress_grid(
        CampaignReads(campaign)
    ).unassigned_topics == ["2"]


def test_relevant_documents_are_counted_as_the_next_release_does(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    assign([make.make_user("alice"), make.make_user("bob")], [topic])
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    make.make_judgment(campaign, "alice", "1", "D2", 3)
    preview = release_preview(CampaignReads(campaign), CampaignReads(campaign).release_plan)
    assert progress_grid(CampaignReads(campaign)).relevant == preview.relevant == 1
    assert progress_grid(CampaignReads(campaign)).rule == "majority, ties to the lower grade"
    release_qrels(campaign, make.make_user("carol"), ReleasePlan("maximum"))
    assert (progress_grid(CampaignReads(campaign)).relevant, progress_grid(CampaignReads(campaign)).rule) == (
        2,
        "maximum",
    )
