"""What rules would have cost: means over simulated reviews, and the page that shows them."""

from __future__ import annotations

import numpy as np
import pytest
from django.test import Client

from assess.active_learning.cal import review
from assess.active_learning.costs import LabelledTopic, rule_costs
from assess.active_learning.features import text_features
from assess.active_learning.progress import ADVISERS
from assess.active_learning.services.simulations import simulate_reviews
from assess.active_learning.simulation import first_stops
from assess.active_learning.strata_advice import TARGETS
from assess.models import LabelSummary, ReviewSimulation
from pooling.models import Campaign, Job
from pooling.refusals import Refused
from tests.assess.active_learning.labelled_texts import themed
from tests.support.factory import Factory
from tests.support.markup import markup

GIVEN = [themed(150, seed=seed, share=0.1) for seed in (1, 2)]
PAGE = "/campaigns/tiny/judging/high-recall/costs/"


def test_the_figures_are_means_over_topics() -> None:
    features = text_features(GIVEN[0].texts)
    other = np.roll(GIVEN[0].relevant, 1)  # labels that the texts do not explain
    vector = features.vector_of(GIVEN[0].topic)
    topics = [LabelledTopic(vector, GIVEN[0].relevant), LabelledTopic(vector, other)]
    costs = {cost.title: cost for cost in rule_costs(features.matrix, topics, 0, 3)}
    assert len(costs) == len(ADVISERS) + len(TARGETS)
    misses = []
    for topic in topics:
        none = np.zeros(0, dtype=np.int64)
        order = review(features.matrix, topic.relevant, vector, none, 3, intercept=True)
        misses.append(first_stops(order, 150, rules=["misses"])["misses"])
    found = costs["50 misses in a row"]
    assert found.judged == np.mean([stop.reviewed for stop in misses])
    share = [stop.found / topic.relevant.sum() for stop, topic in zip(misses, topics, strict=True)]
    assert found.recall == pytest.approx(np.mean(share))
    assert (found.topics, found.stopped) == (2, sum(stop.has_stopped for stop in misses))
    assert found.reached == sum(value >= 0.8 for value in share)
    assert costs["QBCB 0.8"].stopped == 0  # no sample: nothing can be promised
    assert costs["QBCB 0.8"].judged == 150
    strata = costs["S-CAL 30, Strata 0.8"]  # without a sample: once the batches hold all
    assert (strata.stopped, strata.recall, strata.reached) == (2, 1, 2) and strata.judged <= 150


def test_s_cal_stops_by_its_strata() -> None:
    features = text_features(GIVEN[0].texts)
    topics = [LabelledTopic(features.vector_of(GIVEN[0].topic), GIVEN[0].relevant)]
    costs = {cost.title: cost for cost in rule_costs(features.matrix, topics, 100, 3)}
    strata = costs["S-CAL 30, Strata 0.8"]
    assert strata.stopped == strata.reached == 1 and 0.8 <= strata.recall <= 1
    assert costs["S-CAL 30, Strata 0.95"].recall >= strata.recall


def build_campaign(make: Factory) -> Campaign:
    """Topic 1 with labels for a collection of 150 documents; topic 2 without."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", GIVEN[0].topic)
    make.make_topic(campaign, "2", "yeast")
    make.make_collection(campaign, {f"D{row}": text for row, text in enumerate(GIVEN[0].texts)})
    make.make_run(campaign, "\n".join(f"1 D{row} {200 - row}" for row in range(150)))
    make.make_pool(campaign, depth=150)
    for pooled in campaign.pools.get().documents.all():
        grade = 3 if GIVEN[0].relevant[int(pooled.docno[1:])] else 0
        LabelSummary.objects.update_or_create(
            pooled=pooled, campaign=campaign, defaults={"graders": 1, "lowest": grade, "highest": grade}
        )
    return campaign


def test_topics_with_labels_are_simulated(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    found = simulate_reviews(campaign, carol, make.make_collection(campaign), 60, 3)
    assert found.topics == {"1": int(GIVEN[0].relevant.sum())}
    features = text_features(f"\n{text}" for text in GIVEN[0].texts)
    topics = [LabelledTopic(features.vector_of(f"{GIVEN[0].topic} "), GIVEN[0].relevant)]
    expected = [cost._asdict() for cost in rule_costs(features.matrix, topics, 60, 3)]
    found.refresh_from_db()
    assert found.costs == expected


def test_the_page_simulates_in_a_job(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "Simulate 1 review</button>" in " ".join(markup(client.get(PAGE)).split())
    asked = {"collection": 1, "sample_size": 60, "seed": 3, "request_key": "one"}
    for _ in range(2):  # a second press is the same
        page = " ".join(markup(client.post(PAGE, asked, follow=True)).split())
    assert ReviewSimulation.objects.count() == 1
    assert Job.objects.get(title__startswith="Simulate").message == "1 topic simulated."
    assert "CHM 0.95" in page and "Stopped in topics" in page
    assert campaign.audit_log.order_by("-number")[0].verb == "simulated reviews"


def test_without_labels_there_is_nothing_to_simulate(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail")
    collection = make.make_collection(campaign)
    with pytest.raises(Refused, match="No topic has 5 documents"):
        simulate_reviews(campaign, make.make_user("carol"), collection, 5, 3)
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "Nothing to simulate yet" in markup(client.get(PAGE))
