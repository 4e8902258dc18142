"""Does it matter? Two judges, two topics, two runs: four possible qrels, all counted by hand."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from itertools import product

import numpy as np
import pytest
from django.core.cache import cache
from django.test import Client

from assess.queries.agreement import agreement_scope
from assess.queries.campaign_reads import CampaignReads
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from metrics.measures.names import parse_measure
from metrics.queries.judge_qrels import combined_grades
from metrics.queries.judge_swap import (
    NO_CHOICE,
    NO_QRELS,
    NO_RUNS,
    human_ceilings,
    judge_as_run,
    judge_swap,
    scores_by_judge,
)
from metrics.rankings.rank_correlation import kendall_tau_a
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/agreement/swap/"
P1, AP = parse_measure("P@1"), parse_measure("AP")
LABELS = {  # (topic, docno) -> alice, bob
    ("1", "A"): (3, 0), ("1", "B"): (0, 3), ("2", "A"): (2, 2), ("2", "B"): (0, 0),
}  # fmt: skip


def build_campaign(make: Factory) -> Campaign:
    """Sloop has A first, wheel B, raft neither in topic 1; alice and bob differ there."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number) for number in "12"]
    make.make_run(campaign, "1 A 2\n1 B 1\n2 A 2\n2 B 1", tag="sloop")
    make.make_run(campaign, "1 B 2\n1 A 1\n2 B 2\n2 A 1", tag="wheel")
    make.make_run(campaign, "1 C 2\n2 A 1", tag="raft")
    make.make_pool(campaign)
    assign([make.make_user("alice"), make.make_user("bob")], topics)
    for (topic, docno), (alice, bob) in LABELS.items():
        make.make_judgment(campaign, "alice", topic, docno, alice)
        make.make_judgment(campaign, "bob", topic, docno, bob)
    make.make_judgment(campaign, "alice", "1", "C", 0)
    make.make_judgment(campaign, "bob", "1", "C", 0)
    return campaign


def shown(make: Factory, place: str = "", name: str = "carol", **query: str | int) -> str:
    client = Client()
    client.force_login(make.make_user(name))
    response = client.get(PAGE + place, query)
    assert response.status_code == 200
    return markup(response)


def test_runs_are_scored_by_each_judge(campaign: Campaign) -> None:
    found = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    assert (found.judges, found.topics, found.tags) == (
        ("alice", "bob"),
        ("1", "2"),
        ("raft", "sloop", "wheel"),
    )
    assert found.judged.all() and found.reason == ""
    assert found.scores[0].tolist() == [[0, 1, 0], [1, 1, 0]]
    assert found.scores[1].tolist() == [[0, 0, 1], [1, 1, 0]]
    # ties go to the lower grade: officially nothing is relevant in topic 1
    assert found.official.tolist() == [[0, 0, 0], [1, 1, 0]]
    assert found.alternatives["union"].tolist() == [[0, 1, 1], [1, 1, 0]]
    assert found.alternatives["intersection"].tolist() == [
        [0, 1, 1],
        [1, 1, 0],
    ]  # empty in topic 1: the union
    assert found.alternatives["majority"].tolist() == [[0, 1, 1], [1, 1, 0]]


def test_draws_come_to_every_possible_qrels(campaign: Campaign) -> None:
    found = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    swap = judge_swap(found)
    assert (swap.topics, swap.varied, swap.possible, swap.draws) == (2, 2, 4, 1000)
    official = found.official.mean(axis=0)
    taus = [
        kendall_tau_a(official, np.mean([found.scores[first, 0], found.scores[second, 1]], axis=0)).value
        for first, second in product(range(2), repeat=2)
    ]
    assert (swap.tau.lowest, swap.tau.highest) == (min(taus), max(taus))  # type: ignore[type-var]
    assert swap.tau.mean == pytest.approx(np.mean(taus), abs=0.05)  # type: ignore[arg-type]


