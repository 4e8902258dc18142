"""The reads of the first floor that need a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db.models import Count, F, Q, QuerySet

from accounts.models import User
from assess.consensus import RULES
from assess.kappa import Pair, agreement_of_pairs, binarised, cohen, mean_over_pairs
from assess.models import Assignment, Judgment, JudgmentEvent, QrelsRelease
from assess.queue import judging_order
from pooling.checksum import text_hash
from pooling.models import Campaign, PooledDocument, Role, Topic
from pooling.queries import document_of, pooled_in


def judgments_in(campaign: Campaign) -> QuerySet[Judgment]:
    return Judgment.objects.filter(pooled__pool__campaign=campaign)


def judges_of(campaign: Campaign) -> QuerySet[User]:
    """Return everybody who may judge here, or has judged here before."""
    member = Q(memberships__campaign=campaign, memberships__role=Role.JUDGE)
    former = Q(judgments__pooled__pool__campaign=campaign)
    return User.objects.filter(member | former).distinct().order_by("username")


# judging: nothing here may show a judge another's label, a run, a rank or a vote


class Card(NamedTuple):
    """One document as a judge sees it."""

    pooled: PooledDocument
    title: str
    text: str
    url: str
    text_hash: str
    mine: Judgment | None

    @property
    def changed_since(self) -> bool:
        """Whether the judge's label was given to an earlier text."""
        return bool(self.mine and self.mine.event.text_hash != self.text_hash)


class MyTopic(NamedTuple):
    topic: Topic
    judged: int
    total: int

    @property
    def left(self) -> int:
        return self.total - self.judged


