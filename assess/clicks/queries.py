"""The documents of a click log, and how their values agree with the grades of people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from django.db.models import Case, Count, Q, QuerySet, When
from scipy.stats import kendalltau

from assess.clicks.grade_cut import grade_places, thresholds_by_shares
from assess.kappa.coefficient import finite_or_none
from assess.kappa.two_judges import cohen_estimate
from assess.models import ClickedDocument, ClickLabels, ClickLog, Source
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import agreed_columns
from pooling.arrays import IntVector, Vector

MODELS = ("coec", "sdbn", "pbm")
LEAST_IMPRESSIONS = 20  # of a document, so that its value counts
LEAST_COMMON = 10  # documents with values and people's grades that a cut by shares needs


def clicked_documents(log: ClickLog) -> QuerySet[ClickedDocument]:
    """Return the documents of a log with topic and docno, by topic and docno."""
    documents = log.documents.select_related("pooled__topic")
    return documents.order_by("pooled__topic__place", "pooled__docno")


class ClickedRows(NamedTuple):
    """Documents as columns: key of the pooled document, (topic, docno), impressions, value by one model."""

    pooled: IntVector
    pairs: list[tuple[str, str]]
    impressions: IntVector
    values: Vector


def clicked_rows(log: ClickLog, model: str) -> ClickedRows:
    """Return the documents of a log with the values of one model."""
    fields = "pooled", "pooled__topic__number", "pooled__docno", "impressions", model
    rows = list(log.documents.order_by("pooled").values_list(*fields))
    return ClickedRows(
        np.array([row[0] for row in rows], dtype=np.int64),
        [(row[1], row[2]) for row in rows],
        np.array([row[3] for row in rows], dtype=np.int64),
        np.array([row[4] for row in rows], dtype=np.float64),
    )


class CommonDocuments(NamedTuple):
    """Documents that people graded and that have enough impressions: value, and place of people's grade."""

    values: Vector
    places: IntVector
    grades: int


def common_documents(
    reads: CampaignReads, log: ClickLog, model: str, least: int = LEAST_IMPRESSIONS
) -> CommonDocuments:
    """Return the values of documents that people graded; their grade is that of the next release."""
    rows, agreed = clicked_rows(log, model), agreed_columns(reads, reads.people_plan)
    keys = reads.pooled.pk[agreed.documents]
    enough = rows.impressions >= least
    _, clicked, graded = np.intersect1d(rows.pooled[enough], keys, return_indices=True)
    scale = np.array([grade.value for grade in reads.campaign.grades])
    places = np.searchsorted(scale, agreed.grades[graded])
    return CommonDocuments(rows.values[enough][clicked], places, len(scale))


class ClickAgreement(NamedTuple):
    """tau: Kendall's tau-b of value and people's grade. kappa: Cohen's, of grades cut by people's shares.

    Each is None where it is undefined. documents: how many have both.
    """

    model: str
    documents: int
    tau: float | None
    kappa: float | None


def click_agreement(log: ClickLog, least: int = LEAST_IMPRESSIONS) -> list[ClickAgreement]:
    """Return how the values of each click model agree with the grades of people."""
    reads = CampaignReads(log.campaign)
    return [_agreement(model, common_documents(reads, log, model, least)) for model in MODELS]


def _agreement(model: str, common: CommonDocuments) -> ClickAgreement:
    count = len(common.values)
    if count < LEAST_COMMON:
        return ClickAgreement(model, count, None, None)
    places = grade_places(common.values, thresholds_by_shares(*common))
    table = np.zeros((common.grades, common.grades))
    np.add.at(table, (places, common.places), 1)
    kappa = finite_or_none(cohen_estimate(table, np.eye(common.grades)).value)
    return ClickAgreement(model, count, finite_or_none(kendalltau(*common[:2]).statistic), kappa)


def documents_by_value(log: ClickLog, model: str) -> QuerySet[ClickedDocument]:
    """Return the documents of a log, the highest value by a model first; those with few impressions last."""
    few = Case(When(impressions__lt=LEAST_IMPRESSIONS, then=1), default=0)
    return log.documents.select_related("pooled__topic").order_by(few, f"-{model}", "pk")


class RankRate(NamedTuple):
    """How often a rank was shown and clicked, its click rate, and its examination by the PBM."""

    rank: int
    shown: int
    clicks: int
    rate: float
    examination: float


def rank_rates(log: ClickLog) -> list[RankRate]:
    """Return the click rate of every rank at which results were shown."""
    return [RankRate(rank, shown, hits, hits / shown, seen) for rank, shown, hits, seen in log.rates]


def labels_made(log: ClickLog) -> QuerySet[ClickLabels]:
    """Return the sources of labels that were made from a log; `label_count`: of the labels that count."""
    made = log.labels.select_related("source__user").order_by("source__user__username")
    of_source = Q(source__user__judgments__pooled__pool__campaign=log.campaign_id)
    return made.annotate(label_count=Count("source__user__judgments", filter=of_source))


def why_not_restored(source: Source) -> str:
    """Return why labels from clicks cannot count again alone: their log is withdrawn. Empty if not."""
    log = ClickLog.objects.filter(labels__source=source, withdrawn_at__isnull=False).first()
    return f"{log}, from which these labels were made, is withdrawn. Restore the log." if log else ""


def log_warnings(log: ClickLog) -> list[str]:
    """Return in sentences what was guessed or left out when the log was read."""
    counts = log.counts
    return [sentence.format(f"{counts[key]:,}") for key, sentence in WARNINGS.items() if counts.get(key)]


WARNINGS = {
    "ordinals_from_0": "The ordinal 0 occurs. All ordinals were read as counted from 0, so that 0 is rank 1. "
    "Check this with the people who recorded the log.",
    "lists_without_impressions": "Shown lists without impressions: {}. Their first ten hits count as seen, "
    "or all hits down to the lowest click. If users see fewer, documents at low ranks get too low values.",
    "lists_without_person": "Shown lists that name neither a person nor a session: {}. Each counts as a "
    "person of its own when rare queries are left out.",
    "events_of_unknown_queries": "Events of a query that is not in the files: {}.",
    "events_without_query": "Clicks and impressions that name no query: {}.",
    "events_without_place": "Clicks and impressions without a rank or a place among the hits: {}.",
    "queries_without_results": "Query records without hits, impressions and clicks: {}.",
    "repeated_queries": "Query records with the query_id of an earlier one: {}. The last one counts.",
    "repeated_documents": "Shown lists with a document more than once: {}.",
    "pairs_not_pooled": "Documents shown for a topic that are in no pool: {}. They count for the click rates "
    "of ranks and get no label.",
}
