"""What this package adds to the navigation of the core."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, every_minute, navigation_pages
from assess.webhooks.services import deliver_all
from pooling.models import Role

PAGE = NavigationPage("Webhooks", "assess:webhook_list", frozenset({Role.ORGANISER}), ("webhooks",))


def register() -> None:
    navigation_pages["Manage"].append(PAGE)
    every_minute.append(deliver_all)
