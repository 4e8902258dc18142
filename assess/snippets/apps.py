"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.models import SnippetSet
from assess.queries.answers import who_know
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    add_judged_kind,
    before_deletion,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
    page_parts,
    replacement_obstacles,
)
from assess.queries.people import judges_to_choose
from assess.services.judged_sets import SetRefused
from assess.snippets.queries.integrity import CHECKS
from assess.snippets.queries.plan import PlannedSnippets
from assess.snippets.queries.tasks import SNIPPETS, Step, why_not_deleted, why_not_replaced
from assess.snippets.services import SubmittedGrade, create_snippets, delete_snippets, record_snippet_grade
from pooling.models import Campaign, Role, Run
from pooling.strategies.draws import draw_source

TOPICS, DEPTH = 12, 3  # of the demonstration


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add a set of the first run, and the grades of all judges but the last.

    A draw decides grades: the snippet of every third result has another one than its document.
    """
    people = judges_to_choose(campaign).exclude(pk__in=who_know(campaign, runs[:1]).values("pk"))
    judges = list(people.distinct())
    if len(judges) < 2:
        return
    topics = list(campaign.topics.all()[:TOPICS])
    asked = PlannedSnippets(campaign, runs[0], judges, topics, SnippetSet.Origin.DOCUMENT, DEPTH, 25, 1)
    try:
        made = create_snippets(campaign, organiser, asked)
    except SetRefused:
        return
    draw, values = draw_source(1, "demonstration"), [each.value for each in made.grades]
    last = len(values) - 1
    own = (
        made.tasks.filter(judge__in=judges[:-1]).select_related("result", "judge").order_by("judge", "place")
    )
    for task in own:
        task.snippet_set = made
        place = min(last, round(2 * last * draw(task.result.docno) / task.result.rank))
        is_snippet = task.step == Step.SNIPPET
        if is_snippet and draw(task.result.docno, "snippet") < 1 / 3:
            place = last - place
        text_hash = "" if is_snippet else task.result.text_hash
        answers = is_snippet and place == last
        submitted = SubmittedGrade(uuid.uuid4(), values[place], answers, text_hash)
        record_snippet_grade(task, task.judge, submitted)


PAGE = NavigationPage(
    "Snippets",
    "assess:snippet_setup",
    frozenset({Role.ORGANISER}),
    ("judging/snippets",),
    group="Comparisons",
)


def link_from_run(user: User, campaign: Campaign) -> PagePart | None:
    may_read = campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR}
    return PagePart("assess/snippets/parts/_from_run.html") if may_read else None


def register() -> None:
    add_judged_kind(SNIPPETS)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_snippets)
    replacement_obstacles.append(why_not_replaced)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
    page_parts["run"].append(link_from_run)
