"""What this package adds to the judging screen and to a case."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import PagePart, page_parts
from pooling.models import Campaign


def judging_part(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/notes/parts/_judging.html")


def case_part(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/notes/parts/_case.html")


def register() -> None:
    page_parts["judging"].append(judging_part)
    page_parts["case"].append(case_part)
