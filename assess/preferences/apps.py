"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.models import Preference
from assess.preferences.forms import BETTER
from assess.preferences.queries.integrity import CHECKS
from assess.preferences.queries.plan import PlannedPreferences
from assess.preferences.queries.sets import PREFERENCES
from assess.preferences.queries.votes import open_pairs, why_not_deleted
from assess.preferences.services import (
    SubmittedPreference,
    create_preferences,
    delete_preferences,
    record_preference,
)
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
from pooling.models import Campaign, Role, Run
from pooling.queries.runs import ranked_runs

Choice = Preference.Choice
DEEPEST = 1000  # rank of the demonstration's run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add preferences over the newest release, and the votes of all judges but the last.

    They prefer the document that the first run ranks higher; two that it does not rank are a tie.
    """
    release = campaign.releases.standing().order_by("-number").first()
    judges = list(judges_to_choose(campaign).distinct())
    if release is None or len(judges) < 2:
        return
    asked = PlannedPreferences(release, judges, list(campaign.topics.all()), 5, 40, 1, BETTER)
    tasks = create_preferences(campaign, organiser, asked).tasks.exclude(judge=judges[-1])
    (ranked,) = ranked_runs(campaign, runs[:1], DEEPEST)
    for task in tasks.select_related("judge", "topic", "preference_set__campaign"):
        order = ranked.rankings.get(task.topic.number, [])
        rank = dict(zip(order, range(len(order)), strict=True))
        while pairs := list(open_pairs(task).select_related("left", "right")):
            for pair in pairs:
                pair.task = task
                left, right = (rank.get(each.docno, DEEPEST) for each in (pair.left, pair.right))
                choice = Choice.TIE if left == right else Choice.LEFT if left < right else Choice.RIGHT
                record_preference(pair, task.judge, SubmittedPreference(uuid.uuid4(), choice))
            task.refresh_from_db()


PAGE = NavigationPage(
    "Preferences",
    "assess:preference_setup",
    frozenset({Role.ORGANISER}),
    ("judging/preferences",),
    group="Comparisons",
)


def register() -> None:
    add_judged_kind(PREFERENCES)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_preferences)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
