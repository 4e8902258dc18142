"""Freeze releases of qrels: write their files line by line, then store them in one transaction."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from assess.models import AdjudicationEvent, JudgmentEvent, QrelsRelease, ReleaseFile, ReturnedLabel
from assess.queries.audits import machine_uses
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import selection_statements
from assess.queries.labels import judges_of
from assess.queries.release_agreement import agreement_of, coefficients_to_json
from assess.queries.release_plans import pools_in
from assess.queries.release_propagation import check_propagation, propagated_labels
from assess.queries.releases import (
    ReleaseCutoff,
    current_cutoff,
    scope_of,
)
from assess.release.citation import citation
from assess.release.files import WrittenFile, write_file
from assess.release.formats import (
    CITATION,
    MANIFEST,
    QRELS,
    SOURCES,
    kind_of,
)
from assess.release.judge_counts import judged_elsewhere, labels_of_judges
from assess.release.lines import ReleaseCounts
from assess.release.plan import BadPlan, ReleasePlan, plan_from_json, plan_to_json
from assess.release.propagated import write_propagated
from assess.release.sources import MACHINES
from assess.services.release_files import Files, OnProgress, write_line_files
from pooling.models import Campaign, Job, Role
from pooling.refusals import Conflict, Refused
from pooling.services.audit_log import log_change
from pooling.services.files import store_once
from pooling.services.jobs import finish, report_progress


class NothingToRelease(Conflict):
    """Nothing can be released; the message says why."""


class VerdictNotAccepted(Refused):
    """No audit allows this use of machine labels, and nobody accepted that."""


class ReleaseConflict(Conflict):
    """Another release was frozen while this one was being written."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Release v{number} was frozen in the meantime. Check the changes and freeze again.")


OnFrozen = Callable[[QrelsRelease], None]
"""Called with the new release, in the transaction that stores it."""

release_frozen = Signal()
"""Sent with `release` in the transaction that stores a new release. A receiver may start jobs, no more."""

LOCK_MILLISECONDS, LOCK_ATTEMPTS = 500, 40
FOLDER_PREFIX = "jurypool-release-"  # prefix of temporary folders
STALE_SECONDS = 86_400  # s: an older temporary folder was left by a process that was killed


def release_qrels(
    campaign: Campaign,
    user: User,
    plan: ReleasePlan | None = None,
    report: OnProgress = lambda lines: None,
    frozen: OnFrozen = lambda release: None,
    after: int | None = None,
    accepted: bool = False,
) -> QrelsRelease:
    """Freeze the agreed grades as the next numbered release.

    plan: `default_plan` unless given. report, frozen: see the types; the release is cancelled if
    one of them raises. after: the number of the last release that the caller knows, 0 for none; if not
    given, of the last one now. accepted: whether the user accepts machine labels that no audit allows for
    this use; the manifest and the audit log say so. Raises NothingToRelease and BadPlan, and ReleaseConflict
    if a later release was frozen when this one is to be stored.

    The files are written before the database is locked, so judges can go on labelling; later labels are not
    in the release. A release that fails leaves nothing behind.
    """
    after = campaign.releases.count() if after is None else after
    plan = plan or CampaignReads(campaign).release_plan
    check_plan(campaign, plan)
    check_propagation(campaign, plan)
    threshold = campaign.threshold if plan.threshold is None else plan.threshold
    remove_stale_folders()
    with TemporaryDirectory(prefix=FOLDER_PREFIX) as folder:
        cutoff = locked_cutoff(campaign)
        reads = CampaignReads(campaign)  # after the cutoff, so that it has the pool of every label
        counts = ReleaseCounts(threshold)
        files = write_line_files(reads, plan, cutoff, counts, Path(folder), report)
        if not counts.lines:
            raise NothingToRelease("Nothing has been judged in this scope, so there are no qrels to release.")
        about = _about(reads, plan, cutoff, counts, accepted)
        if plan.propagated:
            propagation = propagated_labels(reads, plan, cutoff, threshold)
            files |= write_propagated(files[SOURCES], propagation.lines, Path(folder))
            about["propagated"] = {"lines": len(propagation.lines), **propagation.about}
        scale = [grade.value for grade in campaign.grades]
        release = QrelsRelease(
            campaign=campaign,
            number=after + 1,
            rule=plan.rule,
            parameters=plan_to_json(plan),
            sha256=files[QRELS].sha256,
            line_count=files[QRELS].lines,
            agreement=coefficients_to_json(agreement_of(counts.labels.matrix(scale, threshold))),
            released_by=user,
        )
        _freeze(release, about, files, Path(folder), frozen)
        return release


