"""The overview of a campaign: what waits for this person, and its state in figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.template.defaultfilters import pluralize
from django.urls import reverse

from assess.models import Source
from assess.queries.adjudication import changed_in, settled_in, unsettled_of
from assess.queries.audits import machine_uses
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import Task, tasks
from assess.queries.filling import filling_of
from assess.queries.forecast import idle_judges_in
from assess.queries.progress import Column, ProgressGrid
from assess.release.machine_use import HOLES, accepted_uses
from pooling.campaign_states import DRAFT
from pooling.models import Campaign, Job, Role
from pooling.schedule import distance
from pooling.words import counted, enumeration

RECENT_JOBS = timedelta(days=30)
NEAR = timedelta(days=3)  # before a date, when it becomes a task
MOST_IDLE_JUDGES = 5  # with a task each
MOST_JUDGES = 5  # in the table of the judges with most documents left


class Figure(NamedTuple):
    """One figure of the state. note: text after it. url: of the page that shows more, if there is one.

    waits: it needs a person.
    """

    name: str
    value: str
    note: str = ""
    url: str = ""
    waits: bool = False


def tasks_of(reads: CampaignReads, grid: ProgressGrid, now: datetime) -> list[Task]:
    """Return what waits for an organiser or adjudicator of the campaign, the urgent first."""
    roles = reads.campaign.my_roles
    waiting: list[Task] = []
    if Role.ORGANISER in roles:
        waiting += [*failed_jobs(reads.campaign, now), *_of_dates(reads, grid, now)]
        waiting += [
            *_of_a_draft(reads.campaign, grid),
            *_of_judges(reads.campaign, grid, now),
            *_of_documents(reads, grid),
        ]
    if roles & {Role.ORGANISER, Role.ADJUDICATOR}:
        waiting += _of_cases(reads)
    if Role.ORGANISER in roles:
        waiting += [*_of_refusals(reads.campaign, grid), *_of_the_draft(reads)]
        waiting += [task for tasks_from in tasks for task in tasks_from(reads)]
    return sorted(waiting, key=lambda task: not task.urgent)


def failed_jobs(campaign: Campaign, now: datetime) -> Iterator[Task]:
    """Yield the jobs of the last 30 days that failed and were not started again."""
    newest: dict[tuple[str, str], Job] = {}
    for job in campaign.jobs.filter(created_at__gt=now - RECENT_JOBS).order_by("pk"):
        newest[job.task, job.title] = job
    for job in newest.values():
        if job.state == Job.State.FAILED:
            yield Task(
                f"A job failed: {job.title}",
                job.message,
                reverse("pooling:job", args=[campaign.slug, job.pk]),
                "Job",
                urgent=True,
                since=job.finished_at,
            )


def _of_dates(reads: CampaignReads, grid: ProgressGrid, now: datetime) -> Iterator[Task]:
    campaign = reads.campaign
    url = reverse("assess:schedule", args=[campaign.slug])
    closes = campaign.submission_closes_at
    if campaign.is_open and closes and now <= closes < now + NEAR:
        yield Task(f"Submission closes {distance(closes - now)}", "", url, "Dates")
    if campaign.is_open and (end := campaign.judging_ends_at) and end < now + NEAR and grid.left:
        remain = f"{counted(grid.left, 'label')} remain{'s' if grid.left == 1 else ''}"
        if end < now:
            detail = "Set a later date, or close the campaign."
            yield Task(f"Judging has ended; {remain}", detail, url, "Dates", urgent=True, since=end)
        else:
            yield Task(f"Judging ends {distance(end - now)}; {remain}", "", url, "Dates")
    planned = campaign.release_planned_at
    if not planned or planned >= now + NEAR:
        return
    url = reverse("assess:release_list", args=[campaign.slug])
    if planned >= now:
        yield Task(f"A release is planned {distance(planned - now)}", "", url, "Releases")
    elif not reads.latest_release or reads.latest_release.released_at < planned:
        yield Task("The planned date of the release is past", "", url, "Releases", urgent=True, since=planned)


def _of_a_draft(campaign: Campaign, grid: ProgressGrid) -> Iterator[Task]:
    if campaign.state == DRAFT and grid.left:
        url = reverse("assess:schedule", args=[campaign.slug])
        detail = f"The campaign is a draft, and {counted(grid.left, 'label')} are to be given."
        yield Task("Judges cannot label yet", detail, url, "Dates", urgent=True)


def _of_judges(campaign: Campaign, grid: ProgressGrid, now: datetime) -> Iterator[Task]:
    idle = idle_judges_in(grid, now)
    for judge in idle[:MOST_IDLE_JUDGES]:
        url = reverse("assess:topic_judges", args=[campaign.slug, judge.topics[0]])
        yield Task(judge.sentence, "", url, f"Move topic {judge.topics[0]}", urgent=True)
    if len(idle) > MOST_IDLE_JUDGES:
        more = counted(len(idle) - MOST_IDLE_JUDGES, "other judge")
        url = reverse("assess:judge_reminders", args=[campaign.slug])
        yield Task(f"{more} stopped", "", url, f"Remind {len(idle)} judges", urgent=True)


def _of_documents(reads: CampaignReads, grid: ProgressGrid) -> Iterator[Task]:
    slug = reads.campaign.slug
    if grid.unassigned:
        topics, invited = grid.unassigned_topics, reads.invited_judges
        documents = counted(grid.unassigned, "document")
        detail = f"Topic{pluralize(len(topics))} {enumeration(topics, 12)}"
        url, link = reverse("assess:judging", args=[slug]) + "#assign", "Assign topics"
        if awaited := [number for number in topics if number in invited.topics]:
            detail += f". Invited, not joined yet: {counted(invited.judges, 'judge')}"
            if awaited == topics:
                detail += "."
                url, link = reverse("assess:people", args=[slug]) + "#invitations", "Open invitations"
            else:
                detail += f" for topic{pluralize(len(awaited))} {enumeration(awaited, 12)}."
        if any(machine.user.username not in reads.release_plan.named_machines for machine in reads.machines):
            detail = f"{detail.removesuffix('.')}. A release can take their grades from programs."
        title = f"{documents} of {counted(len(topics), 'topic')} without a primary judge"
        yield Task(title, detail, url, link)
    if grid.rows and (missing := reads.texts.missing):
        url = reverse("pooling:document_list", args=[slug])
        title = f"{counted(missing, 'pooled document')} without a text"
        yield Task(title, "Judges see only the docno.", url, "Documents")


def _of_cases(reads: CampaignReads) -> Iterator[Task]:
    campaign = reads.campaign
    url = reverse("assess:adjudication", args=[campaign.slug])
    if cases := unsettled_of(reads):
        waits = "document waits" if cases == 1 else "documents wait"
        yield Task(f"{cases:,} {waits} for an adjudicator", "Judges disagree on them.", url, "Adjudication")
    if stale := changed_in(settled_in(campaign)).count():
        title = f"A judge changed a label after {counted(stale, 'decision')}"
        yield Task(title, "", url + "?show=changed", "Adjudication")


def _of_refusals(campaign: Campaign, grid: ProgressGrid) -> Iterator[Task]:
    if grid.refused:
        url = reverse("assess:refusals", args=[campaign.slug])
        yield Task(f"{counted(grid.refused, 'label')} “cannot judge”", "", url, "Cannot judge")


def _of_the_draft(reads: CampaignReads) -> Iterator[Task]:
    """Yield the machine judges whose use by the next release no audit allows, unless it was accepted so."""
    url = reverse("assess:release_list", args=[reads.campaign.slug])
    uses = machine_uses(reads, reads.release_plan)
    filled = filling_of(reads).by_machine if uses else {}
    for use in uses:
        if use.use == HOLES and not filled[use.judge]:
            continue
        last = reads.latest_release if use.warning else None
        is_accepted = last and (use.judge, use.use, use.audit, use.answer) in accepted_uses(last.manifest)
        if use.warning and not is_accepted:
            title = f"The next release would use labels of {use.name}"
            detail = f"{use.warning} The preview of the release can leave them out."
            yield Task(title, detail, url, "Releases")


def state_of(reads: CampaignReads, grid: ProgressGrid | None) -> dict[str, list[Figure]]:
    """Return place of the navigation -> its figures that this person may see.

    grid: None for a person who may not see the progress of judges.
    """
    roles = reads.campaign.my_roles
    figures = {"Collect": _collected(reads)}
    if grid:
        figures["Judge"] = _judged(reads, grid)
    if Role.ORGANISER in roles:
        figures["Sources"] = _sources(reads)
    figures["Results"] = _results(reads)
    return figures


def _collected(reads: CampaignReads) -> list[Figure]:
    campaign = reads.campaign
    groups = list(campaign.runs.active().order_by().values_list("group", flat=True))
    named = set(groups) - {""}
    figures = [
        Figure("Topics", f"{len(reads.topics):,}", url=_url("pooling:topic_list", campaign)),
        Figure(
            "Runs",
            f"{len(groups):,}",
            f"of {counted(len(named), 'group')}" if named else "",
            _url("pooling:run_list", campaign),
        ),
    ]
    if Role.ORGANISER in campaign.my_roles:
        texts, url = reads.texts, _url("pooling:document_list", campaign)
        figures.append(Figure("Texts", f"{texts.loaded:,}", f"of {texts.documents:,} pooled documents", url))
    return figures


def _judged(reads: CampaignReads, grid: ProgressGrid) -> list[Figure]:
    campaign, topics = reads.campaign, len(grid.rows)
    cases = unsettled_of(reads)
    share = f", {grid.judged / grid.pooled:.0%}" if grid.pooled else ""
    pools = _url("pooling:pool", campaign) if Role.ORGANISER in campaign.my_roles else ""
    unassigned = Figure("Documents without a primary judge", f"{grid.unassigned:,}", waits=True)
    return [
        Figure("Pools", f"{len(reads.pools):,}", f"with {counted(grid.pooled, 'document')}", pools),
        Figure("Judged documents", f"{grid.judged:,}", f"of {grid.pooled:,}{share}"),
        Figure("Topics with every document labelled", f"{grid.labelled:,}", f"of {topics:,}"),
        Figure("Topics with every assignment done", f"{grid.completed:,}", f"of {topics:,}"),
        *([unassigned] if grid.unassigned else []),
        Figure("Labels of people", f"{grid.done:,}", f"given, {grid.left:,} remain"),
        Figure(
            "Adjudication",
            f"{cases:,}",
            f"wait, {settled_in(campaign).count():,} settled",
            _url("assess:adjudication", campaign),
            waits=cases > 0,
        ),
    ]


def _sources(reads: CampaignReads) -> list[Figure]:
    figures = []
    for name, kinds, page in (
        ("People here", (Source.Kind.PERSON,), "assess:source_list"),
        ("People elsewhere", (Source.Kind.ELSEWHERE,), "assess:source_list"),
        ("Programs", Source.PROGRAMS, "assess:machine_list"),
    ):
        sources = [source for source in reads.sources if source.kind in kinds]
        withdrawn = sum(bool(source.withdrawn_at) for source in sources)
        note = f"{withdrawn:,} withdrawn" if withdrawn else ""
        figures.append(Figure(name, f"{len(sources):,}", note, _url(page, reads.campaign)))
    return figures


def _results(reads: CampaignReads) -> list[Figure]:
    campaign = reads.campaign
    releases = list(campaign.releases.visible_to(campaign).standing().only("number", "state", "campaign"))
    figures = [Figure("Releases", f"{len(releases):,}", url=_url("assess:release_list", campaign))]
    if releases:
        newest = releases[0]
        figures[0] = figures[0]._replace(note=f"newest v{newest.number}, {newest.state}")
    if any(release.is_public for release in releases):
        figures.append(Figure("Public page", "on", "anyone can open it", _url("metrics:public", campaign)))
    return figures


def most_left(grid: ProgressGrid) -> Sequence[Column]:
    """Return the judges with most documents left, at most five."""
    columns = [column for column in grid.columns if column.left]
    return sorted(columns, key=lambda column: -column.left)[:MOST_JUDGES]


def _url(name: str, campaign: Campaign) -> str:
    return reverse(name, args=[campaign.slug])
