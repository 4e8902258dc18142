"""Panels: two runs side by side. A judge sees no run's name and no vote of another judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from django.template.defaultfilters import pluralize
from django.urls import reverse

from accounts.models import User
from assess.document.highlighting import TextSpan
from assess.document.layout import excerpt
from assess.models import Panel, PanelVote
from assess.panels.sides import LEFT, OTHER, RIGHT, shown_left, side_of_run
from assess.queries.documents import language_in, text_in
from assess.queries.queues import highlighted_terms
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Document, Image, Run, Topic
from pooling.queries.campaigns import submitted_runs
from pooling.queries.images import images_by_docno
from pooling.queries.runs import top_docnos


class RankedDocument(NamedTuple):
    """One document in a list. document: None where no text was loaded; then only the docno is shown."""

    rank: int
    docno: str
    document: Document | None
    excerpt: list[TextSpan]
    language: str = ""
    images: Sequence[ShownImage] = ()


class MyPanel(NamedTuple):
    """A panel as a judge sees it. waiting: numbers of the topics without a vote of this judge."""

    panel: Panel
    voted: int
    waiting: list[str]

    @property
    def total(self) -> int:
        return self.voted + len(self.waiting)


def left_run_of(panel: Panel, topic: Topic, judge: User) -> str:
    """Return the run on the left for this judge, "first" or "second"."""
    return shown_left(panel.seed, judge.pk, panel.topics.values_list("number", flat=True))[topic.number]


def panel_lists(panel: Panel, topic: Topic, judge: User) -> dict[str, list[RankedDocument]]:
    """Return the documents of the left and the right list."""
    left = left_run_of(panel, topic, judge)
    runs = {"first": panel.first, "second": panel.second}
    sides = {LEFT: runs[left], RIGHT: runs[OTHER[left]]}
    docnos = {side: top_docnos(run, topic.number, panel.depth) for side, run in sides.items()}
    return {side: _ranked_documents(panel, topic, side, of_side) for side, of_side in docnos.items()}


def _ranked_documents(panel: Panel, topic: Topic, side: str, docnos: list[str]) -> list[RankedDocument]:
    documents = Document.objects.filter(campaign=topic.campaign_id, docno__in=docnos)

    def url(image: Image) -> str:
        rank = docnos.index(image.docno) + 1
        address = [topic.campaign.slug, panel.pk, topic.number, side, rank, image.sha256]
        return reverse("assess:panel_image", args=address)

    images = images_by_docno(topic.campaign, docnos, url)
    by_docno, terms = {document.docno: document for document in documents}, highlighted_terms(topic)
    return [
        RankedDocument(
            rank,
            docno,
            by_docno.get(docno),
            excerpt(text_in(topic.campaign, by_docno[docno]), terms) if docno in by_docno else [],
            language_in(topic.campaign, by_docno.get(docno)),
            images.get(docno, ()),
        )
        for rank, docno in enumerate(docnos, start=1)
    ]


def current_votes(votes: Iterable[PanelVote]) -> list[PanelVote]:
    """Return the last vote of each judge and topic of a panel; earlier votes were corrected."""
    last: dict[tuple[int, int, int], PanelVote] = {}
    for vote in sorted(votes, key=lambda vote: vote.pk):
        last[vote.panel_id, vote.topic_id, vote.judge_id] = vote
    return list(last.values())


def my_vote(panel: Panel, topic: Topic, judge: User) -> tuple[str, str]:
    """Return the side of this judge's last vote and the reason; two empty strings before a vote."""
    vote = panel.votes.filter(topic=topic, judge=judge).order_by("-pk").first()
    return (side_of_run(vote.choice, vote.shown_left), vote.reason) if vote else ("", "")


def panels_for_judge(judge: User, campaign: Campaign) -> QuerySet[Panel]:
    """Return the panels on which this user may vote: the user has access to the names of neither run."""
    known = submitted_runs(judge, campaign).order_by().values("pk")
    return campaign.panels.exclude(first__in=known).exclude(second__in=known)


def my_panels(judge: User, campaign: Campaign) -> list[MyPanel]:
    """Return the panels that this judge votes on, newest first, with the topics that remain."""
    voted = set(PanelVote.objects.filter(judge=judge).values_list("panel", "topic").distinct())
    panels = []
    for panel in panels_for_judge(judge, campaign).prefetch_related("topics"):
        topics = panel.topics.all()
        waiting = [topic.number for topic in topics if (panel.pk, topic.pk) not in voted]
        panels.append(MyPanel(panel, len(topics) - len(waiting), waiting))
    return panels


def panels_with_votes(campaign: Campaign) -> QuerySet[Panel]:
    """Return the panels with `topic_count` and `judge_count`, the number of judges who have voted."""
    counted = campaign.panels.annotate(
        topic_count=Count("topics", distinct=True), judge_count=Count("votes__judge", distinct=True)
    )
    return counted.select_related("first", "second")


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its panels; "" if it can."""
    votes = PanelVote.objects.filter(panel__campaign=campaign).count()
    return (
        f"It holds {votes:,} vote{pluralize(votes)} of judges, and labels are never deleted." if votes else ""
    )


def why_not_replaced(run: Run) -> str:
    """Return why a run cannot be replaced because of a panel; "" if it can."""
    if Panel.objects.filter(Q(first=run) | Q(second=run)).exists():
        return f"Judges compare the run {run.tag} side by side, so it cannot be replaced."
    return ""
