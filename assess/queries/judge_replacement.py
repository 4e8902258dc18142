"""What a judge who leaves has still to do, and who could do it instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.urls import reverse

from accounts.models import User
from assess.allocation import spread_topics
from assess.models import Assignment
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import judged_kinds
from assess.queries.people import Colleague, colleagues_of
from assess.queries.progress import progress_grid
from pooling.models import Campaign, Topic


class OpenSet(NamedTuple):
    """Battles, gradings and other work of a judge that is not finished. left: as in "3 battles"."""

    about: Any
    left: str
    url: str


class LeavingJudge(NamedTuple):
    """The topics of a judge. documents: topic -> remaining documents; of a shared topic, of all its judges.

    taken: pairs of the numbers of these topics and the names of colleagues who have them too. complete: those
    of colleagues who have them as primary judges, and so have all their documents. sets: other open work.
    """

    judge: User
    labels: int
    documents: dict[Topic, int]
    colleagues: list[Colleague]
    taken: frozenset[tuple[str, str]]
    complete: frozenset[tuple[str, str]]
    sets: list[OpenSet]

    def plan(self, shares: Mapping[User, float]) -> dict[Topic, User]:
        """Return who takes each topic over. Raises Refused if no share is above 0."""
        by_name = {judge.username: judge for judge in shares}
        by_number = {topic.number: topic for topic in self.documents}
        spread = spread_topics(
            {topic.number: documents for topic, documents in self.documents.items()},
            {judge.username: share for judge, share in shares.items()},
            self.taken,
        )
        return {topic: by_name[spread[number]] for number, topic in by_number.items()}

    @property
    def open_topics(self) -> dict[Topic, int]:
        """The topics with remaining documents."""
        return {topic: documents for topic, documents in self.documents.items() if documents}

    def finished_in(self, plan: Mapping[Topic, User]) -> list[tuple[User, list[str]]]:
        """Return who takes over the finished topics, of which documents of later pools may come."""
        by_judge: dict[User, list[str]] = {}
        for topic, judge in plan.items():
            if not self.documents[topic]:
                by_judge.setdefault(judge, []).append(topic.number)
        return sorted(by_judge.items(), key=lambda each: str(each[0]).lower())

    def moving(self, plan: Mapping[Topic, User]) -> dict[Topic, int]:
        """Return topic -> documents that somebody gets by a plan: none of who has the topic already."""
        return {
            topic: 0 if (topic.number, plan[topic].username) in self.complete else documents
            for topic, documents in self.documents.items()
            if topic in plan
        }

    def left_out(self, plan: Mapping[Topic, User]) -> list[str]:
        """Return the numbers of the topics of which nobody gets the remaining documents by a plan."""
        moving = self.moving(plan)
        return [
            topic.number for topic, documents in self.documents.items() if documents and not moving.get(topic)
        ]


def leaving_judge(reads: CampaignReads, judge: User) -> LeavingJudge:
    campaign = reads.campaign
    assignments = Assignment.objects.filter(topic__campaign=campaign)
    own = set(assignments.filter(judge=judge).values_list("topic", flat=True))
    grid = progress_grid(reads)
    documents, labels = {}, 0
    for row in grid.rows:
        for cell in row.cells:
            if cell and cell.judge == judge:
                labels += cell.done
                if row.topic.pk in own:
                    documents[row.topic] = cell.left
    colleagues = [each for each in colleagues_of(campaign) if each.judge != judge]
    others = assignments.filter(topic__in=own, judge__in=[each.judge for each in colleagues])
    pairs = list(others.values_list("topic__number", "judge__username", "part"))
    return LeavingJudge(
        judge,
        labels,
        documents,
        colleagues,
        frozenset((topic, name) for topic, name, _ in pairs),
        frozenset((topic, name) for topic, name, part in pairs if part == Assignment.Part.PRIMARY),
        open_sets(campaign, judge),
    )


def open_sets(campaign: Campaign, judge: User) -> list[OpenSet]:
    """Return the sets of which a judge has not finished something, by kind."""
    sets = []
    for kind in judged_kinds:
        for about in kind.sets(campaign):
            about.campaign = campaign
            if count := len(kind.open_tasks(about, judge)):
                url = reverse(kind.urls["handover"], args=[campaign.slug, about.number, judge.pk])
                sets.append(OpenSet(about, kind.counted(count), url))
    return sets
