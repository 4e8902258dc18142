"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.document.answers import bare_text
from assess.queries.answers import who_know
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
from assess.support.labels import SupportWord
from assess.support.queries.cards import support_cards
from assess.support.queries.integrity import CHECKS
from assess.support.queries.plan import PlannedSupport
from assess.support.queries.tasks import SUPPORT, why_not_deleted
from assess.support.services import SubmittedSupport, create_support, delete_support, record_support
from pooling.models import Campaign, Role, Run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add the citations of all answers, and labels of all judges but the last.

    A document bears a sentence out as far as its densest passage has words of the sentence.
    """
    answer_runs, topics = list(campaign.answer_runs.active()), campaign.topics.filter(answers__isnull=False)
    judges = list(judges_to_choose(campaign).exclude(pk__in=who_know(campaign, answer_runs).values("pk")))
    if not answer_runs or len(judges) < 2:
        return
    asked = PlannedSupport(answer_runs, judges, list(topics.distinct()[:2]), True, 100, 1)
    made = create_support(campaign, organiser, asked)
    tasks = made.tasks.exclude(judge=judges[-1]).select_related("answer__run", "answer__topic", "judge")
    for card in support_cards(campaign, tasks):
        card.task.support_set = made
        passage, words = card.cited.passage, len(set(bare_text(card.cited.sentence).split()))
        share = passage.found / max(1, words) if passage else 0
        strict = 0.1 * judges.index(card.task.judge)
        full, partial = share > 0.4 + strict, share > 0.2
        word = SupportWord.FULL if full else SupportWord.PARTIAL if partial else SupportWord.NONE
        word = word if passage else SupportWord.CANNOT
        record_support(card.task, card.task.judge, SubmittedSupport(uuid.uuid4(), word, card.text_hash))


PAGE = NavigationPage(
    "Citation support",
    "assess:support_setup",
    frozenset({Role.ORGANISER}),
    ("judging/support",),
    group="Answers",
)


def register() -> None:
    add_judged_kind(SUPPORT)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_support)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
