"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import PagePart, page_parts
from pooling.models import Campaign


def compare_part(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/reproducibility/parts/_compare.html")


def register() -> None:
    page_parts["compare"].append(compare_part)
