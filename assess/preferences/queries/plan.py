"""Sets of preferences before they are made: candidates of each topic, judges, and numbers of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from accounts.models import User
from assess.models import QrelsRelease
from assess.preferences.stages import candidates, pairs_of_stage
from assess.queries.releases import qrels_of
from assess.topic_judges import judges_of_topics
from pooling.models import PooledDocument, Topic


class PlannedPreferences(NamedTuple):
    """What an organiser asks for. double: per cent of the topics for a second judge."""

    release: QrelsRelease
    judges: Sequence[User]
    topics: Sequence[Topic]
    k: int
    double: int
    seed: int
    better: str


class TopicPlan(NamedTuple):
    """A topic of a set. documents: its candidates. judges: one or two. pairs: of the first stage, of each."""

    topic: Topic
    documents: Sequence[str]
    judges: Sequence[User]
    pairs: int


def topic_plans(asked: PlannedPreferences) -> list[TopicPlan]:
    """Return the topics with two candidates or more, each with the judges who have fewest pairs so far.

    The topics with a second judge are drawn by the seed.
    """
    grades = grades_by_topic(asked.release)
    stored: dict[int, set[str]] = {}
    rows = PooledDocument.objects.filter(topic__in=asked.topics).order_by()
    for key, docno in rows.values_list("topic", "docno"):
        stored.setdefault(key, set()).add(docno)
    chosen = {}
    for topic in asked.topics:
        own = {d: g for d, g in grades.get(topic.number, {}).items() if d in stored.get(topic.pk, ())}
        if len(documents := candidates(own, asked.k)) > 1:
            chosen[topic] = documents
    pairs = {topic.number: len(pairs_of_stage(own, asked.seed)) for topic, own in chosen.items()}
    people = {judge.username: judge for judge in asked.judges}
    judges = judges_of_topics(pairs, list(people), asked.double / 100, asked.seed, "preferences")
    return [
        TopicPlan(topic, own, [people[name] for name in judges[topic.number]], pairs[topic.number])
        for topic, own in chosen.items()
    ]


def grades_by_topic(release: QrelsRelease) -> dict[str, dict[str, int]]:
    """Return topic -> docno -> grade of a release, without negative grades."""
    qrels = qrels_of(release)
    grades: dict[str, dict[str, int]] = {}
    for index, topic in enumerate(qrels.topics):
        rows = slice(int(qrels.offsets[index]), int(qrels.offsets[index + 1]))
        pairs = zip(qrels.docnos[rows].tolist(), qrels.grades[rows].tolist(), strict=True)
        grades[topic] = {docno.decode(): grade for docno, grade in pairs if grade >= 0}
    return grades


class JudgeLoad(NamedTuple):
    """The first stage of a judge."""

    judge: User
    topics: int
    pairs: int


class PreferencesPreview(NamedTuple):
    """A set in numbers. without: topics with fewer than two candidates. double: topics with two judges.

    pairs: of the first stage, of all judges. later: topics that have further stages.
    """

    topics: int
    documents: int
    pairs: int
    double: int
    later: int
    without: list[str]
    loads: list[JudgeLoad]


def preview_of(asked: PlannedPreferences) -> PreferencesPreview:
    """Return the numbers of what `create_preferences` would store."""
    plans = topic_plans(asked)
    planned = {plan.topic for plan in plans}
    loads = [
        JudgeLoad(
            judge,
            sum(judge in plan.judges for plan in plans),
            sum(plan.pairs for plan in plans if judge in plan.judges),
        )
        for judge in asked.judges
    ]
    return PreferencesPreview(
        len(plans),
        sum(len(plan.documents) for plan in plans),
        sum(load.pairs for load in loads),
        sum(len(plan.judges) > 1 for plan in plans),
        sum(plan.pairs < len(plan.documents) * (len(plan.documents) - 1) // 2 for plan in plans),
        [topic.number for topic in asked.topics if topic not in planned],
        loads,
    )
