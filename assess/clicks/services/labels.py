"""Make labels of machine judges from click logs."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.clicks.grade_cut import grade_places, thresholds_by_shares
from assess.clicks.queries import LEAST_COMMON, clicked_rows, common_documents
from assess.clicks.services.withdrawals import check_standing, locked_log
from assess.models import ClickLabels, ClickLog, Source
from assess.queries.campaign_reads import CampaignReads
from assess.services.bulk_labels import finish_labels, insert_labels, label_batch
from assess.services.unfinished_loads import label_load
from pooling.campaign_states import check_additions
from pooling.formats.files import BadFile
from pooling.services.audit_log import log_change


class ClickGrades(NamedTuple):
    """How values become grades. model: a field of ClickedDocument. thresholds: of the second grade and up."""

    name: str
    model: str
    least_impressions: int
    thresholds: Sequence[float]


def thresholds_like_people(log: ClickLog, model: str, least_impressions: int) -> list[float]:
    """Return thresholds that give the documents that people graded people's shares of grades.

    Raises BadFile for fewer than LEAST_COMMON such documents.
    """
    common = common_documents(CampaignReads(log.campaign), log, model, least_impressions)
    if len(common.values) < LEAST_COMMON:
        raise BadFile(
            f"expected at least {LEAST_COMMON} documents with grades of people and {least_impressions:,} "
            f"impressions, found {len(common.values)}; set the thresholds yourself"
        )
    return thresholds_by_shares(*common)


def create_click_judge(log: ClickLog, user: User, grading: ClickGrades) -> Source:
    """Store the grades of a click log as labels of a new machine judge.

    Raises BadFile, ClickLogRefused and StateRefused.
    """
    campaign = log.campaign
    check_additions(campaign.state)
    check_standing(log)
    rows = clicked_rows(log, grading.model)
    enough = rows.impressions >= grading.least_impressions
    if not enough.any():
        raise BadFile(
            f"expected a document with at least {grading.least_impressions:,} impressions, found none"
        )
    scale = [grade.value for grade in campaign.grades]
    places = grade_places(rows.values[enough], grading.thresholds)
    pairs = [pair for pair, used in zip(rows.pairs, enough, strict=True) if used]
    labels = label_batch(
        campaign, {pair: scale[place] for pair, place in zip(pairs, places.tolist(), strict=True)}
    )
    too_few = int((~enough).sum())
    with label_load(campaign, grading.name) as (load, judge):
        changes = insert_labels(load, judge, labels)
        with transaction.atomic():
            check_standing(locked_log(log))  # so that the labels are stored before or after a withdrawal
            machine = Source.objects.create(
                campaign=campaign,
                user=judge,
                kind=Source.Kind.CLICKS,
                model=f"{grading.model.upper()}, {log.counts['used_lists']:,} sessions",
                made_on=timezone.localdate(),
                note=_note(log, grading, scale, too_few),
                left_out=log.counts["pairs_not_pooled"],
                loaded_by=user,
            )
            ClickLabels.objects.create(log=log, source=machine)
            finish_labels(load, judge, labels, changes)
            summary = f"{len(pairs):,} from {log} by {grading.model.upper()}, as those of {judge}"
            about: dict[str, Any] = {"judge": judge.username, "log": log.number, "note": machine.note}
            log_change(campaign, user, "created labels from clicks", summary, **about)
    return machine


def _note(log: ClickLog, grading: ClickGrades, scale: Sequence[int], too_few: int) -> str:
    cuts = ", ".join(
        f"grade {grade} from {threshold:.4g}" if isfinite(threshold) else f"no grade {grade}"
        for grade, threshold in zip(scale[1:], grading.thresholds, strict=True)
    )
    return (
        f"{log}, {grading.model.upper()}: {cuts}. Documents with at least {grading.least_impressions:,} "
        f"impressions; {too_few:,} with fewer have no label."
    )
