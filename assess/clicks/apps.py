"""What this package adds to pages of the core."""

from __future__ import annotations

from accounts.models import User
from assess.clicks.queries import why_not_restored
from assess.queries.extensions import PagePart, page_parts, restoration_obstacles
from pooling.models import Campaign


def source_of_labels(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/clicks/parts/_source_row.html")


def log_of_source(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/clicks/parts/_log_of_source.html")


def register() -> None:
    page_parts["sources"].append(source_of_labels)
    page_parts["source"].append(log_of_source)
    restoration_obstacles.append(why_not_restored)
