"""What the labelling of a machine judge says on the page of its labels."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from assess.machines.queries.requests import counts
from assess.models import MachineLabelling, Source
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import SourceFact


def facts_of_labelling(reads: CampaignReads, source: Source) -> Iterator[SourceFact]:
    """Yield the labelling of a source, its prompt, and what its tokens cost."""
    labelling = MachineLabelling.objects.filter(machine=source).select_related("prompt").first()
    if labelling is None:
        return
    slug, counted = reads.campaign.slug, counts(labelling)
    labelling_url = reverse("assess:labelling", args=[slug, labelling.number])
    yield SourceFact("Labelling", f"{labelling}, {labelling.model}", labelling_url)
    prompt_url = reverse("assess:prompt", args=[slug, labelling.prompt.number])
    yield SourceFact("Prompt", str(labelling.prompt), prompt_url)
    if counted.unreadable or counted.failed:
        yield SourceFact(
            "Requests without a grade", f"{counted.unreadable + counted.failed:,}", labelling_url
        )
    if counted.cost is not None:
        yield SourceFact("Cost of the tokens", f"{counted.cost:,.2f}")
