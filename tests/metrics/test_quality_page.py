"""What the judgments can carry, and one click that fills the holes."""

from __future__ import annotations

import random
import uuid

import numpy as np
import pytest
from django.core.cache import cache
from django.test import Client

from assess.consensus import ADJUDICATED, MAJORITY
from assess.models import JudgingPlan
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.release.plan import ReleasePlan
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from metrics.engine.evaluate import evaluate
from metrics.engine.qrels_index import index_qrels
from metrics.measures.names import parse_measure
from metrics.plots import saturation_plot
from metrics.queries.quality import pool_quality, saturation_by_topic, topic_saturation
from metrics.queries.scores import stored_runs
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run
from pooling.models import Campaign, Run
from pooling.quality.verdict import JudgmentUse
from pooling.queries.documents import pooled_in
from pooling.queries.runs import ranked_runs, run_columns, submitted_text
from tests.support.factory import Factory
from tests.support.markup import markup


def build_campaign(make: Factory) -> Campaign:
    """Two groups pooled at depth 1; harbour alone found the relevant A, mill alone the irrelevant B."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_run(campaign, "1 A 3\n1 C 2\n1 B 1", tag="sloop", group="harbour")
    make.make_run(campaign, "1 B 3\n1 A 2\n1 D 1", tag="wheel", group="mill")
    make.make_pool(campaign, depth=1)
    assign([make.make_user("alice")], campaign.topics.all())
    make.make_judgment(campaign, "alice", "1", "A", 3)
    make.make_judgment(campaign, "alice", "1", "B", 0)
    return campaign


def test_holes_contributions_and_what_a_newcomer_loses(campaign: Campaign) -> None:
    found = pool_quality(CampaignReads(campaign))
    assert found
    lines = {line.run.tag: line for line in found.runs}
    assert lines["sloop"].unjudged[0] == pytest.approx(
        1 / 5
    )  # C among the first 5; short lists count as judged
    assert (lines["sloop"].brought.unique, lines["sloop"].brought.unique_relevant) == (1, 1)
    assert (lines["sloop"].score, lines["sloop"].without_run, lines["sloop"].without_group) == (
        1.0,
        0.0,
        0.0,
    )  # without A nothing is relevant
    assert (lines["wheel"].score, lines["wheel"].without_group) == (0.5, 0.5)  # B's removal changes no AP
    assert (lines["sloop"].rank, lines["sloop"].rank_without) == (1, 2)
    assert found.groups["harbour"].unique_relevant == 1
    assert found.levels[0] == (1, 2, 1)


def test_unjudged_documents_are_pooled_after_a_question_that_says_how_many(
    campaign: Campaign, make: Factory
) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    asked = markup(client.post("/campaigns/tiny/pool/top-up/", {"k": 3}))
    assert ">Freeze a pool of 2 unjudged documents<" in asked and campaign.pools.count() == 1
    page = markup(client.post("/campaigns/tiny/pool/top-up/", {"k": 3, "confirmed": "yes"}, follow=True))
    assert "Pool 2 is frozen with 2 new documents" in page
    assert set(pooled_in(campaign).values_list("docno", flat=True)) == {"A", "B", "C", "D"}
    again = markup(client.post("/campaigns/tiny/pool/top-up/", {"k": 3}, follow=True))
    assert "are already in a pool, so there is nothing to add" in again
    assert "Enter the depth as a whole number" in markup(
        client.post("/campaigns/tiny/pool/top-up/", {}, follow=True)
    )


def test_before_anything_is_judged_there_is_nothing_to_say(make: Factory) -> None:
    assert pool_quality(CampaignReads(make.make_pooled_campaign())) is None


def test_saturation_is_shown_of_the_topic_that_is_chosen(campaign: Campaign, make: Factory) -> None:
    second = make.make_topic(campaign, "2")
    make.make_topic(campaign, "3")
    make.make_run(campaign, "2 A 3\n2 B 1\n2 C 1", tag="later")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [second])
    for docno, relevance in (("C", 3), ("A", 0), ("B", 2)):  # of best ranks 3, 1 and 2
        make.make_judgment(campaign, "alice", "2", docno, relevance)
    curves = saturation_by_topic(CampaignReads(campaign))
    shown = topic_saturation(CampaignReads(campaign), curves, "2")
    assert shown and (shown.topics, shown.topic) == (["1", "2"], "2")
    assert shown.curve.tolist() == [0, 0, 1, 2]
    unjudged = topic_saturation(CampaignReads(campaign), curves, "3")
    assert unjudged and unjudged.topic == "1"

    client = Client()
    client.force_login(make.make_user("carol"))
    for place in ("", "saturation/"):
        page = markup(client.get(f"/campaigns/tiny/pool/quality/{place}", {"topic": "2"}))
        assert "<option selected>2</option>" in page and "Topic 2, as a table" in page
        assert "All topics" not in page
        assert "still rises at its end means that a deeper pool would find more" in page
        assert "relevant documents found, in the order of pool depth" in page
    JudgingPlan.objects.update_or_create(campaign=campaign, defaults={"order": "priority"})
    assert saturation_by_topic(CampaignReads(campaign))["2"].tolist() == [
        0,
        1,
        1,
        2,
    ]  # in the order of judging
    page = markup(client.get("/campaigns/tiny/pool/quality/saturation/"))
    assert "still rises at its end means that more judging would find more relevant documents" in page
    assert "relevant documents found, in the order of judging" in page


def test_relevant_is_what_the_rule_of_a_release_made_now_says(campaign: Campaign, make: Factory) -> None:
    """Alice gave A grade 3 and bob 0: the lowest of equally many is the majority. Ada settles it as 3."""
    assign([make.make_user("bob")], campaign.topics.all())
    make.make_judgment(campaign, "bob", "1", "A", 0)
    client = Client()
    client.force_login(make.make_user("carol"))
    for rule, relevant in ((MAJORITY, 0), (ADJUDICATED, 1)):
        found = pool_quality(CampaignReads(campaign))
        assert found and found.groups["harbour"].relevant == relevant
        assert saturation_by_topic(CampaignReads(campaign))["1"].tolist()[-1] == relevant
        page = markup(client.get("/campaigns/tiny/pool/quality/"))
        assert f"Rule for grades: {rule}; relevant from" in page
        card = dispute_in(CampaignReads(campaign), make.make_user("ada"), make.pooled(campaign, "1", "A").pk)
        if card and rule == MAJORITY:
            press = Settlement(uuid.uuid4(), "A", card.text_hash, card.last_label, 3)
            settle(card.pooled, make.make_user("ada"), press)


def test_labels_of_programs_do_not_make_a_pool_look_judged(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, "1 0 A 3\n1 0 B 3\n")
    curve = saturation_by_topic(CampaignReads(campaign))["1"].tolist()
    plan = ReleasePlan("maximum", machines=("tiny/robot",))
    release = release_qrels(campaign, make.make_user("carol"), plan)
    assert release.manifest["relevant"] == 2
    found = pool_quality(CampaignReads(campaign))
    assert found and found.groups["mill"].relevant == 0
    assert [run.score for run in found.runs] == [1, 0.5]
    assert saturation_by_topic(CampaignReads(campaign))["1"].tolist() == curve


def test_unjudged_is_a_mean_over_the_topics_that_a_run_answers(campaign: Campaign, make: Factory) -> None:
    second = make.make_topic(campaign, "2")
    make.make_run(campaign, "2 E 2", tag="later", group="mill")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [second])
    make.make_judgment(campaign, "alice", "2", "E", 3)
    found = pool_quality(CampaignReads(campaign))
    assert found
    sloop, later = ({line.run.tag: line for line in found.runs}[tag] for tag in ("sloop", "later"))
    assert sloop.topics == 1  # topic 2 does not count
    assert sloop.unjudged[1] == pytest.approx(0.1)  # C of topic 1
    assert sloop.by_topic == [pytest.approx(0.1), None]
    assert (later.topics, later.by_topic) == (1, [None, 0.0])


@pytest.mark.parametrize(("depth", "use"), [(10, JudgmentUse.PARTICIPANTS), (100, JudgmentUse.NEW_SYSTEMS)])
def test_a_shallow_pool_is_not_said_to_be_safe_for_new_systems(
    make: Factory, depth: int, use: JudgmentUse
) -> None:
    """Four groups rank much the same 120 documents, each in an own order: what one has in its first ten, the
    others have in their first hundred, but not in their first ten."""
    campaign = make.make_campaign()
    topic = make.make_topic(campaign, "1")
    scorer = random.Random(1)
    for group in range(4):
        scores = {n: 200 - n + scorer.gauss(0, 1 + 20 * group) for n in range(120)}
        lines = "\n".join(f"1 D{n:03} {score:.4f}" for n, score in scores.items())
        make.make_run(campaign, lines, tag=f"run{group}", group=f"group{group}")
    make.make_pool(campaign, depth=depth)
    assign([make.make_user("alice")], [topic])
    for docno in pooled_in(campaign).values_list("docno", flat=True):
        make.make_judgment(campaign, "alice", "1", docno, 3 if int(docno[1:]) < 12 else 0)
    found = pool_quality(CampaignReads(campaign))
    assert found and found.verdict.use == use
    assert "leave-one-group-out tau" in found.verdict.rule and "above 0.9" in found.verdict.rule
    assert "without the group's own documents mean unjudged@10" in found.verdict.rule


def test_a_long_curve_is_shown_at_even_steps() -> None:
    rows = saturation_plot(np.arange(1001), 50, "saturation", "All topics").rows
    assert len(rows) == 61 and rows[-1] == [1000, 1000]


def test_where_nothing_is_judged_no_topic_can_be_chosen(make: Factory) -> None:
    make.make_pooled_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    assert client.get("/campaigns/tiny/pool/quality/saturation/").status_code == 404


def test_the_page_asks_for_the_report_once_it_is_there(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get("/campaigns/tiny/pool/quality/"))
    assert (
        'hx-get="/campaigns/tiny/pool/quality/report/"' in page and "Unjudged documents by topic" not in page
    )
    report = markup(client.get("/campaigns/tiny/pool/quality/report/"))
    assert 'id="quality-report"' in report and "Unjudged documents by topic" in report and "sloop" in report
    assert "<html" not in report


def test_where_nothing_is_judged_there_is_no_report(make: Factory) -> None:
    make.make_pooled_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "No judgments yet" in markup(client.get("/campaigns/tiny/pool/quality/"))
    assert client.get("/campaigns/tiny/pool/quality/report/").status_code == 404


def five_runs(make: Factory, draw: random.Random) -> Campaign:
    """Three groups, pooled at depth 3; the last run lacks a topic."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number) for number in ("9", "10", "1")]
    for tag in range(5):
        ranked = [(t, d) for t in ("9", "10", "1") for d in draw.sample(range(9), 5) if (t, tag) != ("1", 4)]
        lines = (f"{topic} D{docno} {9 - place % 5}" for place, (topic, docno) in enumerate(ranked))
        make.make_run(campaign, "\n".join(lines), tag=f"run{tag}", group=f"group{tag // 2}")
    make.make_pool(campaign, depth=3)
    assign([make.make_user("alice")], topics)
    return campaign


