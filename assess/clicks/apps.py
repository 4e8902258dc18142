"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import PagePart, page_parts
from pooling.models import Campaign


def source_of_labels(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/clicks/parts/_source_row.html")


def register() -> None:
    page_parts["sources"].append(source_of_labels)
