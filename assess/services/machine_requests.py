"""The answers of language models to requests, and the labels that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.machine_judges.batch import BatchResult, read_results
from assess.machine_judges.bodies import Completion
from assess.machine_judges.prompt import PromptContent
from assess.machine_judges.replies import grade_probabilities, read_reply
from assess.models import (
    MachineJudge,
    MachineLabelling,
    MachineRequest,
)
from assess.queries.machine_labellings import machine_grades
from assess.queries.machine_requests import (
    in_chunks,
)
from assess.services.imports import create_named_judge, insert_labels, label_batch
from assess.services.machine_labellings import ANSWER_FIELDS, CHUNK, check_scale
from assess.services.machine_prompts import MachineRefused
from pooling.campaign_states import check_additions
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, BadLine, unpack
from pooling.services.audit_log import log_change


class Answer(NamedTuple):
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
) -> Answer:
    """Return the answer in a completion. grades: of the prompt."""
    found = grade_probabilities(completion.logprobs, completion.finish_reason, grades)
    return Answer(*completion[:5], seconds, attempts, found.to_json() if found else None)


def store_answer(request: MachineRequest, answer: Answer) -> bool:
    """Store an answer, also for all equal requests of the labelling. Return False if there already is one."""
    values = _answer_values(answer, request.labelling.prompt.content["grades"])
    with transaction.atomic():
        open_requests = request.labelling.requests.exclude(state=MachineRequest.State.ANSWERED)
        if not open_requests.filter(pk=request.pk).update(**values):
            return False
        open_requests.filter(key=request.key).update(**values | {"reused": True})
    return True


def store_failure(request: MachineRequest, problem: str, attempts: int = 1) -> None:
    """Mark a request without an answer as failed. problem: a sentence."""
    open_requests = request.labelling.requests.exclude(state=MachineRequest.State.ANSWERED)
    failed = {"state": MachineRequest.State.FAILED, "problem": problem[:200], "attempts": attempts}
    open_requests.filter(key=request.key).update(**failed)


def _answer_values(answer: Answer, grades: Sequence[int]) -> dict[str, Any]:
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


class LoadedResults(NamedTuple):
    """Requests of a result file. unreadable: of the answered ones. known: those that had an answer."""

    answered: int
    unreadable: int
    failed: int
    known: int


def load_results(labelling: MachineLabelling, user: User, content: bytes, name: str) -> LoadedResults:
    """Store the answers of a result file. Raises BadFile and MachineRefused, and then nothing is stored."""
    check_additions(labelling.campaign.state)
    results = {
        result.key: result for result in read_results(unpack(content, name, settings.UPLOAD_LIMIT), name)
    }
    grades = PromptContent.from_json(labelling.prompt.content).grades
    with transaction.atomic():
        locked = MachineLabelling.objects.select_for_update(of=("self",)).get(pk=labelling.pk)
        if locked.machine_id:
            raise MachineRefused(
                "The labels of this labelling are stored. Results cannot change them any more."
            )
        requests = _requests_of(labelling, results, name)
        changed = _with_results(requests, results, grades)
        MachineRequest.objects.bulk_create(
            changed, CHUNK, update_conflicts=True, unique_fields=["id"], update_fields=list(ANSWER_FIELDS)
        )
        loaded = _count_loaded(changed, len(requests))
        summary = f"{len(results):,} results from {name} for {labelling}"
        log_change(labelling.campaign, user, "loaded results", summary, sha256=sha256_of(content))
    return loaded


def _requests_of(
    labelling: MachineLabelling, results: dict[str, BatchResult], name: str
) -> list[MachineRequest]:
    """Return the requests that have these results. Raises BadLine for a result of another labelling."""
    requests = [
        request
        for keys in in_chunks(results, CHUNK)
        for request in labelling.requests.filter(key__in=keys).order_by("pk")
    ]
    known = {request.key for request in requests}
    if unknown := [result.line for key, result in results.items() if key not in known]:
        raise BadLine(unknown[0], "expected the custom_id of a request of this labelling", name)
    return requests


def _with_results(
    requests: Iterable[MachineRequest], results: dict[str, BatchResult], grades: Sequence[int]
) -> list[MachineRequest]:
    """Return the requests that had no answer, with their results."""
    changed, paid = [], set()
    for request in requests:
        if request.state == MachineRequest.State.ANSWERED:
            continue
        result = results[request.key]
        if result.completion is None:
            values: dict[str, Any] = {"state": MachineRequest.State.FAILED, "problem": result.problem}
        else:
            values = _answer_values(answer_of(result.completion, grades), grades)
            values["reused"] = request.key in paid
            paid.add(request.key)
        for field, value in values.items():
            setattr(request, field, value)
        changed.append(request)
    return changed


def _count_loaded(changed: list[MachineRequest], requests: int) -> LoadedResults:
    answered = [request for request in changed if request.state == MachineRequest.State.ANSWERED]
    unreadable = sum(request.relevance is None for request in answered)
    return LoadedResults(len(answered), unreadable, len(changed) - len(answered), requests - len(changed))


def store_machine_labels(labelling: MachineLabelling, user: User) -> MachineJudge:
    """Store the grades of a labelling as labels of a new machine judge.

    The label of a document is the mode of its readable samples. A document whose samples have no single mode
    gets no label. Raises MachineRefused if the labels are stored already or if there are none.
    """
    campaign = labelling.campaign
    check_additions(campaign.state)
    check_scale(campaign, labelling.prompt)
    found = machine_grades(labelling)
    if not found.grades:
        raise MachineRefused("No request has a readable grade yet, so there are no labels to store.")
    labels = label_batch(campaign, found.grades)
    labels = labels._replace(hashes=[found.hashes[pair] for pair in labels.pairs])
    with transaction.atomic():
        if MachineLabelling.objects.select_for_update(of=("self",)).get(pk=labelling.pk).machine_id:
            raise MachineRefused("The labels of this labelling are stored already.")
        judge = _create_judge(labelling)
        machine = MachineJudge.objects.create(
            campaign=campaign,
            user=judge,
            kind=MachineJudge.Kind.LANGUAGE_MODEL,
            model=labelling.model,
            prompt_sha256=labelling.prompt.sha256,
            made_on=timezone.localdate(),
            note=f"{labelling.prompt}, labelling {labelling.number}",
            left_out=found.left_out,
            loaded_by=user,
        )
        MachineLabelling.objects.filter(pk=labelling.pk).update(machine=machine)
        insert_labels(campaign, judge, labels)
        summary = f"{len(found.grades):,} of {labelling}, as those of {judge}"
        log_change(campaign, user, "stored machine labels", summary, judge=judge.username)
    labelling.machine = machine
    return machine


def _create_judge(labelling: MachineLabelling) -> User:
    try:
        return create_named_judge(labelling.campaign, labelling.name)
    except BadFile as error:
        raise MachineRefused(f"Another judge has the name {labelling.name} now.") from error
