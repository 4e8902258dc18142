"""The answers of language models to requests, and the labels that come of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from assess.machines.queries.labellings import machine_grades, unfinished_jobs_of
from assess.machines.replies import grade_probabilities, read_reply
from assess.machines.responses import Completion
from assess.machines.services.labellings import check_scale
from assess.machines.services.prompts import BUSY, MachineRefused
from assess.models import (
    MachineLabelling,
    MachineRequest,
    Source,
)
from assess.services.bulk_labels import finish_labels, insert_labels, label_batch
from assess.services.unfinished_loads import label_load
from pooling.campaign_states import check_additions
from pooling.models import Job
from pooling.services.audit_log import log_change
from pooling.services.jobs import JobTask, finish, report_progress, start_job
from pooling.words import counted

STORED_ALREADY = "The labels of this labelling are stored already."


class ServerAnswer(NamedTuple):
    """The answer of a server. probabilities: `GradeProbabilities.to_json()`, if it sent them."""

    text: str
    finish_reason: str = ""
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    attempts: int = 1
    probabilities: dict[str, Any] | None = None


def answer_of(
    completion: Completion, grades: Sequence[int], seconds: float | None = None, attempts: int = 1
) -> ServerAnswer:
    """Return the answer in a completion. grades: of the prompt."""
    probabilities = grade_probabilities(completion.logprobs, completion.finish_reason, grades)
    return ServerAnswer(
        *completion[:5], seconds, attempts, probabilities.to_json() if probabilities else None
    )


def store_answer(request: MachineRequest, answer: ServerAnswer) -> bool:
    """Store an answer, also for all equal requests of the labelling.

    Return False if there already is one, or if the labels of the labelling are stored.
    """
    values = answer_values(answer, request.labelling.prompt.content["grades"])
    with transaction.atomic():
        open_requests = lock_open_requests(request.labelling)
        if not open_requests.filter(pk=request.pk).update(**values):
            return False
        open_requests.filter(key=request.key).update(**values | {"reused": True})
    return True


def store_failure(request: MachineRequest, problem: str, attempts: int = 1) -> None:
    """Mark a request without an answer as failed, unless the labels are stored. problem: a sentence."""
    failed = {"state": MachineRequest.State.FAILED, "problem": problem[:200], "attempts": attempts}
    with transaction.atomic():
        lock_open_requests(request.labelling).filter(key=request.key).update(**failed)


def lock_open_requests(labelling: MachineLabelling) -> QuerySet[MachineRequest]:
    """Lock a labelling in the caller's transaction. Return its requests that can still get an answer.

    Once the labels are stored there are none: the requests show what the labels come from.
    """
    locked = MachineLabelling.objects.select_for_update(of=("self",), no_key=True).get(pk=labelling.pk)
    if locked.machine_id:
        return MachineRequest.objects.none()
    return labelling.requests.exclude(state=MachineRequest.State.ANSWERED)


def answer_values(answer: ServerAnswer, grades: Sequence[int]) -> dict[str, Any]:
    """Return the columns of an answered request."""
    reply = read_reply(answer.text, answer.finish_reason, grades)
    return {
        "state": MachineRequest.State.ANSWERED,
        "reply": answer.text,
        "finish_reason": answer.finish_reason,
        "relevance": reply.relevance,
        "problem": reply.problem,
        "server_model": answer.model,
        "input_tokens": answer.input_tokens,
        "output_tokens": answer.output_tokens,
        "probabilities": answer.probabilities,
        "seconds": answer.seconds,
        "attempts": answer.attempts,
        "reused": False,
        "answered_at": timezone.now(),
    }


def start_storing(labelling: MachineLabelling, user: User, task: JobTask) -> Job:
    """Start the job that stores the labels of a labelling. Raises MachineRefused and StateRefused."""
    check_additions(labelling.campaign.state)
    _check_no_job(labelling)
    about = {"labelling": labelling.pk}
    return start_job(labelling.campaign, user, task, f"Store the labels of {labelling}", about)


def store_labels_in_background(job: Job) -> None:
    """Store the labels of the labelling of a job. A failed attempt stores nothing. Raises MachineRefused."""
    labelling = MachineLabelling.objects.select_related("prompt").get(pk=job.arguments["labelling"])
    labelling.campaign = job.campaign
    report_progress(job, 0, 0, "Reading answers")
    store_machine_labels(labelling, job.user, job)


def store_machine_labels(labelling: MachineLabelling, user: User, job: Job | None = None) -> Source:
    """Store the grades of a labelling as labels of a new machine judge.

    The label of a document is the mode of its readable samples. A document whose samples have no single mode
    gets no label. Raises MachineRefused if the labels are stored already, if there are none, and while
    answers are being stored; BadFile if another judge has the name of the labelling; LoadReplaced. job: is
    finished in the last transaction.
    """
    campaign = labelling.campaign
    check_additions(campaign.state)
    check_scale(campaign, labelling.prompt)
    _check_no_job(labelling, job)
    answered = _count_answered(labelling)
    grades = machine_grades(labelling)
    if not grades.grades:
        raise MachineRefused("No request has a readable grade yet, so there are no labels to store.")
    labels = label_batch(campaign, grades.grades)
    labels = labels._replace(hashes=[grades.hashes[pair] for pair in labels.pairs])
    if MachineLabelling.objects.get(pk=labelling.pk).machine_id:
        raise MachineRefused(STORED_ALREADY)
    with label_load(campaign, labelling.name) as (load, judge):
        changes = insert_labels(load, judge, labels, job)
        with transaction.atomic():
            _lock_unchanged(labelling, job, answered)
            machine = Source.objects.create(
                campaign=campaign,
                user=judge,
                kind=Source.Kind.LANGUAGE_MODEL,
                model=labelling.model,
                prompt_sha256=labelling.prompt.sha256,
                made_on=timezone.localdate(),
                note=f"{labelling.prompt}, labelling {labelling.number}",
                left_out=grades.left_out,
                loaded_by=user,
            )
            MachineLabelling.objects.filter(pk=labelling.pk).update(machine=machine)
            finish_labels(load, judge, labels, changes)
            summary = f"{len(grades.grades):,} of {labelling}, as those of {judge}"
            log_change(campaign, user, "stored machine labels", summary, judge=judge.username)
            if job:
                finish(job, f"{counted(len(grades.grades), 'label')} of {judge} stored.")
    labelling.machine = machine
    return machine


def _lock_unchanged(labelling: MachineLabelling, job: Job | None, answered: int) -> None:
    """Lock a labelling. Raise MachineRefused if it has labels, or other answers than were read."""
    if MachineLabelling.objects.select_for_update(of=("self",)).get(pk=labelling.pk).machine_id:
        raise MachineRefused(STORED_ALREADY)
    _check_no_job(labelling, job)
    if _count_answered(labelling) != answered:
        raise MachineRefused("Answers were stored meanwhile. Look at the figures, and store the labels then.")


def _check_no_job(labelling: MachineLabelling, own: Job | None = None) -> None:
    if unfinished_jobs_of(labelling).exclude(pk__in=[own.pk] if own else []).exists():
        raise MachineRefused(BUSY)


def _count_answered(labelling: MachineLabelling) -> int:
    return labelling.requests.filter(state=MachineRequest.State.ANSWERED).count()
