"""Which pooled documents judges get: neither gold and training documents nor those that a package withholds.

A feature package withholds a document for which another one stands, such as a near duplicate, or that is not
needed any more. The list is in a module of its own, because `CampaignReads` asks it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from assess.queries.gold import not_gold_or_training


class Withholding(NamedTuple):
    """The documents that a feature package withholds from judges.

    A withheld document is in no queue as a document to judge, and not counted as one. A label that it has
    anyway counts as every other label. condition: that a row's document is withheld, for the field of the
    document: "pk" in a query of pooled documents. rows: rows with a field `pooled`, of the withheld documents
    of these pools that no person has labelled; for whole campaigns, where the condition would be slow.
    """

    condition: Callable[[str], Q]
    rows: Callable[[Collection[int]], QuerySet[Any]]


withholding: list[Withholding] = []
"""What feature packages withhold."""


def labelled_by_people() -> Q:
    """Return the condition that the document of a row with a field `pooled` has a label of a person."""
    return Q(pooled__label_summary__graders__gt=0) | Q(pooled__label_summary__refusals__gt=0)


def to_be_queued(pooled: str = "pk") -> Q:
    """Return the condition that judges get a row's document as one to judge."""
    judged = not_gold_or_training(pooled)
    for each in withholding:
        judged &= ~each.condition(pooled)
    return judged
