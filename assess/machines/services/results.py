"""Load the result files of language models: the answers to the requests of a labelling."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.machines.batch import read_results
from assess.machines.queries.requests import in_chunks
from assess.machines.services.labellings import ANSWER_FIELDS, CHUNK
from assess.machines.services.prompts import MachineRefused
from assess.machines.services.requests import answer_of, answer_values
from assess.models import MachineLabelling, MachineRequest
from pooling.campaign_states import check_additions
from pooling.checksum import sha256_of
from pooling.formats.files import BadLine, unpack
from pooling.models import Job
from pooling.services.audit_log import log_change
from pooling.services.files import read_upload
from pooling.services.jobs import JobTask, advance, finish, report_progress, start_job
from pooling.words import counted

State = MachineRequest.State
Values = dict[str, Any]  # columns of a request


class LoadedResults(NamedTuple):
    """Requests of a result file. unreadable: of the answered ones. known: those that had an answer."""

    answered: int = 0
    unreadable: int = 0
    failed: int = 0
    known: int = 0

    def __str__(self) -> str:
        words = f"{self.answered:,} answer{pluralize(self.answered)} stored"
        if self.unreadable:
            words += f", {self.unreadable:,} without a readable grade"
        if self.failed:
            words += f"; {self.failed:,} failed"
        if self.known:
            words += f"; {self.known:,} had an answer before"
        return f"{words}."


def load_results(
    labelling: MachineLabelling, user: User, content: bytes, name: str, job: Job | None = None
) -> LoadedResults:
    """Store the answers of a result file. Raises BadFile and MachineRefused, and then nothing is stored.

    The file is read before the first transaction. The answers are stored in several short ones, as an answer
    never changes: after a crash, the next attempt of a job continues from its cursor.
    """
    _check_loading(labelling)
    if job:
        report_progress(job, job.done, job.total, "Reading the result file")
    values = _read_values(labelling, content, name)
    done, loaded = (job.done, LoadedResults(**job.cursor)) if job else (0, LoadedResults())
    for keys in in_chunks(islice(values, done, None), CHUNK):
        with transaction.atomic():
            chunk = _store_chunk(labelling, {key: values[key] for key in keys})
            loaded = LoadedResults(*map(sum, zip(loaded, chunk, strict=True)))
            done += len(keys)
            if done == len(values):
                summary = f"{counted(len(values), 'result')} from {name} for {labelling}"
                log_change(labelling.campaign, user, "loaded results", summary, sha256=sha256_of(content))
            if job:
                _advance(job, done, len(values), loaded)
    return loaded


def _advance(job: Job, done: int, total: int, loaded: LoadedResults) -> None:
    """Store the progress of a job, and its end after the last chunk. Raises Stopped."""
    advance(job, done, total, str(loaded), loaded._asdict())
    if done == total:
        finish(job, str(loaded))


def start_loading(labelling: MachineLabelling, user: User, file: File[Any], task: JobTask) -> Job:
    """Start the job that loads a result file. Raises MachineRefused and StateRefused."""
    _check_loading(labelling)
    arguments = {"labelling": labelling.pk, "name": file.name}
    return start_job(labelling.campaign, user, task, f"Load results from {file.name}", arguments, file)


def load_results_in_background(job: Job) -> None:
    """Load the result file of a job. Raises BadFile, MachineRefused and Stopped."""
    labelling = MachineLabelling.objects.select_related("prompt").get(pk=job.arguments["labelling"])
    labelling.campaign = job.campaign
    name = job.arguments["name"]
    with job.upload.open("rb") as file:
        content = read_upload(file, name)
    load_results(labelling, job.user, content, name, job)


def _check_loading(labelling: MachineLabelling) -> None:
    check_additions(labelling.campaign.state)
    if labelling.machine_id:
        raise MachineRefused("The labels of this labelling are stored. Results cannot change them any more.")


def _read_values(labelling: MachineLabelling, content: bytes, name: str) -> dict[str, Values]:
    """Return key -> columns, in the order of the file. Raises BadFile for a result of another labelling."""
    grades, values = labelling.prompt.content["grades"], {}
    known = set(labelling.requests.order_by().values_list("key", flat=True))
    for result in read_results(unpack(content, name, settings.UPLOAD_LIMIT), name):
        if result.key not in known:
            raise BadLine(result.line, "expected the custom_id of a request of this labelling", name)
        if result.completion is None:
            values[result.key] = {"state": State.FAILED, "problem": result.problem}
        else:
            values[result.key] = answer_values(answer_of(result.completion, grades), grades)
    return values


def _store_chunk(labelling: MachineLabelling, values: dict[str, Values]) -> LoadedResults:
    """Store results in the caller's transaction. A request that has an answer does not change."""
    _check_loading(MachineLabelling.objects.select_for_update(of=("self",), no_key=True).get(pk=labelling.pk))
    requests = list(labelling.requests.filter(key__in=values).order_by("pk").select_for_update(of=("self",)))
    changed, paid = [], set()
    for request in requests:
        if request.state == State.ANSWERED:
            continue
        for field, value in values[request.key].items():
            setattr(request, field, value)
        request.reused = request.state == State.ANSWERED and request.key in paid
        paid.add(request.key)
        changed.append(request)
    MachineRequest.objects.bulk_create(
        changed, CHUNK, update_conflicts=True, unique_fields=["id"], update_fields=list(ANSWER_FIELDS)
    )
    answered = [request for request in changed if request.state == State.ANSWERED]
    unreadable = sum(request.relevance is None for request in answered)
    failed, known = len(changed) - len(answered), len(requests) - len(changed)
    return LoadedResults(len(answered), unreadable, failed, known)
