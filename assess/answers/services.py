"""Submit and withdraw answer runs, and set their rules."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.answers.answer_checks import check_answers
from assess.answers.answer_files import AnswerFile, character_count, word_count
from assess.answers.queries import answer_acceptance, answer_rows, requirements_of, rules_of
from assess.models import Answer, AnswerRules, AnswerRun, CitedDocument
from pooling.campaign_states import StateRefused
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.formats.run_checks import RunFinding
from pooling.models import Campaign, Run
from pooling.queries.documents import is_any_loaded
from pooling.refusals import Refused
from pooling.schedule import Acceptance
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.services.runs import GZIP_MAGIC, store_original


class AnswerRunRefused(Refused):
    """An answer run that cannot be withdrawn; the message says why."""


class AnswerRunDetails(NamedTuple):
    """What a group says about its answers. Empty ones are taken from the file.

    match_topics: topics whose numbers differ only in how they are written are those of the campaign.
    """

    group: str = ""
    kind: str = ""
    description: str = ""
    match_topics: bool = False


def submit_answer_run(
    campaign: Campaign, user: User, content: bytes, name: str, about: AnswerRunDetails
) -> AnswerRun:
    """Check a file of answers, store its bytes and its answers.

    Raises BadFile (its subclass RunRefused lists the errors with their lines), and StateRefused where the
    campaign accepts no answer runs from this person; then nothing is stored.
    """
    arrived = timezone.now()
    accepted = _check_acceptance(campaign, user, arrived)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    expected = requirements_of(campaign, about.match_topics)
    if not expected.topics:
        raise BadFile("expected the campaign's topics to be loaded first; it has none yet", name=name)
    file, warnings = check_answers(text, expected, name)
    warnings += _without_text(campaign, file)
    packed = content if content.startswith(GZIP_MAGIC) else gzip.compress(text, compresslevel=1, mtime=0)
    run = AnswerRun(
        campaign=campaign,
        tag=file.tag,
        group=about.group or file.group,
        kind=about.kind or file.kind or Run.Kind.AUTOMATIC,
        description=about.description,
        form=file.form,
        topic_numbers=dict(file.renamed),
        file_name=name[-255:],
        sha256=sha256_of(text),
        answer_count=len(file.answers),
        submitted_by=user,
        submitted_at=arrived,
        is_late=accepted.is_late,
    )
    run.original = store_original(packed, name, run.sha256)
    columns = _answer_columns(campaign, file)
    with transaction.atomic():
        stored = Campaign.objects.select_for_update().get(pk=campaign.pk)  # one submission at a time
        _check_acceptance(stored, user, arrived)
        if campaign.answer_runs.active().filter(tag=run.tag).exists():
            taken = f"the tag {run.tag} is taken by another answer run; expected another run_id"
            raise BadFile(f"{taken}, or that run withdrawn first", name=name)
        findings = [*warnings, *_among_others(run, file)]
        run.warnings = [finding._asdict() for finding in findings]
        run.save()
        _store_answers(run, file, columns)
        summary = f"{run.tag} of {run.group}" if run.group else f"{run.tag} (no group)"
        facts = {"tag": run.tag, "group": run.group, "sha256": run.sha256, "answers": run.answer_count}
        log_change(campaign, user, "submitted an answer run", summary, **facts)
    return run


def _answer_columns(campaign: Campaign, file: AnswerFile) -> dict[str, list[Any]]:
    """Return the columns of the answers; made before the transaction, because that takes time."""
    topics = dict(campaign.topics.values_list("number", "pk"))
    texts = [[sentence.text for sentence in answer.sentences] for answer in file.answers]
    return {
        "topic_id": [topics[answer.topic] for answer in file.answers],
        "line": [answer.line for answer in file.answers],
        "sentences": [answer_rows(answer.sentences) for answer in file.answers],
        "references": [list(dict.fromkeys(answer.references)) for answer in file.answers],
        "metadata": [dict(answer.metadata) for answer in file.answers],
        "words": [word_count(own) for own in texts],
        "characters": [character_count(own) for own in texts],
    }


def _store_answers(run: AnswerRun, file: AnswerFile, columns: dict[str, list[Any]]) -> None:
    """Store the answers and the documents that they cite, in the caller's transaction."""
    insert_rows(Answer, len(file.answers), run_id=run.pk, **columns)
    key_of_line = dict(Answer.objects.filter(run=run).values_list("line", "pk"))
    cited = [
        (key_of_line[answer.line], docno, place)
        for answer in file.answers
        for place, docno in enumerate(answer.cited, start=1)
    ]
    if cited:
        answers, docnos, places = (list(column) for column in zip(*cited, strict=True))
        insert_rows(CitedDocument, len(cited), answer_id=answers, docno=docnos, place=places)


