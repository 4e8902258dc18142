"""Labels of a text that was replaced later."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from assess.models import Judgment
from assess.queries.caching import cached, label_version
from assess.queries.labels import judgments_in
from pooling.models import Campaign, Document
from pooling.queries.documents import import_version


def labels_of_earlier_texts(campaign: Campaign) -> int:
    """Return how many current labels of people were given here to a text that was replaced later."""
    version = label_version(campaign), import_version(campaign)
    return cached(
        campaign, "earlier-texts", version, lambda: of_earlier_texts(campaign, judgments_in(campaign)).count()
    )


def of_earlier_texts(campaign: Campaign, labels: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Return those of these labels that were given here to a text that was replaced later."""
    documents = Document.objects.filter(campaign=campaign, docno=OuterRef("pooled__docno"))
    replaced = documents.exclude(text_hash=OuterRef("event__text_hash"))
    return labels.exclude(event__source="import").filter(Exists(replaced))