def locked_cutoff(campaign: Campaign) -> ReleaseCutoff:
    """Return the newest label event, return and adjudication, such that no lower key is committed later.

    SQLite has one writer at a time. PostgreSQL draws keys before it commits, so this waits until open write
    transactions have committed. Labels wait for the lock meanwhile; therefore each attempt is short and is
    repeated while a file of labels is being stored. Raises NothingToRelease after the last attempt.
    """
    for _ in range(LOCK_ATTEMPTS):
        with transaction.atomic():
            if connection.vendor == "sqlite" or _wait_for_writers():
                return current_cutoff(campaign)
    raise NothingToRelease("Nothing was frozen, because labels are being loaded. Try again in a minute.")


def _wait_for_writers() -> bool:
    """Lock the tables that a release reads until the transaction ends. Return False if the lock times out."""
    tables = ", ".join(model._meta.db_table for model in (JudgmentEvent, ReturnedLabel, AdjudicationEvent))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_MILLISECONDS}ms'")
            cursor.execute(f"LOCK TABLE {tables} IN SHARE MODE")
    except OperationalError:
        return False
    return True


def remove_stale_folders() -> None:
    """Remove the temporary folders of releases whose process was killed."""
    for folder in Path(gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with suppress(OSError):  # another process removes it, or it belongs to another user
            if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder)


def announce_release(release: QrelsRelease) -> None:
    """Send `release_frozen`; call it in the transaction that stores the release."""
    release_frozen.send(QrelsRelease, release=release)


def release_in_background(job: Job) -> None:
    """Freeze the release of a job once and announce it. Raises what `release_qrels` raises, and Stopped.

    Arguments of the job: plan, accepted, and the number of the release. A failed attempt leaves nothing
    behind, so the next attempt starts over. Raises ReleaseConflict if a release with that number exists by
    then.
    """
    campaign, plan = job.campaign, plan_from_json(job.arguments["plan"])
    total = scope_of(CampaignReads(campaign), plan).count()

    def frozen(release: QrelsRelease) -> None:
        place = reverse("assess:release", args=[campaign.slug, release.number])
        finish(job, f"{release} is frozen: {release.line_count:,} judgments", place)
        announce_release(release)

    release_qrels(
        campaign,
        job.user,
        plan,
        lambda lines: report_progress(job, lines, total, "Writing the files"),
        frozen,
        job.arguments["number"] - 1,
        job.arguments.get("accepted", False),
    )


def check_plan(campaign: Campaign, plan: ReleasePlan) -> None:
    """Raise BadPlan if a plan names a topic, pool, judge or grade that the campaign does not have."""
    people = set(judges_of(campaign).values_list("username", flat=True))
    machines = set(campaign.sources.standing().programs().values_list("user__username", flat=True))
    known: list[tuple[str, set[Any], set[Any]]] = [
        ("topic", set(plan.topics), set(campaign.topics.values_list("number", flat=True))),
        ("pool", set(plan.pools), set(campaign.pools.values_list("number", flat=True))),
        ("judge", set(plan.judges), people),
        ("machine judge", set(plan.machines), machines),
        ("judge", {plan.judge} - {""}, people | machines),
        ("grade above 0", {plan.threshold} - {None}, {grade.value for grade in campaign.grades[1:]}),
    ]
    for kind, named, existing in known:
        if missing := named - existing:
            raise BadPlan(
                f"expected a {kind} of this campaign, found {min(missing)}; known: {_some_of(existing)}"
            )


def _some_of(names: set[Any], most: int = 10) -> str:
    """Return the first names as text, and how many more there are."""
    first = ", ".join(map(str, sorted(names)[:most])) or "none"
    return first + (f" and {len(names) - most} more" if len(names) > most else "")


def _about(
    reads: CampaignReads, plan: ReleasePlan, cutoff: ReleaseCutoff, counts: ReleaseCounts, accepted: bool
) -> dict[str, Any]:
    """Return the part of the manifest that describes the contents."""
    campaign = reads.campaign
    organisers = campaign.memberships.filter(role=Role.ORGANISER).select_related("user").order_by("pk")
    pools, machines = pools_in(campaign, plan), _machines(reads, plan, counts, accepted)
    statements = selection_statements(campaign, counts.by_topic)
    judges = labels_of_judges({"judges": counts.by_judge, "machines": machines})
    return {
        "campaign": campaign.slug,
        "title": campaign.name,
        "organisers": [str(member.user) for member in organisers],
        "plan": plan_to_json(plan),
        "rule": plan.rule,
        "scale": campaign.scale,
        "threshold": counts.threshold,
        "judgments": counts.lines,
        "topics": len(counts.by_topic),
        "relevant": counts.relevant,
        "grades": {str(grade): count for grade, count in sorted(counts.grades.items())},
        "judged_by_several": counts.several,
        "sources": dict(counts.sources.most_common()),
        "without_a_line": dict(sorted(counts.unwritten.items())),
        "pooled_without_a_grade": scope_of(reads, plan).count() - counts.lines,
        "judges": dict(sorted(judges.items())),
        "judged_elsewhere": judged_elsewhere(judges),
        "judge_numbers": dict(cutoff.numbers),
        "withdrawn_judges": sorted(cutoff.withdrawn),
        "machines": machines,
        **({"selection": statements} if statements else {}),
        "pools": [pool.manifest["sha256"] for pool in pools],
        "last_event": str(JudgmentEvent.objects.get(pk=cutoff.last).uuid),
        "last_return": _uuid_of(
            ReturnedLabel.objects.filter(pk=cutoff.last_return or 0).values_list("event__uuid")
        ),
        "last_settled": _uuid_of(
            AdjudicationEvent.objects.filter(pk=cutoff.last_settled or 0).values_list("uuid")
        ),
        "labels_until": cutoff.at.isoformat(),
        "primary_judges": [[topic, pool, judge] for (topic, pool), judge in sorted(cutoff.primary.items())],
        "software": f"Jurypool {settings.VERSION}",
    }


