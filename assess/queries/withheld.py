"""Which pooled documents judges get: neither gold and training documents nor those that a package withholds.

A feature package withholds a document for which another one stands, such as a near duplicate. The list is in
a module of its own, because `CampaignReads` asks it, too.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q

from assess.queries.gold import not_gold_or_training

withholding: list[Callable[[str], Q]] = []
"""Functions of feature packages that return the condition that a row's document is withheld from judges.

The argument is the field of the document: "pk" in a query of pooled documents. A withheld document is in no
queue as a document to judge, and not counted as one. A label that it has anyway counts as every other label.
"""


def is_withheld(pooled: str = "pk") -> Q:
    """Return the condition that a feature package withholds a row's document from judges."""
    withheld = Q(pk__in=[])
    for condition in withholding:
        withheld |= condition(pooled)
    return withheld


def to_be_queued(pooled: str = "pk") -> Q:
    """Return the condition that judges get a row's document as one to judge."""
    return not_gold_or_training(pooled) & ~is_withheld(pooled)
