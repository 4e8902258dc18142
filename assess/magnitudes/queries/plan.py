"""Sets of magnitudes before they are made: which documents each judge gets, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.models import MagnitudeSet
from assess.queries.answers import with_text
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import agreed_columns
from assess.topic_judges import judges_of_topics
from pooling.models import Campaign, Topic
from pooling.strategies.draws import draw_source, shuffle

Chosen = MagnitudeSet.Chosen
FEWEST = 2  # documents of a topic: magnitudes mean something in relation to each other
WITHOUT_GRADE = -1


class PlannedMagnitudes(NamedTuple):
    """What an organiser asks for. chosen, most: as of a MagnitudeSet. double: per cent of the topics."""

    campaign: Campaign
    judges: Sequence[User]
    topics: Sequence[Topic]
    chosen: str
    most: int
    double: int
    seed: int
    instructions: str = ""


class MagnitudeLoad(NamedTuple):
    """What a judge gets."""

    judge: User
    topics: int
    documents: int


class MagnitudePreview(NamedTuple):
    """A set in numbers. rows: (judge, place, pooled document) by keys.

    documents: of all topics. double: topics with two judges. without: topics with fewer than FEWEST
    documents. without_text: documents that have no text here.
    """

    rows: list[tuple[int, int, int]]
    loads: list[MagnitudeLoad]
    topics: int
    documents: int
    double: int
    without: list[str]
    without_text: int


class Candidate(NamedTuple):
    """A pooled document. grade: by the labels of people so far, WITHOUT_GRADE without one."""

    key: int
    grade: int


def candidates(reads: CampaignReads) -> dict[str, dict[str, Candidate]]:
    """Return topic -> docno -> the pooled documents that are to be judged, each once."""
    pooled, agreed = reads.pooled, agreed_columns(reads, reads.people_plan)
    grades = np.full(len(pooled.pk), WITHOUT_GRADE, dtype=np.int64)
    grades[agreed.documents] = agreed.grades
    candidates: dict[str, dict[str, Candidate]] = {number: {} for number in reads.topic_numbers}
    for row in np.flatnonzero(reads.is_to_be_judged).tolist():
        own = candidates[reads.topic_numbers[pooled.topic[row]]]
        each, docno = Candidate(int(pooled.pk[row]), int(grades[row])), pooled.docno[row].decode()
        if docno not in own or own[docno].grade < each.grade:  # pools may have documents in common
            own[docno] = each
    return candidates


def chosen_documents(
    own: Mapping[str, Candidate], chosen: str, most: int, threshold: int, seed: int, topic: str
) -> list[str]:
    """Return the docnos of a topic that take part. Where there are more than `most`, a draw decides."""
    groups: dict[int, list[str]] = {}
    for docno, each in own.items():
        if chosen == Chosen.ALL or each.grade >= (threshold if chosen == Chosen.RELEVANT else 0):
            groups.setdefault(each.grade if chosen == Chosen.EACH_GRADE else 0, []).append(docno)
    draw = draw_source(seed, topic)
    return [docno for grade in sorted(groups) for docno in shuffle(groups[grade], draw, "documents")[:most]]


def preview_of(asked: PlannedMagnitudes) -> MagnitudePreview:
    """Return what `create_magnitudes` would store.

    A judge gets all documents of a topic, one after the other, in an order of this judge.
    """
    reads = CampaignReads(asked.campaign)
    stored, threshold = candidates(reads), asked.campaign.threshold
    documents = {}
    for topic in asked.topics:
        own = stored.get(topic.number, {})
        documents_of_topic = chosen_documents(
            own, asked.chosen, asked.most, threshold, asked.seed, topic.number
        )
        if len(documents_of_topic) >= FEWEST:
            documents[topic.number] = documents_of_topic
    work = {topic: len(documents_of_topic) for topic, documents_of_topic in documents.items()}
    judges = {judge.username: judge for judge in asked.judges}
    judges_of = judges_of_topics(work, list(judges), asked.double / 100, asked.seed, "magnitudes")
    rows, places, topics_of = [], Counter[str](), Counter[str]()
    for number, names in judges_of.items():
        for name in names:
            topics_of[name] += 1
            for docno in shuffle(documents[number], draw_source(asked.seed, name), number):
                places[name] += 1
                rows.append((judges[name].pk, places[name], stored[number][docno].key))
    docnos = [docno for own in documents.values() for docno in own]
    texts = with_text(asked.campaign, set(docnos))
    return MagnitudePreview(
        rows,
        [MagnitudeLoad(judge, topics_of[name], places[name]) for name, judge in judges.items()],
        len(work),
        len(docnos),
        sum(len(names) > 1 for names in judges_of.values()),
        [topic.number for topic in asked.topics if topic.number not in work],
        sum(docno not in texts for docno in docnos),
    )
