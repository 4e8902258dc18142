"""The disputed documents that a rule settles, and those that it leaves to adjudicators."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from accounts.models import User
from assess.adjudication import DisputeFilter
from assess.queries.adjudication import claims_of_others, dispute_queue
from assess.queries.campaign_reads import CampaignReads
from assess.settling_rules import grade_by_rule
from pooling.checksum import NO_TEXT, sha256_of
from pooling.models import Topic

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
    wanted = set(queue) - claimed
    labels: dict[int, list[tuple[int | None, int, str, str]]] = {}
    places: dict[int, tuple[int, str]] = {}
    rows = reads.judgments_of_people().filter(pooled__label_summary__distance__gt=0)
    fields = (
        "pooled",
        "relevance",
        "event",
        "event__text_hash",
        "event__source",
        "pooled__topic",
        "pooled__docno",
    )
    for pooled, relevance, event, text, source, topic_key, docno in rows.order_by().values_list(*fields):
        if pooled in wanted:
            labels.setdefault(pooled, []).append((relevance, event, text, source))
            places[pooled] = topic_key, docno
    documents = campaign.documents.filter(docno__in={docno for _, docno in places.values()})
    texts = dict(documents.values_list("docno", "text_hash"))
    scale = [grade.value for grade in campaign.grades]
    settled, earlier, left = list[RuleCase](), 0, 0
    for pooled in queue:
        if pooled not in labels:
            continue
        topic_key, docno = places[pooled]
        text = texts.get(docno, NO_TEXT)
        if any(source != "import" and seen != text for _, _, seen, source in labels[pooled]):
            earlier += 1
            continue
        grade = grade_by_rule(rule, [relevance for relevance, *_ in labels[pooled]], scale)
        if grade is None:
            left += 1
        else:
            last = max(event for _, event, *_ in labels[pooled])
            settled.append(RuleCase(pooled, topic_key, docno, text, last, grade))
    return RuleCases(settled[:MOST], left, earlier, len(queue) - len(wanted))