def assigned_to(judge: User, campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the documents that this judge is to judge."""
    return pooled_in(campaign).filter(topic__assignments__judge=judge, topic__assignments__pool=F("pool"))


def my_topics(judge: User, campaign: Campaign) -> list[MyTopic]:
    """Return the judge's topics in campaign order, with what is done and what waits."""
    done = Count("judgments", filter=Q(judgments__judge=judge))
    rows = (
        assigned_to(judge, campaign).values("topic").annotate(total=Count("pk", distinct=True), judged=done)
    )
    figures = {row["topic"]: (row["judged"], row["total"]) for row in rows.order_by("topic")}
    topics = campaign.topics.filter(pk__in=figures)
    return [MyTopic(topic, *figures[topic.pk]) for topic in topics]


def done_of(judge: User, topic: Topic) -> MyTopic:
    """Return how far the judge is with one topic."""
    judged = Judgment.objects.filter(judge=judge, pooled__topic=topic).count()
    return MyTopic(topic, judged, assigned_to(judge, topic.campaign).filter(topic=topic).count())


def queue_of(judge: User, topic: Topic) -> list[PooledDocument]:
    """Return every document of the topic that this judge is to judge, in the judge's own order."""
    mine = {pooled.docno: pooled for pooled in assigned_to(judge, topic.campaign).filter(topic=topic)}
    return [mine[docno] for docno in judging_order(topic.number, judge.username, mine)]


def next_to_judge(judge: User, topic: Topic) -> PooledDocument | None:
    """Return the first document in the judge's order that they have not judged."""
    judged = set(Judgment.objects.filter(judge=judge, pooled__topic=topic).values_list("pooled", flat=True))
    return next((pooled for pooled in queue_of(judge, topic) if pooled.pk not in judged), None)


def labels_of_earlier_texts(campaign: Campaign) -> int:
    """Return how many current labels were given to a text that has been replaced since."""
    texts = dict(campaign.documents.values_list("docno", "text_hash"))
    rows = (
        judgments_in(campaign)
        .exclude(event__source="import")
        .values_list("pooled__docno", "event__text_hash")
    )
    return sum(texts.get(docno, seen) != seen for docno, seen in rows.iterator())


def asked_for(judge: User, topic: Topic, pk: str) -> PooledDocument | None:
    """Return one of the judge's own documents by its key, if that is what the key names."""
    return assigned_to(judge, topic.campaign).filter(topic=topic, pk=pk).first() if pk.isdecimal() else None


def card_of(judge: User, pooled: PooledDocument) -> Card:
    """Return a document as the judge is to see it, with the judge's own label if there is one."""
    document = document_of(pooled)
    title, text, url = (document.title, document.text, document.url) if document else ("", "", "")
    mine = Judgment.objects.filter(judge=judge, pooled=pooled).select_related("event").first()
    return Card(pooled, title, text, url, text_hash(title, text), mine)


def last_labels(judge: User, topic: Topic, count: int = 8) -> QuerySet[JudgmentEvent]:
    """Return the judge's own last labels on the topic, newest first."""
    events = JudgmentEvent.objects.filter(judge=judge, pooled__topic=topic)
    return events.select_related("pooled").order_by("-pk")[:count]


# progress


class Cell(NamedTuple):
    judged: int
    total: int


class Row(NamedTuple):
    topic: Topic
    pooled: int
    judged: int
    relevant: int
    cells: list[Cell | None]


def progress(campaign: Campaign, judges: Iterable[User]) -> list[Row]:
    """Return a row per topic that has a pool: its size, documents judged and relevant, and a cell per judge.

    A judge without the topic has no cell. `relevant` counts documents that any judge put at the threshold.
    """
    judgments = judgments_in(campaign)
    assigned = _totals(Assignment.objects.filter(topic__campaign=campaign, topic__pooled__pool=F("pool")))
    done = {
        (row["pooled__topic"], row["judge"]): row["n"]
        for row in judgments.values("pooled__topic", "judge").annotate(n=Count("pk")).order_by()
    }
    relevant_ones = Q(judgments__relevance__gte=campaign.threshold)
    topics = campaign.topics.annotate(pool_size=Count("pooled")).filter(pool_size__gt=0)
    documents = pooled_in(campaign).values("topic").order_by()
    judged = dict(
        documents.filter(judgments__isnull=False)
        .annotate(n=Count("pk", distinct=True))
        .values_list("topic", "n")
    )
    relevant = dict(
        documents.filter(relevant_ones).annotate(n=Count("pk", distinct=True)).values_list("topic", "n")
    )
    judges = list(judges)
    return [
        Row(
            topic,
            topic.pool_size,
            judged.get(topic.pk, 0),
            relevant.get(topic.pk, 0),
            [_cell(assigned, done, topic, judge) for judge in judges],
        )
        for topic in topics
    ]


def _totals(assignments: QuerySet[Assignment]) -> dict[tuple[int, int], int]:
    rows = assignments.values("topic", "judge").annotate(n=Count("topic__pooled")).order_by()
    return {(row["topic"], row["judge"]): row["n"] for row in rows}


def _cell(
    assigned: dict[tuple[int, int], int], done: dict[tuple[int, int], int], topic: Topic, judge: User
) -> Cell | None:
    key = (topic.pk, judge.pk)
    return (
        Cell(done.get(key, 0), assigned.get(key, done.get(key, 0)))
        if key in assigned or key in done
        else None
    )


# agreement


class Agreement(NamedTuple):
    """How far the judges of a campaign agree, over the documents that two or more of them judged."""

    judges: list[User]
    pairs: list[Pair]
    mean: float | None
    documents: int


def grades_by_judge(campaign: Campaign, topic: Topic | None = None) -> dict[str, dict[int, int]]:
    """Return judge -> pooled document -> grade; *cannot judge* is no grade."""
    judgments = judgments_in(campaign).filter(relevance__isnull=False)
    if topic:
        judgments = judgments.filter(pooled__topic=topic)
    grades: dict[str, dict[int, int]] = {}
    rows = judgments.order_by("judge__username").values_list("judge__username", "pooled", "relevance")
    for judge, pooled, relevance in rows:
        assert relevance is not None
        grades.setdefault(judge, {})[pooled] = relevance
    return grades


def agreement(campaign: Campaign, topic: Topic | None = None) -> Agreement:
    """Return the agreement of every pair of judges that share a document, and the mean kappa over pairs."""
    grades = grades_by_judge(campaign, topic)
    pairs = [
        pair for pair in agreement_of_pairs(grades, [grade.value for grade in campaign.grades]) if pair.n
    ]
    named = {name for pair in pairs for name in (pair.first, pair.second)}
    judges = list(User.objects.filter(username__in=named).order_by("username"))
    votes = Counter(item for given in grades.values() for item in given)
    shared = sum(count > 1 for count in votes.values())
    return Agreement(judges, pairs, mean_over_pairs([pair.kappa for pair in pairs]), shared)


def binary_kappa(pair: Pair, campaign: Campaign) -> float | None:
    """Return Cohen's kappa of a pair when grades are folded at the campaign's threshold."""
    return cohen(binarised(pair.counts, [grade.value for grade in campaign.grades], campaign.threshold))


# qrels


class Agreed(NamedTuple):
    """The grade of one pooled document after a rule was applied to its judges' grades."""

    topic: str
    docno: str
    relevance: int
    votes: int


def agreed_grades(campaign: Campaign, rule: str) -> list[Agreed]:
    """Apply a rule to every document with a grade; topics in campaign order, docnos ascending."""
    judgments = judgments_in(campaign).filter(relevance__isnull=False)
    votes: dict[tuple[int, str, str], list[int]] = {}
    for place, topic, docno, relevance in judgments.values_list(
        "pooled__topic__place", "pooled__topic__number", "pooled__docno", "relevance"
    ):
        assert relevance is not None
        votes.setdefault((place, topic, docno), []).append(relevance)
    return [
        Agreed(topic, docno, RULES[rule](grades), len(grades))
        for (_, topic, docno), grades in sorted(votes.items())
    ]


def judging_order_of(campaign: Campaign) -> list[tuple[str, str]]:
    """Return (topic, docno) of every document with a grade, in the order of its first one."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign, relevance__isnull=False)
    pairs = events.order_by("pk").values_list("pooled__topic__number", "pooled__docno")
    return list(dict.fromkeys(pairs))


def latest_release(campaign: Campaign) -> QrelsRelease | None:
    return campaign.releases.first()


def release_preview(campaign: Campaign, rule: str) -> dict[str, int]:
    """Return what a release would hold now, and what would be missing from it."""
    agreed = agreed_grades(campaign, rule)
    return {
        "ready": len(agreed),
        "relevant": sum(row.relevance >= campaign.threshold for row in agreed),
        "several": sum(row.votes > 1 for row in agreed),
        "without": pooled_in(campaign).count() - len(agreed),
    }


def label_rows(campaign: Campaign) -> Iterator[tuple[str, str, str, str]]:
    """Yield (topic, docno, judge, label) for every current label; a reason stands where there is no grade."""
    judgments = judgments_in(campaign).order_by("pooled__topic__place", "pooled__docno", "judge__username")
    rows = judgments.values_list(
        "pooled__topic__number", "pooled__docno", "judge__username", "relevance", "event__reason"
    )
    for topic, docno, judge, relevance, reason in rows.iterator():
        yield topic, docno, judge, reason if relevance is None else str(relevance)
