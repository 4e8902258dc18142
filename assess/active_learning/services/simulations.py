"""Simulate reviews of topics that have labels, to see what each stopping rule would have cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from django.db import transaction
from django.urls import reverse

from accounts.models import User
from assess.active_learning.costs import LEAST_RELEVANT, LabelledTopic, rule_costs
from assess.active_learning.queries.collections import opened
from assess.active_learning.queries.labels import labels_of, topics_to_simulate
from assess.models import ReviewCollection, ReviewSimulation
from pooling.models import Campaign, Job
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.jobs import finish, report_progress
from pooling.words import counted


def simulate_reviews(
    campaign: Campaign,
    user: User,
    collection: ReviewCollection,
    sample_size: int,
    seed: int,
    report: Callable[[int], None] = lambda topics: None,
    stored: Callable[[ReviewSimulation], None] = lambda simulation: None,
) -> ReviewSimulation:
    """Store what each rule would have cost on the topics that have labels.

    Raises Refused if no topic has LEAST_RELEVANT relevant documents in the collection.
    """
    files, topics = opened(collection), dict[str, int]()

    def labelled() -> Iterator[LabelledTopic]:
        for topic in topics_to_simulate(campaign):
            labels = labels_of(topic, campaign.threshold)
            relevant = np.zeros(collection.document_count, dtype=bool)
            relevant[[row for docno, row in files.rows_of(labels).items() if labels[docno]]] = True
            vector = files.features.vector_of(f"{topic.title} {topic.description}")
            if np.count_nonzero(relevant) >= LEAST_RELEVANT and vector.nnz:
                topics[topic.number] = int(np.count_nonzero(relevant))
                yield LabelledTopic(vector, relevant)

    costs = rule_costs(files.features.matrix, labelled(), sample_size, seed, report)
    if not topics:
        raise Refused(
            f"No topic has {LEAST_RELEVANT} documents of this collection that are labelled relevant,"
            " and a title with a word of two of its documents."
        )
    with transaction.atomic():
        simulation = ReviewSimulation.objects.create(
            campaign=campaign,
            collection=collection,
            sample_size=sample_size,
            seed=seed,
            topics=topics,
            costs=[cost._asdict() for cost in costs],
            made_by=user,
        )
        summary = f"{counted(len(topics), 'topic')} over {collection}"
        log_change(campaign, user, "simulated reviews", summary, seed=seed, sample=sample_size)
        stored(simulation)
    return simulation


def simulate_reviews_of_job(job: Job) -> None:
    """Simulate the reviews of a job. Raises what `simulate_reviews` raises, and Stopped."""
    campaign, about = job.campaign, job.arguments
    collection = campaign.review_collections.get(number=about["collection"])
    total = topics_to_simulate(campaign).count()

    def stored(simulation: ReviewSimulation) -> None:
        page = reverse("assess:review_costs", args=[campaign.slug])
        finish(job, f"{counted(len(simulation.topics), 'topic')} simulated.", page)

    simulate_reviews(
        campaign,
        job.user,
        collection,
        about["sample_size"],
        about["seed"],
        lambda topics: report_progress(job, topics, total, "Simulating reviews"),
        stored,
    )
