"""Labellings: the requests to a language model about many documents."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import transaction
from django.urls import reverse

from accounts.models import User
from assess.machines.queries.labellings import PROBES, count_requests, probe_documents, scoped_documents
from assess.machines.queries.requests import (
    Question,
    in_chunks,
    questions,
    setup_of,
)
from assess.machines.services.prompts import MachineRefused
from assess.models import (
    MachineLabelling,
    MachinePrompt,
    MachineRequest,
)
from assess.services.unfinished_loads import (
    end_load,
    insert_chunks,
    judge_username,
    last_chunk,
    request_load,
)
from pooling.campaign_states import check_additions
from pooling.models import Campaign, Job
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.services.jobs import JobTask, finish, report_progress, start_job

CHUNK = 1_000  # keys of a query, rows of a statement
ANSWER_FIELDS = (
    "state", "reply", "finish_reason", "relevance", "problem", "server_model", "input_tokens",
    "output_tokens", "probabilities", "seconds", "attempts", "reused", "answered_at",
)  # fmt: skip


class LabellingDetails(NamedTuple):
    """What an organiser chooses.

    options: of `request_body`, with `samples` and `characters`. scope: `topics` (numbers; empty: all),
    `unlabelled`, and `probes`, the number of documents that get planted texts. endpoint: "" for files.
    """

    prompt: MachinePrompt
    name: str
    model: str
    options: dict[str, Any]
    scope: dict[str, Any]
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    endpoint: str = ""
    ceiling: Decimal | None = None


def create_labelling(
    campaign: Campaign, user: User, details: LabellingDetails, job: Job | None = None
) -> MachineLabelling:
    """Store a labelling with a request for each document and sample, and three for each probe.

    A request whose key has an answer in this campaign gets that answer. The last transaction, which also
    finishes the job, lets everybody see the labelling. Raises MachineRefused if the scale is not that of the
    prompt, if the name is in use, and if there is no document to label; LoadReplaced.
    """
    check_labelling(campaign, details)
    scope = details.scope | {"seed": details.scope.get("seed") or secrets.randbelow(1 << 31)}
    labelling = MachineLabelling(
        campaign=campaign, created_by=user, **details._replace(scope=scope)._asdict()
    )
    asked = _questions(labelling, job)
    answers = _earlier_answers(campaign, {question.key for question in asked})

    def insert(rows: slice) -> None:
        _insert_requests(labelling, asked[rows], answers)

    with request_load(labelling) as load:
        insert_chunks(load, len(asked), insert, job)
        with transaction.atomic():
            end_load(load)
            insert(last_chunk(len(asked)))
            summary = f"{labelling}, {len(asked):,} requests to {details.model}"
            log_change(
                campaign, user, "created a labelling", summary, prompt=details.prompt.sha256,
                model=details.model, options=details.options, scope=scope,
            )  # fmt: skip
            if job:
                finish(job, f"{len(asked):,} requests created. Nothing has been sent.", _page_of(labelling))
    return labelling


def _page_of(labelling: MachineLabelling) -> str:
    return reverse("assess:labelling", args=[labelling.campaign.slug, labelling.number])


def start_creation(campaign: Campaign, user: User, details: LabellingDetails, task: JobTask) -> Job:
    """Start the job that creates a labelling. Raises what `create_labelling` raises."""
    check_labelling(campaign, details)
    prices = ("input_price", "output_price", "ceiling")
    texts = {name: value and str(value) for name, value in details._asdict().items() if name in prices}
    arguments = details._asdict() | texts | {"prompt": details.prompt.pk}
    return start_job(campaign, user, task, f"Create the requests of {details.name}", arguments)


def create_in_background(job: Job) -> None:
    """Create the labelling of a job; its arguments are the details. A failed attempt leaves nothing."""
    arguments = dict(job.arguments)
    for name in ("input_price", "output_price", "ceiling"):
        arguments[name] = arguments[name] and Decimal(arguments[name])
    arguments["prompt"] = job.campaign.prompts.get(pk=arguments["prompt"])
    create_labelling(job.campaign, job.user, LabellingDetails(**arguments), job)


def check_labelling(campaign: Campaign, details: LabellingDetails) -> None:
    """Raise MachineRefused or StateRefused for a labelling that cannot be created."""
    check_additions(campaign.state)
    check_scale(campaign, details.prompt)
    _check_name(campaign, details.name)
    if not scoped_documents(campaign, details.scope).exists():
        raise MachineRefused("There is no document to label: none of the chosen topics has one with a text.")


def _check_name(campaign: Campaign, name: str) -> None:
    judges = User.objects.filter(username=judge_username(campaign, name))
    if campaign.labellings.filter(name=name).exists() or judges.exists():
        raise MachineRefused(f"The name {name} is in use. Choose the name of a new machine judge.")


def check_scale(campaign: Campaign, prompt: MachinePrompt) -> None:
    grades = [grade.value for grade in campaign.grades]
    if prompt.content["grades"] != grades:
        raise MachineRefused(
            f"{prompt} asks for grades that the scale of the campaign does not have. "
            "Store a new version of the prompt."
        )


def _questions(labelling: MachineLabelling, job: Job | None) -> list[Question]:
    """Return all requests to be stored, with those of probes at the end. Raises Stopped."""
    campaign, setup, scope = labelling.campaign, setup_of(labelling), labelling.scope
    pooled = scoped_documents(campaign, scope).select_related("topic").order_by("topic__place", "docno")
    samples = [(sample, "") for sample in range(1, labelling.options.get("samples", 1) + 1)]
    asked: list[Question] = []
    total = count_requests(campaign, labelling.options, scope) if job else 0
    for chunk in in_chunks(questions(campaign, setup, pooled.iterator(chunk_size=CHUNK), samples), CHUNK):
        asked += chunk
        if job:
            report_progress(job, len(asked), total, "Preparing requests; nothing is stored yet")
    if scope.get("probes"):
        probed = probe_documents(campaign, scope)
        asked += questions(campaign, setup, probed, [(1, probe) for probe in PROBES])
    return asked


def _earlier_answers(campaign: Campaign, keys: Iterable[str]) -> dict[str, MachineRequest]:
    """Return key -> an answered request of this campaign.

    If an endpoint refused a parameter of a labelling, its answers are to other requests than its keys say.
    """
    answered = MachineRequest.objects.filter(
        labelling__campaign=campaign, labelling__adjustments={}, state=MachineRequest.State.ANSWERED
    )
    if not answered.exists():
        return {}
    chunks = (answered.filter(key__in=chunk).order_by() for chunk in in_chunks(keys, CHUNK))
    return {request.key: request for chunk in chunks for request in chunk}


def _insert_requests(
    labelling: MachineLabelling, asked: list[Question], answers: dict[str, MachineRequest]
) -> None:
    columns: dict[str, list[Any]] = {}
    if answers:  # without them the defaults hold, which take far less time
        open_request = MachineRequest()
        requests = [answers.get(question.key, open_request) for question in asked]
        columns = {field: [getattr(request, field) for request in requests] for field in ANSWER_FIELDS}
        columns["reused"] = [request is not open_request for request in requests]
    insert_rows(
        MachineRequest,
        len(asked),
        labelling_id=labelling.pk,
        pooled_id=[question.pooled for question in asked],
        sample=[question.sample for question in asked],
        probe=[question.probe for question in asked],
        key=[question.key for question in asked],
        text_hash=[question.text_hash for question in asked],
        cut_at=[question.cut_at for question in asked],
        **columns,
    )
