"""The disputed documents that a rule settles, and those that it leaves to adjudicators."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

from accounts.models import User
from assess.adjudication import DisputeFilter
from assess.queries.adjudication import claims_of_others, dispute_queue
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import labels_of_earlier_texts
from assess.settling_rules import grade_by_rule
from pooling.checksum import NO_TEXT, sha256_of
from pooling.models import Campaign, Topic
from pooling.queries.documents import pooled_in

MOST = 10_000  # documents in one press


class RuleCase(NamedTuple):
    """A document that a rule settles. last_label: key of the newest label event that the rule saw."""

    pooled: int
    topic: int
    docno: str
    text_hash: str
    last_label: int
    relevance: int


class RuleCases(NamedTuple):
    """settled: what the rule settles, at most MOST. left: how many documents it leaves.

    earlier: documents with a label that was given to an earlier text. reserved: by other adjudicators.
    """

    settled: list[RuleCase]
    left: int
    earlier: int
    reserved: int

    @property
    def checksum(self) -> str:
        """The same as long as the documents, their labels and the grades are."""
        return sha256_of(
            "\n".join(f"{each.pooled} {each.last_label} {each.relevance}" for each in self.settled)
        )

    def by_grade(self) -> dict[int, int]:
        return dict(sorted(Counter(each.relevance for each in self.settled).items()))


def cases_of_rule(
    reads: CampaignReads, adjudicator: User, rule: str, topic: Topic | None = None
) -> RuleCases:
    """Return which of the disputed documents that this adjudicator may settle a rule settles, and how.

    Documents with a label that was given to an earlier text are left, and those of other adjudicators.
    """
    campaign = reads.campaign
    queue = dispute_queue(campaign, adjudicator, DisputeFilter(), topic)
    claimed = set(claims_of_others(campaign, adjudicator).values_list("pooled", flat=True))
    free = [pooled for pooled in queue if pooled not in claimed]
    earlier = set(labels_of_earlier_texts(reads).tolist())
    grades, newest = defaultdict[int, list[int | None]](list), Counter[int]()
    rows = reads.judgments_of_people().filter(pooled__label_summary__distance__gt=0).order_by()
    for pooled, relevance, event in rows.values_list("pooled", "relevance", "event"):
        grades[pooled].append(relevance)
        newest[pooled] = max(newest[pooled], event)
    scale = [grade.value for grade in campaign.grades]
    present = [pooled for pooled in free if pooled in grades and pooled not in earlier]
    graded = [(pooled, grade_by_rule(rule, grades[pooled], scale)) for pooled in present]
    ruled = [(pooled, grade) for pooled, grade in graded if grade is not None]
    shown = _documents(campaign, [pooled for pooled, _ in ruled[:MOST]])
    settled = [RuleCase(pooled, *shown[pooled], newest[pooled], grade) for pooled, grade in ruled[:MOST]]
    stale = sum(pooled in earlier for pooled in free)
    return RuleCases(settled, len(present) - len(ruled), stale, len(queue) - len(free))


def _documents(campaign: Campaign, pooled: list[int]) -> dict[int, tuple[int, str, str]]:
    """Return pooled document -> its topic, its docno, the hash of its present text."""
    rows = list(pooled_in(campaign).filter(pk__in=pooled).order_by().values_list("pk", "topic", "docno"))
    documents = campaign.documents.filter(docno__in=[docno for _, _, docno in rows])
    texts = dict(documents.values_list("docno", "text_hash"))
    return {pk: (topic, docno, texts.get(docno, NO_TEXT)) for pk, topic, docno in rows}
