"""Reviews from the first batch to the stop: pools, queues, provenance, and what a repeated job changes."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from django.core.management import call_command

from assess.active_learning import tasks
from assess.active_learning.batches import sample_rows
from assess.active_learning.features import text_features
from assess.active_learning.queries.collections import opened
from assess.active_learning.queries.reviews import (
    judges_of,
    progress_of,
    provenance_of,
    ready_reviews,
    reviews_of,
)
from assess.active_learning.ranking import Judged, rank_rest
from assess.active_learning.services import batches
from assess.active_learning.services.batches import freeze_batches, freeze_batches_of_job, plan_batch
from assess.active_learning.services.reviews import (
    PlannedReviews,
    ReviewRefused,
    begin_reviews,
    start_batches,
    start_ready_batches,
    stop_review,
)
from assess.models import Assignment, LabelSummary, QueueEntry, Review, ReviewedDocument
from assess.services.assignments import assign
from assess.services.queues import next_documents
from pooling.models import Campaign, Document, Job, Pool
from pooling.services.jobs import Stopped, run_attempt, start_job
from tests.assess.active_learning.labelled_texts import themed
from tests.support.factory import Factory

GIVEN = themed(120, seed=5, share=0.15)
TEXTS = {f"D{row:03}": text for row, text in enumerate(GIVEN.texts)}
RELEVANT = {f"D{row:03}" for row in range(120) if GIVEN.relevant[row]}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    topic = make.make_topic(campaign, "1", GIVEN.topic)
    make.make_topic(campaign, "2", "yeast in a loaf of rye")
    make.make_collection(campaign, TEXTS)
    assert topic.pooled.count() == 0
    return campaign


def begun(campaign: Campaign, make: Factory, **asked: object) -> Review:
    return make.make_review(campaign, **{"first_batch": 5, "sample_size": 20} | asked)  # type: ignore[arg-type]


def label(campaign: Campaign, make: Factory, docnos: Collection[str] | None = None) -> None:
    """Label what alice and bob get of topic 1: all, or these documents."""
    topic = campaign.topics.get(number="1")
    for name in ("alice", "bob"):
        judge = make.make_user(name)
        for entry in next_documents(judge, topic, want=200):
            docno = entry.pooled.docno
            if docnos is None or docno in docnos:
                make.make_judgment(campaign, name, "1", docno, 3 if docno in RELEVANT else 0)


def label_at_once(review: Review) -> None:
    """Store what `label` leads to, without the labels."""
    for pooled in review.topic.pooled.all():
        grade = 3 if pooled.docno in RELEVANT else 0
        summary = {"campaign": review.campaign, "graders": 1, "lowest": grade, "highest": grade}
        LabelSummary.objects.update_or_create(pooled=pooled, defaults=summary)


def fresh(review: Review) -> Review:
    return Review.objects.select_related("topic", "collection", "campaign").get(pk=review.pk)


def freeze_next(review: Review, make: Factory) -> Pool | None:
    number = fresh(review).rounds + 1
    return freeze_batches(review.campaign, {review.pk: number}, make.make_user("carol"))


def test_the_first_batch_is_a_pool_of_the_models_choice_and_of_the_sample(
    campaign: Campaign, make: Factory
) -> None:
    review = begun(campaign, make)
    pool = campaign.pools.get()
    assert (pool.strategy, pool.parameters) == ("high recall", {"round": "1"})
    assert pool.manifest["reviews"] == [
        {
            "topic": "1",
            "round": 1,
            "seed": 7,
            "collection": review.collection.checksums["texts"],
            "labels": 0,
        }
    ]
    rows = review.documents.order_by("place")
    assert [each.place for each in rows.exclude(place=None)] == [1, 2, 3, 4, 5]
    assert pool.documents.count() == rows.count()
    sample = {f"D{row:03}" for row in sample_rows(7, 120, 20).tolist()}
    drawn = set(rows.filter(place=None).values_list("pooled__docno", flat=True))
    assert len(drawn) == 5 and drawn < sample
    features = text_features(f"\n{text}" for text in GIVEN.texts)
    none = np.zeros(0, dtype=np.int64)
    judged = Judged(none, none.astype(bool))
    ranking = rank_rest(
        features.matrix, features.vector_of(GIVEN.topic), judged, np.arange(120), 7, 1, intercept=True
    )
    chosen = list(rows.exclude(place=None).values_list("row", flat=True))
    assert chosen == ranking.documents[:5].tolist()
    assert set(pool.documents.values_list("best_rank", "run_count")) == {(None, 0)}


def test_the_texts_of_a_batch_are_stored_and_no_others(campaign: Campaign, make: Factory) -> None:
    make.make_document(campaign, "D000", "A text that was there.")
    begun(campaign, make)
    pooled = set(campaign.pools.get().documents.values_list("docno", flat=True))
    stored = dict(Document.objects.filter(campaign=campaign).values_list("docno", "text"))
    assert stored.keys() == pooled | {"D000"}
    assert stored["D000"] == "A text that was there."
    assert all(text == TEXTS[docno] for docno, text in stored.items() if docno != "D000")


def test_two_judges_share_a_batch(campaign: Campaign, make: Factory) -> None:
    begun(campaign, make)
    topic, seen = campaign.topics.get(number="1"), []
    for name in ("alice", "bob"):
        entries = next_documents(make.make_user(name), topic, want=4)
        assert all(entry.leased_until for entry in entries)
        seen.append({entry.pooled.docno for entry in entries})
    assert [len(each) for each in seen] == [4, 4] and not seen[0] & seen[1]


def test_a_review_finds_what_is_relevant_and_the_sample_says_so(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    for _ in range(5):
        label(campaign, make)
        freeze_next(review, make)
    label(campaign, make)
    progress = progress_of(fresh(review))
    reached = sorted(fresh(review).documents.exclude(place=None), key=lambda each: each.place or 0)
    assert progress.reviewed == len(reached) == 5 + 6 + 7 + 8 + 9 + 10
    assert progress.labels == [each.pooled.docno in RELEVANT for each in reached]
    assert progress.is_sample_complete
    sample = sample_rows(7, 120, 20).tolist()
    in_order = {each.row for each in reached}
    relevant = [row for row in sample if GIVEN.relevant[row]]
    assert progress.sample == (
        20,
        len(relevant),
        sum(row in in_order for row in sample),
        sum(row in in_order for row in relevant),
    )
    assert progress.found >= 0.8 * len(RELEVANT)
    assert progress.waiting == 0
    call_command("audit", campaign.slug)  # raises for a fault


def test_labels_of_the_sample_alone_change_no_batch(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    drawn = set(review.documents.filter(place=None).values_list("pooled__docno", flat=True))
    before = plan_batch(fresh(review), 2).model
    label(campaign, make, drawn)
    after = plan_batch(fresh(review), 2).model
    assert before is not None and after is not None
    assert before.rows.tolist() == after.rows.tolist() and before.scores.tolist() == after.scores.tolist()


def test_the_same_seed_and_labels_give_the_same_order(campaign: Campaign, make: Factory) -> None:
    orders = []
    for slug in ("tiny", "other"):
        one = campaign if slug == "tiny" else make.make_campaign(slug)
        if slug == "other":
            make.make_topic(one, "1", GIVEN.topic)
            make.make_collection(one, TEXTS)
        review = begun(one, make)
        for _ in range(2):
            label(one, make)
            freeze_next(review, make)
        rows = review.documents.order_by("place", "row").values_list("row", "place", "round", "sample_round")
        orders.append(list(rows))
    assert orders[0] == orders[1]


def test_a_document_of_the_sample_that_the_model_reaches_is_given_once(
    campaign: Campaign, make: Factory
) -> None:
    review = begun(campaign, make, sample_size=120)
    for _ in range(3):
        label(campaign, make)
        freeze_next(review, make)
    both = review.documents.exclude(place=None).exclude(sample_round=None)
    assert both.exists()
    assert ReviewedDocument.objects.filter(review=review).count() == len(
        set(review.documents.values_list("row", flat=True))
    )
    assert QueueEntry.objects.filter(judge__username="alice", pooled=both[0].pooled).count() <= 1


def test_labels_from_before_are_the_seeds(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D000 3\n1 D001 2\n1 X 1")
    make.make_pool(campaign)
    topic = campaign.topics.get(number="1")
    alice = make.make_user("alice")
    assign([alice], [topic])
    make.make_judgment(campaign, "alice", "1", "D001", 3)
    review = begun(campaign, make)
    seeds = review.documents.filter(round=0)
    assert [(each.pooled.docno, each.place, each.score) for each in seeds] == [("D001", 1, None)]
    round_one = review.frozen_rounds.get()
    assert round_one.labels == 1
    # D000 is pooled and has no label: if the model chooses it, it is not pooled again
    assert campaign.pools.count() == 2
    pooled = list(topic.pooled.values_list("docno", flat=True))
    assert len(pooled) == len(set(pooled))


def test_a_job_that_runs_twice_makes_one_batch(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first worker is slow: it trains while the job is given to another one, which freezes the batch."""
    review = begun(campaign, make)
    label(campaign, make)
    plan, calls = batches.plan_batch, []

    def slowly(found: Review, number: int, is_sample_only: bool) -> batches.PlannedBatch:
        planned = plan(found, number, is_sample_only)
        calls.append(number)
        if len(calls) == 1:
            freeze_batches(campaign, {found.pk: number}, make.make_user("carol"))
        return planned

    monkeypatch.setattr(batches, "plan_batch", slowly)
    freeze_batches(campaign, {review.pk: 2}, make.make_user("carol"))
    assert calls == [2, 2]
    assert (fresh(review).rounds, review.frozen_rounds.count(), campaign.pools.count()) == (2, 2, 2)
    assert review.documents.filter(round=2).count() == 6


