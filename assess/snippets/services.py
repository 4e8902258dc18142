"""Snippets: load those of a run, make sets, and store the grades of judges."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.models import RunSnippet, SnippetGrade, SnippetResult, SnippetSet, SnippetTask
from assess.queries.documents import text_hashes
from assess.queries.judged_sets import refuse_knowing_judges
from assess.services.judged_sets import SetRefused, discard_set, lock_for_new_set, store_label
from assess.services.judging import LabelRefused
from assess.snippets.files import EVERY_TOPIC, SnippetsFile, read_snippets
from assess.snippets.queries.plan import PlannedSnippets, SnippetPreview, preview_of
from assess.snippets.queries.tasks import SNIPPETS, Step, other_step, snippet_first
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import unpack
from pooling.models import Campaign, Run
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class SnippetsRefused(Refused):
    """Snippets of a run cannot be removed; the message says why."""


class SubmittedGrade(NamedTuple):
    """What the screen submits. grade: None to take it back. answers: the snippet alone answers the topic.

    text_hash: of the document that the judge read. seconds_ago: time since the press, by the judge's clock.
    """

    uuid: uuid.UUID
    grade: int | None
    answers: bool = False
    text_hash: str = ""
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


# --- snippets of a run


def load_snippets(run: Run, organiser: User, content: bytes, name: str) -> SnippetsFile:
    """Store the snippets of a file in place of those that the run had; return what the file says.

    Sets keep the snippets with which they were made. The same file again changes nothing. Raises BadFile, and
    then nothing is stored, and StateRefused.
    """
    campaign = run.campaign
    check_writable(campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    topics = dict(campaign.topics.values_list("number", "pk"))
    file = read_snippets(text, topics.keys(), name)
    rows = {(topics.get(topic), docno): snippet for (topic, docno), snippet in file.snippets.items()}
    with transaction.atomic():
        Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        stored = RunSnippet.objects.filter(run=run)
        if {
            (topic, docno): text for topic, docno, text in stored.values_list("topic", "docno", "text")
        } == rows:
            return file
        stored.delete()
        insert_rows(
            RunSnippet,
            len(rows),
            run_id=run.pk,
            topic_id=[topic for topic, _ in rows],
            docno=[docno for _, docno in rows],
            text=list(rows.values()),
        )
        summary = f"{run.tag}: {counted(len(rows), 'snippet')}, from {name or 'a file'}"
        static = sum(topic == EVERY_TOPIC for topic, _ in file.snippets)
        log_change(
            campaign, organiser, "loaded snippets of a run", summary,
            tag=run.tag, sha256=sha256_of(text), for_every_topic=static,
        )  # fmt: skip
    return file


@transaction.atomic
def remove_snippets(run: Run, organiser: User) -> None:
    """Remove the snippets that a run brought; sets keep theirs. Raises SnippetsRefused if it has none."""
    Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    count, _ = RunSnippet.objects.filter(run=run).delete()
    if not count:
        raise SnippetsRefused(f"The run {run.tag} has no snippets.")
    log_change(
        run.campaign,
        organiser,
        "removed snippets of a run",
        f"{run.tag}: {counted(count, 'snippet')}",
        tag=run.tag,
    )


# --- sets


def create_snippets(campaign: Campaign, organiser: User, asked: PlannedSnippets, key: str = "") -> SnippetSet:
    """Store a set, as `preview_of` shows it. key: see `make_once`.

    Raises SetRefused if no topic has a result to grade, and if the run was withdrawn, and Refused if a judge
    sees the name of the run.
    """
    check_writable(campaign.state)
    refuse_knowing_judges(campaign, [asked.run], asked.judges)
    preview = preview_of(asked)
    if not preview.rows:
        raise SetRefused("The run has no result with a snippet and a text here for these topics.")
    return make_once(organiser, key, SnippetSet, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(
    campaign: Campaign, organiser: User, asked: PlannedSnippets, preview: SnippetPreview
) -> SnippetSet:
    number = lock_for_new_set(campaign, campaign.snippet_sets.all())
    if not campaign.runs.active().filter(pk=asked.run.pk).exists():
        raise SetRefused(f"The run {asked.run.tag} was withdrawn. Choose another one.")
    stored = SnippetSet.objects.create(
        campaign=campaign,
        number=number,
        run=asked.run,
        origin=asked.origin,
        depth=asked.depth,
        scale=campaign.scale,
        threshold=campaign.threshold,
        instructions=asked.instructions,
        double=asked.double,
        seed=asked.seed,
        made_by=organiser,
    )
    results = SnippetResult.objects.bulk_create(
        SnippetResult(
            snippet_set=stored,
            topic_id=each.topic,
            rank=each.rank,
            docno=each.docno,
            title=each.title,
            address=each.address,
            snippet=each.snippet,
            text_hash=each.text_hash,
        )
        for each in preview.results
    )
    judges, places, numbers, steps = (list(column) for column in zip(*preview.rows, strict=True))
    insert_rows(
        SnippetTask,
        len(preview.rows),
        snippet_set_id=stored.pk,
        judge_id=judges,
        place=places,
        result_id=[results[each].pk for each in numbers],
        step=steps,
    )
    for_judges = counted(len(asked.judges), "judge")
    log_change(
        campaign,
        organiser,
        "made a set of snippets",
        f"{stored}: {counted(len(results), 'result')} of {asked.run.tag} for {for_judges}",
        number=stored.number,
        run=asked.run.tag,
        sha256=asked.run.sha256,
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        origin=asked.origin,
        depth=asked.depth,
        double=asked.double,
        seed=asked.seed,
    )
    return stored


def discard_snippets(about: SnippetSet, by: User) -> None:
    """Delete a set without grades. Raises SetRefused if it has some."""
    given = SnippetGrade.objects.filter(task__snippet_set=about)
    discard_set(about, about.tasks.all(), given, by, "discarded a set of snippets")


def delete_snippets(campaign: Campaign) -> None:
    """Delete the sets of a campaign that is being deleted: a set protects its run and its topics."""
    campaign.snippet_sets.all().delete()


# --- grades


@transaction.atomic
def record_snippet_grade(task: SnippetTask, judge: User, submitted: SubmittedGrade) -> SnippetGrade:
    """Store what a judge says of a snippet or a document. A repeated request changes nothing.

    Raises LabelRefused for a document whose snippet has no grade, for a snippet whose document was graded,
    for a grade that is not on the scale, and if the text of the document has changed since the judge read it.
    """
    about = task.snippet_set
    pair = SnippetTask.objects.filter(result=task.result_id, judge=task.judge_id)
    list(
        pair.select_for_update(no_key=True).order_by("place")
    )  # both steps: no order of requests mixes them up
    if not SnippetGrade.objects.filter(uuid=submitted.uuid).exists() and (
        why := _why_refused(task, submitted)
    ):
        raise LabelRefused(f"{why} {SNIPPETS.not_stored}")
    values = {
        "task_id": task.pk,
        "grade": submitted.grade,
        "answers": submitted.answers and task.step == Step.SNIPPET,
        "text_hash": submitted.text_hash,
        "reason": submitted.reason,
    }
    return store_label(SNIPPETS, task, judge, about, submitted, SnippetGrade.objects.all(), values)


def _why_refused(task: SnippetTask, submitted: SubmittedGrade) -> str:
    """Return why a new grade is refused; "" if it is not."""
    if submitted.grade is not None and submitted.grade not in {
        each.value for each in task.snippet_set.grades
    }:
        return f"The scale has no grade {submitted.grade}."
    if not SnippetTask.objects.filter(pk=task.pk).exists():
        return ""  # `store_label` says that the set was discarded
    if task.step == Step.SNIPPET:
        graded = SnippetGrade.objects.filter(task=other_step(task)).exists()
        return (
            "You have graded the document of this snippet, so that the grade of the snippet stays."
            if graded
            else ""
        )
    if submitted.grade is None:
        return ""
    if snippet_first(task):
        return "Grade the snippet of this document first."
    docno = task.result.docno
    now = text_hashes(task.snippet_set.campaign, [docno]).get(docno, "")
    return "" if submitted.text_hash == now else f"The text of {docno} has changed. Read it again."


def take_back_snippet_grade(
    task: SnippetTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take a standing grade back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the grade was refused, or is not the standing one. Raises LabelRefused.
    """
    last = task.given.order_by("-pk").first()
    if last and last.uuid == given:
        submitted = SubmittedGrade(new_uuid, None, source="", seconds_ago=seconds_ago)
        record_snippet_grade(task, judge, submitted)
