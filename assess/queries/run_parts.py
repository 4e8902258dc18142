"""Runs without a part in the choice of the judged documents, where something else than runs chose them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from assess.models import QrelsRelease
from assess.release.formats import PRELS
from pooling.models import Pool, PooledDocument, Run

CHOSEN = 0  # in `prels-0`: the number of the sample of topics whose documents no run has chosen


class RunsWithoutPart(NamedTuple):
    """topics: those of a release whose documents were not chosen from runs. tags: of runs without a document
    of these topics in a pool. sample: the kind of the file with sampled judgments, "" for none."""

    topics: Sequence[str]
    tags: Sequence[str]
    sample: str


def runs_without_part(release: QrelsRelease, runs: Iterable[Run]) -> RunsWithoutPart | None:
    """Return which of these runs a release may score too low; None if none."""
    topics = [statement["topic"] for statement in release.manifest.get("selection", [])]
    if not topics:
        return None
    documents = PooledDocument.objects.filter(pool=OuterRef("pk"), topic__number__in=topics)
    pools = Pool.objects.filter(Exists(documents), campaign=release.campaign_id)
    with_part = set(Pool.runs.through.objects.filter(pool__in=pools).values_list("run", flat=True))
    tags = [run.tag for run in runs if run.pk not in with_part]
    kind = f"{PRELS}-{CHOSEN}"
    sample = kind if release.files.filter(kind=kind).exists() else ""
    return RunsWithoutPart(topics, tags, sample) if tags else None
