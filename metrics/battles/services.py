"""Release the result of battles: an archive that never changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.models import AnswerRun, BattleRelease, BattleSet
from assess.queries.answers import submitted_text
from metrics.archive.zip_stream import ArchiveMember, zip_chunks
from metrics.battles.queries import (
    PUBLIC_COLUMNS,
    RESULT_COLUMNS,
    OtherMeasures,
    SetResult,
    public_measures,
    public_vote_rows,
    result_json,
    result_rows,
    set_result,
)
from metrics.text_files import indented_json, tsv
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import store_once
from pooling.words import counted


class BattleReleaseRefused(Refused):
    """The result of battles cannot be released; the message says why."""


def release_battles(battle_set: BattleSet, by: User, key: str = "") -> BattleRelease:
    """Store the answers, the votes that stand and the result of a set as one archive. key: see `make_once`.

    Judges have numbers in it, and their reasons are left out. Of qrels it uses public ones, because it may be
    given to anyone. Raises BattleReleaseRefused without votes.
    """
    check_writable(battle_set.campaign.state)
    others = public_measures(battle_set)  # before the transaction, because it takes time
    return make_once(by, key, BattleRelease, lambda: _release(battle_set, by, others))


@transaction.atomic
def _release(battle_set: BattleSet, by: User, others: OtherMeasures) -> BattleRelease:
    campaign = battle_set.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one number at a time
    list(battle_set.battles.select_for_update(no_key=True))  # one state of the votes in all files
    result = set_result(battle_set, campaign)
    votes = result.result.choices.votes
    if not votes:
        raise BattleReleaseRefused(f"{battle_set} have no votes yet.")
    number = (battle_set.releases.aggregate(last=Max("number"))["last"] or 0) + 1
    folder = f"{campaign.slug}-battles-{battle_set.number}-v{number}"
    content = b"".join(zip_chunks(_members(battle_set, result, others, number), folder))
    checksum = sha256_of(content)
    stored = BattleRelease.objects.create(
        battle_set=battle_set,
        number=number,
        file=store_once(f"releases/{checksum}.zip", ContentFile(content), checksum),
        sha256=checksum,
        size=len(content),
        vote_count=votes,
        lead=result.result.verdict.lead,
        released_by=by,
    )
    summary = f"{stored}: {counted(votes, 'vote')}, {stored.lead}"
    about = {"battles": battle_set.number, "number": number, "sha256": checksum}
    log_change(campaign, by, "released battles", summary, **about)
    return stored


def _members(
    battle_set: BattleSet, result: SetResult, others: OtherMeasures, number: int
) -> Iterator[ArchiveMember]:
    """Yield the files of the archive: the runs as they were submitted, then what was made of them."""
    runs = list(battle_set.runs.filter(withdrawn_at=None))
    for run in runs:
        yield ArchiveMember(f"answers/{run.tag}.jsonl", [submitted_text(run)])
    files = {
        "votes.tsv": tsv(PUBLIC_COLUMNS, public_vote_rows(battle_set)),
        "results.tsv": tsv(RESULT_COLUMNS, result_rows(result.result, others)),
        "results.json": indented_json(result_json(battle_set, result.result, others)),
        "manifest.json": indented_json(_manifest(battle_set, runs, number)),
    }
    for name, text in files.items():
        yield ArchiveMember(name, [text.encode()])


def _manifest(battle_set: BattleSet, runs: list[AnswerRun], number: int) -> dict[str, object]:
    return {
        "campaign": battle_set.campaign.slug,
        "name": battle_set.campaign.name,
        "battles": battle_set.number,
        "release": number,
        "better": battle_set.better,
        "battles_of_a_topic": battle_set.per_topic,
        "judged_by_two_percent": battle_set.double,
        "repeated_percent": battle_set.repeated,
        "seed": battle_set.seed,
        "made_at": battle_set.made_at.astimezone(UTC).isoformat(timespec="seconds"),
        "runs": [
            {"tag": run.tag, "group": run.group, "form": run.form, "sha256": run.sha256} for run in runs
        ],
        "software": f"Jurypool {settings.VERSION}",
    }
