"""Runs of machine judges: who may submit and see them, and their files."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db.models import Q

from accounts.models import User
from assess.models import JudgeRun, QrelsRelease
from assess.models.judge_runs import JudgeRunQuerySet
from assess.models.releases import INTERNAL_ROLES
from assess.queries.release_states import annotate_after_release
from pooling.checksum import sha256_of
from pooling.formats.files import UNPACKED_LIMIT, BadFile, unpack
from pooling.formats.judge_runs import JudgeRunFile, JudgeRunRequirements, parse_judge_run
from pooling.integrity import Check, Fault, Faults, differing
from pooling.models import Campaign, Role
from pooling.queries.campaigns import group_of
from pooling.queries.documents import pooled_before, pooled_in


def why_no_judge_runs(campaign: Campaign, user: User) -> str:
    """Return why this person cannot submit or withdraw a run of a machine judge now; "" if they can."""
    if campaign.is_archived:
        return "The campaign is archived and read-only."
    if campaign.memberships.filter(user=user, role=Role.ORGANISER).exists():
        if campaign.state == Campaign.State.CLOSED:
            return "The campaign is closed: no runs of machine judges are added."
        return ""
    if not campaign.accepts_judge_runs:
        return "The organiser has not switched on the submission of runs of machine judges."
    if not campaign.is_open:
        return f"The campaign is {campaign.state}: no runs of machine judges are accepted."
    return ""


def submitted_judge_runs(user: User, campaign: Campaign) -> JudgeRunQuerySet:
    """Return the files that the user may see and withdraw: of an organiser all, else of the own group."""
    if Role.ORGANISER in campaign.my_roles:
        return campaign.judge_runs.all()
    return campaign.judge_runs.filter(_is_own(user, campaign))


def evaluated_judge_runs(user: User, release: QrelsRelease) -> list[JudgeRun]:
    """Return the files whose figures against a release this person may see, with `after_release`, by tag.

    Participants see the figures of their group; by a public release those of every group, as with runs.
    """
    campaign = release.campaign
    active = annotate_after_release(campaign.judge_runs.active(), campaign).order_by("tag")
    if sees_every_group(release):
        return list(active)
    return list(active.filter(_is_own(user, campaign)))


def sees_every_group(release: QrelsRelease) -> bool:
    """Whether the person with the roles `release.campaign.my_roles` sees the results of every group."""
    return release.is_public or bool(release.campaign.my_roles & {*INTERNAL_ROLES, Role.READER})


def _is_own(user: User, campaign: Campaign) -> Q:
    group = group_of(user, campaign)
    return Q(submitted_by=user) | Q(group=group) & ~Q(group="")


def requirements_of(campaign: Campaign) -> JudgeRunRequirements:
    """Return what a file must have: grades of the scale, and topics of the campaign."""
    numbers = campaign.topics.values_list("number", flat=True)
    pooled = {number: set[str]() for number in numbers} | pooled_before(campaign)
    return JudgeRunRequirements([grade.value for grade in campaign.grades], pooled)


def pool_list(campaign: Campaign) -> bytes:
    """Return the pooled documents as lines of topic, Q0 and docno, by topic and docno.

    Documents that test judges are among them: a list without these would name them.
    """
    rows = pooled_in(campaign).order_by("topic__place", "docno").values_list("topic__number", "docno")
    return "".join(f"{topic} Q0 {docno}\n" for topic, docno in rows.iterator()).encode()


def submitted_text(judge_run: JudgeRun) -> bytes:
    """Return a file as it was submitted, unpacked. Raises OSError and BadFile."""
    with judge_run.original.open("rb") as file:
        return unpack(file.read(), judge_run.file_name, max(UNPACKED_LIMIT, settings.UPLOAD_LIMIT))


def judge_run_lines(judge_run: JudgeRun) -> JudgeRunFile:
    """Return the lines of a stored file. Raises OSError and BadFile."""
    return parse_judge_run(submitted_text(judge_run), judge_run.file_name)


def judge_run_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every run of a machine judge: its file against the stored values."""
    for judge_run in campaign.judge_runs.iterator(chunk_size=20):
        try:
            text = submitted_text(judge_run)
            lines = parse_judge_run(text, judge_run.file_name)
        except (OSError, BadFile) as error:
            expected = f"the file {judge_run.original.name}"
            yield [Fault("original of a machine judge", judge_run.tag, expected, str(error))]
            continue
        about: dict[str, tuple[object, object]] = {
            "checksum": (sha256_of(text), judge_run.sha256),
            "line count": (len(lines.docnos), judge_run.line_count),
            "tag": (lines.tag, judge_run.tag),
        }
        yield differing("run of a machine judge", judge_run.tag, about)


CHECKS = (Check("runs of machine judges", judge_run_faults),)
