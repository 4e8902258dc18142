"""The check of `manage.py audit`: the propagated labels of each release, derived again."""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import QrelsRelease
from assess.near_duplicates.propagation import propagated_lines
from assess.near_duplicates.queries.propagation import members_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_propagation import decided_grades
from assess.queries.releases import cutoff_of_release
from assess.release.formats import PROPAGATED_SOURCES, SOURCES
from assess.release.plan import plan_from_json
from assess.release.propagated import SourcedLine, judged_lines, with_propagated
from pooling.integrity import Fault, Faults, first_difference
from pooling.models import Campaign


def propagation_faults(campaign: Campaign) -> Iterator[Faults]:
    """Compare the propagated labels of each release with those derived from its classes and labels."""
    for release in campaign.releases.order_by("number"):
        if release.parameters.get("propagated"):
            yield _faults(release)


def _faults(release: QrelsRelease) -> Faults:
    difference = first_difference(
        (line.decode() for line in map(SourcedLine.sources_line, _derived(release))),
        (f"{line}\n" for line in _content(release, PROPAGATED_SOURCES).decode().splitlines()[1:]),
    )
    if difference is None:
        return []
    return [Fault("propagated labels", f"{release}, line {difference[0]:,}", *difference[1:])]


def _derived(release: QrelsRelease) -> Iterator[SourcedLine]:
    """Yield the judged and propagated lines of a release, derived with the splits in its manifest."""
    reads = CampaignReads(release.campaign)
    plan = plan_from_json(release.parameters | {"rule": release.rule})
    split = frozenset((topic, docno) for topic, docno in release.manifest["propagated"]["split"])
    decided = decided_grades(reads, plan, cutoff_of_release(release))
    propagated = propagated_lines(decided, members_in(reads, plan, split))
    return with_propagated(judged_lines(_content(release, SOURCES)), propagated)


def _content(release: QrelsRelease, kind: str) -> bytes:
    with release.files.get(kind=kind).file.open("rb") as file:
        content: bytes = file.read()
        return content
