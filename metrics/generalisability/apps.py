"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import PagePart, page_parts
from pooling.models import Campaign


def significance_part(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/generalisability/parts/_significance.html")


def register() -> None:
    page_parts["significance"].append(significance_part)