def test_the_page_shows_ranks_swaps_and_fixed_choices(campaign: Campaign, make: Factory) -> None:
    page = shown(make, measure="AP")
    for words in (
        "1,000 draws",
        "Kendall&#x27;s tau-a",
        "tau_AP,a",
        "RBO_ext,a",
        "better half of the runs",
        "union",
        "intersection",
        "the majority of people&#x27;s labels so far",
        "seed 20",
    ):
        assert words in page
    assert 'hx-trigger="load"' in page and "Compute 100,000 draws" in page
    assert "<option selected>AP</option>" in page


def test_the_page_says_that_a_new_judge_would_differ_more(campaign: Campaign, make: Factory) -> None:
    page = " ".join(shown(make).split())
    assert "The draws exchange only judges whose labels are also part of the official qrels" in page
    assert "With two or three judges, the ranking by a new judge would differ more" in page


def test_more_draws_come_on_demand_and_other_numbers_never(campaign: Campaign, make: Factory) -> None:
    more = shown(make, "draws/", draws=100_000)
    assert more.lstrip().startswith('<div id="swap-draws">') and "100,000 draws" in more
    assert "1,000 draws" in shown(make, "draws/", draws=10**9)


def test_draws_are_made_once_until_a_label_comes_in(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shown(make, "draws/")
    shown(make, "draws/", draws=100_000)
    monkeypatch.setattr(import_module("metrics.views.judge_swap"), "judge_swap", None)
    assert shown(make, "draws/") == first
    shown(make, "ceiling/")  # which draws nothing
    make.make_judgment(campaign, "alice", "1", "A", 0)
    with pytest.raises(TypeError):
        shown(make, "draws/")


def test_the_newest_release_is_the_official_one(campaign: Campaign, make: Factory) -> None:
    before = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    release_qrels(campaign, make.make_user("carol"))
    after = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    assert (before.official_name, after.official_name) == (
        "the majority of people's labels so far",
        "Qrels v1",
    )
    assert after.official.tolist() == before.official.tolist()


def test_a_judge_as_a_run_is_scored_by_the_other_one(campaign: Campaign) -> None:
    found = {
        (each.judge, each.against): each
        for each in human_ceilings(agreement_scope(CampaignReads(campaign)), AP)
    }
    mine = found["alice", "bob"]
    # topic 1: A first, then B and C in either order, B relevant to bob: AP 1/2 or 1/3; topic 2: A first, AP 1
    assert mine.topics == 2
    assert mine.worst == pytest.approx((1 / 3 + 1) / 2) and mine.best == pytest.approx((1 / 2 + 1) / 2)
    assert mine.worst < mine.expected < mine.best
    assert mine.run == "sloop"  # and wheel with the same
    assert mine.run_score == pytest.approx((1 + 1 / 2) / 2)


def test_a_judge_as_a_run_has_every_document_with_its_grade(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "C", 1)
    run = judge_as_run(agreement_scope(CampaignReads(campaign)), "alice", CampaignReads(campaign).pooled)
    pairs = zip(np.repeat(run.topics, run.lengths), run.docnos.tolist(), run.scores.tolist(), strict=True)
    given = {(topic, docno): grades[0] for (topic, docno), grades in LABELS.items()} | {("1", "C"): 1}
    assert {(topic, docno.decode()): score for topic, docno, score in pairs} == given


def test_a_judge_who_saw_less_than_nine_tenths_stands_in_for_nobody(
    campaign: Campaign, make: Factory
) -> None:
    third = make.make_topic(campaign, "3")
    make.make_run(campaign, "\n".join(f"3 D{n} {10 - n}" for n in range(10)), tag="punt")
    make.make_pool(campaign)
    assign([make.make_user("alice"), make.make_user("bob")], [third])
    for n in range(10):
        make.make_judgment(campaign, "alice", "3", f"D{n}", 2)
    for n in range(8):
        make.make_judgment(campaign, "bob", "3", f"D{n}", 2)
    found = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    assert found.judged.tolist() == [[True, True, True], [True, True, False]]
    make.make_judgment(campaign, "bob", "3", "D8", 2)
    assert scores_by_judge(agreement_scope(CampaignReads(campaign)), P1).judged.all()
    assert judge_swap(found).varied == 2


def test_where_nothing_can_be_swapped_the_page_says_why(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    assert NO_RUNS in shown(make)
    make.make_run(campaign, "1 D1 1", tag="second")
    assert NO_QRELS in shown(make)
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    assert NO_CHOICE in shown(make)
    assert "No two judges cover the same topic" in shown(make, "ceiling/")


def test_machines_are_drawn_only_when_asked(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, "1 0 A 3\n1 0 B 3\n1 0 C 0\n2 0 A 0\n2 0 B 3\n")
    assert scores_by_judge(agreement_scope(CampaignReads(campaign)), P1).judges == ("alice", "bob")
    assert "robot (machine)" in shown(make, machines="on") and "robot" not in shown(make)


def test_grades_are_combined_topic_by_topic() -> None:
    grades = np.array([[2, 0, 1], [1, 2, 9]])  # of A and B in topic 1, of A in topic 2
    counted = np.array([[True, True, True], [True, True, False]])
    official, topic = np.array([0, 0, 0]), np.array([0, 0, 1])

    def told(name: str, threshold: int) -> list[int]:
        return list(combined_grades(grades, counted, official, topic, threshold)[name])

    assert told("union", 2) == [2, 2, 1]
    assert told("intersection", 1) == [1, 0, 1]
    assert told("intersection", 2) == [2, 2, 1]  # nothing left at 2 in topic 1: the union
    assert told("majority", 1) == [1, 0, 1]
    nobody = combined_grades(grades[:0], counted[:0], official, topic, 1)
    assert all(each.tolist() == [0, 0, 0] for each in nobody.values())


def test_scores_that_are_kept_follow_every_label(campaign: Campaign, make: Factory) -> None:
    before = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    make.make_judgment(campaign, "alice", "1", "A", 0)
    after = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    assert not np.array_equal(before.scores[0], after.scores[0])
    assert np.array_equal(before.scores[1], after.scores[1])  # bob's are as they were
    cache.clear()
    anew = scores_by_judge(agreement_scope(CampaignReads(campaign)), P1)
    assert np.array_equal(after.scores, anew.scores) and np.array_equal(after.official, anew.official)
    assert all(
        np.array_equal(after.alternatives[name], anew.alternatives[name]) for name in anew.alternatives
    )


def test_ceilings_follow_every_label(campaign: Campaign, make: Factory) -> None:
    before = human_ceilings(agreement_scope(CampaignReads(campaign)), AP)
    assert {(each.judge, each.against) for each in before} == {("alice", "bob"), ("bob", "alice")}
    make.make_judgment(campaign, "alice", "1", "A", 0)
    after = human_ceilings(agreement_scope(CampaignReads(campaign)), AP)
    assert after != before
    cache.clear()
    assert human_ceilings(agreement_scope(CampaignReads(campaign)), AP) == after


@pytest.mark.parametrize("name", ["nDCG@1", "nDCG@2", "nDCG@10", "P@1", "P@2", "R@1", "R@10"])
def test_runs_that_are_scored_together_score_as_one_after_the_other(campaign: Campaign, name: str) -> None:
    together = parse_measure(name)
    singly = replace(together, kind=replace(together.kind, at_ranks=None))
    assert together.at_ranks and not singly.at_ranks
    found = scores_by_judge(agreement_scope(CampaignReads(campaign)), together)
    cache.clear()
    expected = scores_by_judge(agreement_scope(CampaignReads(campaign)), singly)
    assert found.scores.any()
    assert np.array_equal(found.scores, expected.scores)
    assert np.array_equal(found.official, expected.official)
    assert all(np.array_equal(found.alternatives[rule], each) for rule, each in expected.alternatives.items())
