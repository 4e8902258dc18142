"""Who sees a release: what becomes visible in each state, what is odd about it, and its labels in public."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from django.db.models import Case, QuerySet, Value, When
from django.db.models.fields import IntegerField
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from assess.models import QrelsRelease
from assess.queries.adjudication import count_unsettled
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import judge_numbers
from assess.queries.releases import cutoff_of_release, release_lines
from assess.release.lines import with_judge_numbers
from assess.release.plan import plan_from_json
from pooling.models import Campaign, Role
from pooling.words import counted

State = QrelsRelease.State
Submitted = TypeVar("Submitted", bound=QuerySet[Any])
WIDER = {State.INTERNAL: (State.SHARED, State.PUBLIC), State.SHARED: (State.PUBLIC,), State.PUBLIC: ()}
"""State -> the states in which more people see the release."""


def published_campaigns() -> QuerySet[Campaign]:
    """Return the campaigns with a public release."""
    return Campaign.objects.filter(pk__in=QrelsRelease.objects.public().values("campaign"))


def is_published(campaign: Campaign) -> bool:
    return campaign.releases.public().exists()


def public_release_or_404(slug: str, number: int | None = None) -> QrelsRelease:
    """Return a public release, by default the newest one that is not withdrawn. Raises Http404."""
    releases = QrelsRelease.objects.public().filter(campaign__slug=slug).select_related("campaign")
    if number is not None:
        return get_object_or_404(releases, number=number)
    release = releases.standing().first() or releases.first()
    if release is None:
        raise Http404
    return release


def newer_release(release: QrelsRelease) -> QrelsRelease | None:
    """Return the newest release of the same audience, if it is newer and not withdrawn."""
    releases = release.campaign.releases.standing().filter(number__gt=release.number)
    return releases.filter(state__in=[release.state, *WIDER[State(release.state)]]).first()


def annotate_after_release(runs: Submitted, campaign: Campaign) -> Submitted:
    """Add `after_release`: the number of the release that was shared first, if the run is later, else null.

    runs: of systems, or of machine judges. The submitter of such a run could have read the qrels, so it is
    not ranked with the others.
    """
    shared = campaign.releases.exclude(shared_at=None).order_by("shared_at")
    first = shared.values_list("number", "shared_at").first()
    later = [When(submitted_at__gt=first[1], then=Value(first[0]))] if first else []
    return runs.annotate(after_release=Case(*later, default=None, output_field=IntegerField()))


def submission_is_open(campaign: Campaign) -> bool:
    """Return whether a participant could submit a run now that is not late."""
    now = timezone.now()
    opens, closes = campaign.submission_opens_at, campaign.submission_closes_at
    in_time = (opens is None or opens <= now) and (closes is None or now < closes)
    return campaign.is_open and campaign.accepts_runs and in_time


def audience_sentence(release: QrelsRelease, state: str) -> str:
    """Return who sees what of a release in a state."""
    campaign = release.campaign
    qrels = f"qrels v{release.number} with {counted(release.line_count, 'judgment')}"
    people = {role: campaign.memberships.filter(role=role).count() for role in Role}
    if state == State.INTERNAL:
        return (
            f"Only {counted(people[Role.ORGANISER], 'organiser')} and"
            f" {counted(people[Role.ADJUDICATOR], 'adjudicator')} see {qrels}."
        )
    if state == State.SHARED:
        return (
            f"{counted(people[Role.PARTICIPANT], 'participant')} and {counted(people[Role.READER], 'reader')}"
            f" will see {qrels}, and its labels with numbers for the names of judges. Participants will see"
            " the scores of the runs of their own group, readers of all runs. Judges see no releases."
        )
    runs = campaign.runs.ranked()
    groups = runs.exclude(group="").order_by().values("group").distinct().count()
    return (
        f"Anyone on the internet will see {counted(campaign.topics.count(), 'topic')}, {qrels},"
        f" {counted(runs.count(), 'run')} of {counted(groups, 'group')} with their tags and scores, and the"
        f" names of {counted(people[Role.ORGANISER], 'organiser')}. Documents, run files and labels of single"
        " judges are not shown."
    )


def audience_warnings(release: QrelsRelease) -> Iterator[str]:
    """Yield what is odd about showing a release to more people, a sentence each."""
    campaign, runs = release.campaign, release.campaign.runs
    if release.unjudged:
        yield f"{release.unjudged:,} of {counted(release.pooled, 'pooled document')} are not judged."
    yield from release.machine_sentences
    if waiting := count_unsettled(campaign):
        yield f"{counted(waiting, 'document waits', 'documents wait')} for an adjudicator."
    if submission_is_open(campaign):
        yield "The submission of runs is open. Runs submitted from now on are marked and are not ranked."
    if late := runs.active().filter(is_late=True).count():
        yield f"{counted(late, 'run')} arrived after the deadline."
    if withdrawn := runs.exclude(withdrawn_at=None).count():
        yield f"{counted(withdrawn, 'withdrawn run is', 'withdrawn runs are')} not shown."
    if hidden := runs.active().filter(is_hidden=True).count():
        yield f"{counted(hidden, 'hidden run is', 'hidden runs are')} not shown."
    if newest := campaign.releases.standing().filter(number__gt=release.number).first():
        yield f"{newest} is newer."


class PublishedLabel(NamedTuple):
    """A judge's current label. judge: a number. grade: None where there is a reason instead. date: in UTC.

    suggested: the grade of a machine judge that was on the judge's screen; None where there was none.
    """

    topic: str
    docno: str
    judge: str
    grade: int | None
    reason: str
    date: str
    suggested: int | None = None


def published_labels(release: QrelsRelease) -> Iterator[PublishedLabel]:
    """Yield the labels that were current when the release was frozen, also of documents without a grade.

    Topics are in campaign order, then docnos, then judges by number.
    """
    plan = plan_from_json(release.parameters | {"rule": release.rule})
    reads = CampaignReads(release.campaign)
    numbers = judge_numbers(reads)  # by the present names; a number never changes
    for line in release_lines(reads, plan, cutoff_of_release(release)):
        numbered = with_judge_numbers(line, numbers)
        for judge, label in numbered.votes.items():
            document = numbered.document
            yield PublishedLabel(
                document.topic, document.docno, judge, label.relevance, label.reason, label.at[:10],
                label.suggested,
            )  # fmt: skip
