"""The labels that a release propagates to documents that were not judged."""

from __future__ import annotations

from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import propagator_of
from assess.queries.releases import ReleaseCutoff, release_lines
from assess.release.plan import BadPlan, ReleasePlan
from assess.release.propagated import Propagation
from pooling.models import Campaign


def check_propagation(campaign: Campaign, plan: ReleasePlan) -> None:
    """Raise BadPlan if a plan has propagated labels that the campaign cannot have."""
    if plan.propagated and propagator_of(campaign) is None:
        raise BadPlan("expected frozen classes of near duplicates for propagated labels, found none")


def decided_grades(
    reads: CampaignReads, plan: ReleasePlan, cutoff: ReleaseCutoff
) -> dict[tuple[str, str], int | None]:
    """Return (topic, docno) -> the grade of each labelled document; None where its labels give no grade."""
    return {
        (line.document.topic, line.document.docno): line.relevance if isinstance(line.decision, int) else None
        for line in release_lines(reads, plan, cutoff)
    }


def propagated_labels(
    reads: CampaignReads, plan: ReleasePlan, cutoff: ReleaseCutoff, threshold: int
) -> Propagation:
    """Return the propagated labels of a release. Raises BadPlan if nothing can propagate them."""
    propagator = propagator_of(reads.campaign)
    propagation = propagator and propagator.propagate(
        reads, plan, decided_grades(reads, plan, cutoff), threshold
    )
    if propagation is None:
        raise BadPlan("expected frozen classes of near duplicates for propagated labels, found none")
    return propagation