def test_an_attempt_that_lost_its_job_stores_nothing(campaign: Campaign, make: Factory) -> None:
    """As after kill -9: the job was given to another worker, and the first one comes back."""
    review = begun(campaign, make)
    label(campaign, make)
    job = make.make_job(
        campaign, task=tasks.freeze_batches.module_path, arguments={"rounds": {f"{review.pk}": 2}}
    )
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, task_id="the other")
    job.task_id = "the first"
    with pytest.raises(Stopped):
        freeze_batches_of_job(job)
    assert (fresh(review).rounds, campaign.pools.count()) == (1, 1)
    Job.objects.filter(pk=job.pk).update(state=Job.State.WAITING)
    run_attempt(job.pk, "the other", freeze_batches_of_job)
    assert (fresh(review).rounds, campaign.pools.count()) == (2, 2)
    assert Job.objects.get(pk=job.pk).message == "1 batch frozen."


def test_the_next_batch_comes_once_four_in_five_are_labelled(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    chosen = list(review.documents.filter(round=1).values_list("pooled__docno", flat=True))
    assert ready_reviews(campaign) == []
    label(campaign, make, chosen[:3])
    assert ready_reviews(campaign) == [] and list(start_ready_batches()) == []
    label(campaign, make, chosen[:4])
    assert ready_reviews(campaign) == [review]
    assert list(start_ready_batches()) == ["tiny: next batch of 1 review"]
    assert fresh(review).rounds == 2  # tasks are done at once in tests
    assert list(start_ready_batches()) == []


def test_the_command_of_every_minute_freezes_what_is_ready(
    campaign: Campaign, make: Factory, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(campaign, make)
    label(campaign, make)
    call_command("run_every_minute")
    assert "tiny: next batch of 1 review" in capsys.readouterr().out
    assert campaign.pools.count() == 2


def test_several_topics_share_a_pool(campaign: Campaign, make: Factory) -> None:
    people, carol = [make.make_user("alice")], make.make_user("carol")
    planned = PlannedReviews(make.make_collection(campaign), list(campaign.topics.all()), people, 3, 0, 7)
    reviews = begin_reviews(campaign, carol, planned)
    start_batches(campaign, carol, reviews)
    pool = campaign.pools.get()
    assert set(pool.documents.values_list("topic__number", flat=True)) == {"1", "2"}
    assert [review.rounds for review in reviews_of(campaign)] == [1, 1]
    with pytest.raises(ReviewRefused, match="a review of topic 1, 2 that goes on"):
        begin_reviews(campaign, carol, planned)


def test_the_next_batch_goes_to_who_has_the_topic_now(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    Assignment.objects.filter(topic=review.topic, judge__username="bob").delete()
    label(campaign, make)
    pool = freeze_next(review, make)
    assert pool is not None
    assert set(pool.assignments.values_list("judge__username", "part")) == {("alice", "shared")}
    assert [judge.username for judge in judges_of(fresh(review))] == ["alice"]


def test_a_stopped_review_gets_no_more_batches(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    label(campaign, make)
    carol = make.make_user("carol")
    with pytest.raises(ReviewRefused, match="does not advise to stop now"):
        stop_review(fresh(review), carol, "qbcb", 0.9)
    stop_review(fresh(review), carol, "", None)
    with pytest.raises(ReviewRefused, match="stopped already"):
        stop_review(fresh(review), carol, "", None)
    assert ready_reviews(campaign) == [] and list(start_ready_batches()) == []
    assert freeze_next(review, make) is None
    assert (fresh(review).rounds, campaign.pools.count()) == (1, 1)


def test_a_rule_that_stops_leaves_its_promise(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make, first_batch=120, sample_size=120)
    label_at_once(review)
    stop_review(fresh(review), make.make_user("carol"), "qbcb", 0.8)
    stopped = fresh(review)
    assert stopped.promise == "recall at least 0.8 in 95 of 100 samples, however often one looks"
    assert "relevant documents of the sample are found" in stopped.because
    assert (stopped.rule, stopped.target) == ("qbcb", 0.8)


def test_nothing_is_frozen_after_the_last_document(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make, first_batch=120, sample_size=0)
    label_at_once(review)
    assert ready_reviews(campaign) == []
    assert freeze_next(review, make) is None
    assert progress_of(fresh(review)).reviewed == 120


def test_the_file_says_why_each_document_was_judged(campaign: Campaign, make: Factory) -> None:
    review = begun(campaign, make)
    label(campaign, make)
    rows = list(provenance_of(fresh(review)))
    assert [row.reason for row in rows] == ["model"] * 5 + ["sample"] * 5
    assert [row.place for row in rows[:5]] == [1, 2, 3, 4, 5]
    assert all(row.relevant == (row.docno in RELEVANT) for row in rows)
    assert all(row.score is not None for row in rows[:5]) and all(row.pool == 1 for row in rows)


def test_a_collection_that_another_process_stored_is_opened(campaign: Campaign, make: Factory) -> None:
    collection = campaign.review_collections.get()
    assert opened(collection).docnos[:2] == ["D000", "D001"]
    assert opened(collection) is opened(collection)
    assert (collection.document_count, collection.repeated) == (120, 0)


def test_one_job_does_the_same_work_once(campaign: Campaign, make: Factory, settings: object) -> None:
    review = begun(campaign, make)
    carol = make.make_user("carol")
    held = {"rounds": {f"{review.pk}": 2}}
    first = start_job(campaign, carol, tasks.freeze_batches, "Next batch", held)
    again = start_batches(campaign, carol, [review])  # for the same round: nothing to freeze any more
    assert first.state == again.state == Job.State.DONE
    assert campaign.pools.count() == 2