def _uuid_of(rows: QuerySet[Any, tuple[UUID]]) -> str:
    """Return the UUID of the only row, or "" if there is no row."""
    return "".join(str(uuid) for (uuid,) in rows)


def _machines(
    reads: CampaignReads, plan: ReleasePlan, counts: ReleaseCounts, accepted: bool
) -> list[dict[str, Any]]:
    """Return the description of each machine judge whose labels were used, with the verdict on this use."""
    machines = [machine for machine in reads.machines if machine.user.username in counts.by_judge]
    uses = {each.judge: each for each in machine_uses(reads, plan)}
    return [
        {
            "judge": machine.user.username,
            "source": MACHINES[machine.kind],
            "model": machine.model,
            "prompt_sha256": machine.prompt_sha256,
            "made_on": machine.made_on.isoformat() if machine.made_on else "",
            "labels": counts.by_judge[use.judge],
            "use": use.use,
            "audit": use.audit,
            "verdict": str(use.answer),
            "accepted": accepted and not use.is_allowed,
        }
        for machine in machines
        if (use := uses[machine.user.username])
    ]


def _freeze(
    release: QrelsRelease, about: dict[str, Any], files: Files, folder: Path, frozen: OnFrozen
) -> None:
    """Store the release, unless another took its number. Its files are stored before the transaction."""
    release.released_at = timezone.now()
    files = files | _write_about(release, about, files, folder)
    names = {kind: _store_file(kind, file) for kind, file in files.items()}
    release.file = names[QRELS]
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=release.campaign.pk)  # one number at a time
        last = release.campaign.releases.count()
        if last + 1 != release.number:
            raise ReleaseConflict(last)
        _store(release, files, names)
        frozen(release)


def _store(release: QrelsRelease, files: Files, names: dict[str, str]) -> None:
    release.save()
    ReleaseFile.objects.bulk_create(_row(release, kind, files[kind], names[kind]) for kind in files)
    summary = f"{release}: {release.line_count:,} judgments, {release.rule}"
    about: dict[str, Any] = {"number": release.number, "sha256": release.sha256}
    if any(machine["accepted"] for machine in release.manifest["machines"]):
        summary += f"; accepted: {' '.join(release.machine_sentences)}"
        about["accepted_verdict"] = True
    log_change(release.campaign, release.released_by, "released qrels", summary, **about)


def _write_about(release: QrelsRelease, about: dict[str, Any], files: Files, folder: Path) -> Files:
    """Complete the manifest. Return the files of the citation and of the manifest."""
    release.manifest = about | {
        "release": release.number,
        "released_at": release.released_at.isoformat(),
        "released_by": release.released_by.username,
        "sha256": release.sha256,
    }
    citation_file = write_file(folder / CITATION, citation(release.manifest).encode())
    release.manifest["files"] = {
        kind: {"sha256": file.sha256, "bytes": file.size, "lines": file.lines}
        for kind, file in (files | {CITATION: citation_file}).items()
    }
    content = json.dumps(release.manifest, indent=2, ensure_ascii=False).encode() + b"\n"
    return {CITATION: citation_file, MANIFEST: write_file(folder / MANIFEST, content)}


def _row(release: QrelsRelease, kind: str, file: WrittenFile, name: str) -> ReleaseFile:
    return ReleaseFile(
        release=release, kind=kind, sha256=file.sha256, size=file.size, line_count=file.lines, file=name
    )


def _store_file(kind: str, file: WrittenFile) -> str:
    """Store a finished file under a name that contains its checksum, unless it is stored. Return the name."""
    folder = "qrels" if kind == QRELS else "releases"
    name = f"{folder}/{file.sha256}{kind_of(kind).suffix}"
    with file.path.open("rb") as content:
        return store_once(name, File(content), file.sha256)
