"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.magnitudes.queries.cards import magnitude_cards
from assess.magnitudes.queries.integrity import CHECKS
from assess.magnitudes.queries.plan import PlannedMagnitudes
from assess.magnitudes.queries.tasks import MAGNITUDES, why_not_deleted
from assess.magnitudes.services import (
    SubmittedMagnitude,
    create_magnitudes,
    delete_magnitudes,
    record_magnitude,
)
from assess.models import MagnitudeSet
from assess.queries.extensions import (
    NavigationPage,
    add_judged_kind,
    before_deletion,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
)
from assess.queries.people import judges_to_choose
from assess.services.judged_sets import SetRefused
from pooling.models import Campaign, Role, Run
from pooling.queries.runs import ranked_runs

DEEPEST = 1000  # rank of the demonstration's run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add magnitudes of documents of each grade, and the numbers of all judges but the last.

    They follow the rank in the first run; each judge has a scale of their own.
    """
    judges = list(judges_to_choose(campaign).distinct())
    if len(judges) < 2:
        return
    topics = list(campaign.topics.all())
    asked = PlannedMagnitudes(campaign, judges, topics, MagnitudeSet.Chosen.EACH_GRADE, 2, 100, 1)
    try:
        made = create_magnitudes(campaign, organiser, asked)
    except SetRefused:
        return
    (ranked,) = ranked_runs(campaign, runs[:1], DEEPEST)
    for place, judge in enumerate(judges[:-1], start=1):
        own = made.tasks.filter(judge=judge).select_related("pooled__topic", "judge")
        for card in magnitude_cards(campaign, own):
            task, order = card.task, ranked.rankings.get(card.task.pooled.topic.number, [])
            task.magnitude_set = made
            docno = task.pooled.docno
            rank = order.index(docno) + 1 if docno in order else DEEPEST
            number = str(max(1, place * 100 // rank))
            record_magnitude(task, judge, SubmittedMagnitude(uuid.uuid4(), number, card.text_hash))


PAGE = NavigationPage(
    "Magnitudes",
    "assess:magnitude_setup",
    frozenset({Role.ORGANISER}),
    ("judging/magnitudes",),
    group="Comparisons",
)


def register() -> None:
    add_judged_kind(MAGNITUDES)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_magnitudes)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