def scored_plainly(run: Run, judged: dict[tuple[str, str], int], gone: set[tuple[str, str]]) -> float:
    """Score a run, from its text, on qrels without some lines."""
    left = [f"{t} 0 {d} {grade}\n" for (t, d), grade in judged.items() if (t, d) not in gone]
    if not left:
        return 0.0
    index = index_qrels(parse_qrels("".join(left).encode()))
    return float(evaluate(parse_run(submitted_text(run)), index, [parse_measure("AP")]).means[0])


@pytest.mark.parametrize("seed", range(4))
def test_what_a_newcomer_scores_is_its_score_on_qrels_without_what_it_alone_brought(
    make: Factory, seed: int
) -> None:
    draw = random.Random(seed)
    campaign = five_runs(make, draw)
    pooled = list(pooled_in(campaign).values_list("topic__number", "docno"))
    judged = {pair: draw.choice([0, 0, 2, 3]) for pair in draw.sample(pooled, len(pooled) * 2 // 3)}
    for (topic, docno), grade in judged.items():
        make.make_judgment(campaign, "alice", topic, docno, grade)
    runs, brought = list(campaign.runs.all()), {}
    for run in runs:
        rankings = ranked_runs(campaign, [run], 3)[0].rankings
        brought[run.tag] = {(topic, docno) for topic, docnos in rankings.items() for docno in docnos}
    found = pool_quality(CampaignReads(campaign))
    assert found
    for line in found.runs:
        (run,) = (each for each in runs if each.tag == line.run.tag)
        others = [pairs for tag, pairs in brought.items() if tag != run.tag]
        strangers = [brought[each.tag] for each in runs if each.group != run.group]
        own = set().union(*(brought[each.tag] for each in runs if each.group == run.group))
        alone = brought[run.tag] - set().union(*others)
        assert line.score == scored_plainly(run, judged, set())
        assert line.without_run == scored_plainly(run, judged, alone)
        assert line.without_group == scored_plainly(run, judged, own - set().union(*strangers))


def test_runs_are_read_in_scoring_order(make: Factory) -> None:
    campaign = five_runs(make, random.Random(3))
    runs = list(campaign.runs.all())
    for run, found in zip(runs, stored_runs(runs[::-1])[::-1], strict=True):
        expected = run_columns(run)
        assert found.topics == expected.topics
        assert np.array_equal(found.offsets, expected.offsets)
        assert np.array_equal(found.ids, expected.scored_ids)


def test_a_report_that_follows_labels_is_the_one_made_at_once(make: Factory) -> None:
    draw = random.Random(7)
    campaign = five_runs(make, draw)
    pairs = list(pooled_in(campaign).values_list("topic__number", "docno"))
    for topic, docno in [*draw.sample(pairs, len(pairs)), *draw.sample(pairs, 5)]:
        make.make_judgment(campaign, "alice", topic, docno, draw.choice([0, 0, 2, 3]))
        followed = pool_quality(CampaignReads(campaign))
        cache.clear()
        assert repr(followed) == repr(pool_quality(CampaignReads(campaign)))
    make.make_run(campaign, "9 D1 3\n10 D8 1", tag="later", group="group0")
    followed = pool_quality(CampaignReads(campaign))
    cache.clear()
    assert repr(followed) == repr(pool_quality(CampaignReads(campaign)))