@transaction.atomic
def withdraw_answer_run(run: AnswerRun, by: User) -> None:
    """Withdraw an answer run: it stays as evidence, and nobody assesses it. Its tag is free again.

    Raises AnswerRunRefused if it is withdrawn already.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=run.campaign_id)
    stored = AnswerRun.objects.select_for_update().get(pk=run.pk)
    if stored.withdrawn_at:
        raise AnswerRunRefused(f"The answer run {stored.tag} is withdrawn already.")
    stored.withdrawn_at, stored.withdrawn_by = timezone.now(), by
    stored.save(update_fields=["withdrawn_at", "withdrawn_by"])
    log_change(run.campaign, by, "withdrew an answer run", stored.tag, tag=stored.tag)


@transaction.atomic
def set_answer_rules(campaign: Campaign, by: User, values: dict[str, Any]) -> None:
    """Set the rules of answer runs. values: field of AnswerRules -> value. Stored runs do not change."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    rules = rules_of(campaign)
    changes = {
        name: {"was": getattr(rules, name), "is": value}
        for name, value in values.items()
        if getattr(rules, name) != value
    }
    if not changes:
        return
    AnswerRules.objects.update_or_create(campaign=campaign, defaults=values)
    log_change(campaign, by, "changed the rules of answer runs", ", ".join(changes), **changes)


def delete_answers(campaign: Campaign) -> None:
    """Delete the answer runs of a campaign that is being deleted: an answer protects its topic."""
    campaign.answer_runs.all().delete()


def _check_acceptance(campaign: Campaign, user: User, now: datetime) -> Acceptance:
    accepted = answer_acceptance(campaign, user, now)
    if not accepted.accepts:
        raise StateRefused(accepted.sentence)
    return accepted


def _without_text(campaign: Campaign, file: AnswerFile) -> Iterator[RunFinding]:
    """Yield a warning where the campaign has no text, or has none of the cited documents.

    Which documents have a text is for organisers alone: others would learn which of them are pooled.
    """
    cited = {docno for answer in file.answers for docno in answer.cited}
    wish = "Check that docnos are written as in the collection"
    if cited and not campaign.documents.exists():
        yield RunFinding("docnos were not checked, because the campaign has no texts", wish)
    elif cited and not is_any_loaded(campaign, [docno.encode() for docno in cited]):
        yield RunFinding("no cited document is among the loaded documents", wish)


def _among_others(run: AnswerRun, file: AnswerFile) -> Iterator[RunFinding]:
    """Yield warnings from a comparison with the group and with the other answer runs."""
    if file.group and file.group != run.group:
        hint = "The group of the submission counts"
        yield RunFinding(f"the file has the team_id {file.group}, submitted by {run.group}", hint)
    same = run.campaign.answer_runs.active().filter(sha256=run.sha256)
    if same:
        own = same.filter(group=run.group).first()  # another group's tag is not for this one to know
        which = f"answer run {own.tag}" if own else "another group's answer run"
        yield RunFinding(f"the content is that of {which}", "The same answers twice add nothing")
