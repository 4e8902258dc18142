"""Work for real workers, and the campaign that it is done in. `begin` runs inside `manage.py shell`."""

from __future__ import annotations

import io
import json
import os
import signal
import time

from django.db import transaction
from django_tasks import TaskContext

from accounts.models import User
from assess.active_learning.services.collections import load_collection
from assess.active_learning.services.reviews import PlannedReviews, begin_reviews, start_batches
from pooling import tasks
from pooling.checksum import text_hash
from pooling.formats.documents.reading import read_documents
from pooling.models import Campaign, Document, Job, Topic
from pooling.scale import FOUR_STEPS
from pooling.services.jobs import advance, finish, job_task, run_attempt, start_job
from pooling.services.people import create_campaign

STEPS = 25


@job_task
def dies(context: TaskContext, pk: int) -> None:
    """End the worker as the system does when memory runs out."""
    run_attempt(pk, context.task_result.id, lambda job: os.kill(os.getpid(), signal.SIGKILL))


@job_task
def writes_once(context: TaskContext, pk: int) -> None:
    """Store one document, whose name says which job and which attempt of it that was."""
    run_attempt(pk, context.task_result.id, _write_once)


@job_task
def walks(context: TaskContext, pk: int) -> None:
    """Store a document for each of some steps, and sleep in between."""
    run_attempt(pk, context.task_result.id, _walk)


def _write_once(job: Job) -> None:
    with transaction.atomic():
        _store(job, 0)
        finish(job, "Done")


def _walk(job: Job) -> None:
    for step in range(job.done, STEPS):
        time.sleep(0.15)
        with transaction.atomic():
            _store(job, step)
            advance(job, step + 1, STEPS)
    finish(job, "Done")


def _store(job: Job, step: int) -> None:
    docno, said = f"{job.pk}-{step}-{job.attempts}", text_hash("", "")
    Document.objects.create(campaign=job.campaign, docno=docno, text_hash=said)


def _begin_reviews(campaign: Campaign, olga: User, topics: int, documents: int) -> None:
    """Reviews of so many topics over a collection of so many documents; the job trains each of them."""
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(260)]
    lines = (
        json.dumps({"docno": f"D{n}", "text": " ".join(words[(n * k) % 260] for k in range(3, 60))})
        for n in range(documents)
    )
    reading = read_documents("\n".join(lines).encode(), "c.jsonl")
    collection = load_collection(campaign, olga, reading, "c.jsonl")
    chosen = Topic.objects.bulk_create(
        Topic(campaign=campaign, number=f"{n}", title=f"{words[n]} {words[n + 99]}", place=n)
        for n in range(topics)
    )
    planned = PlannedReviews(collection, chosen, [olga], 10, 20, 7)
    start_batches(campaign, olga, begin_reviews(campaign, olga, planned))


def begin(chore: str, count: int = 1, documents: int = 0) -> None:
    """Begin so many jobs; of "import" one, over so many documents; of "reviews" one, of so many topics."""
    olga, _ = User.objects.get_or_create(username="olga")
    campaign = Campaign.objects.first() or create_campaign(olga, "Chores", "chores", FOUR_STEPS, 2)
    if chore == "import":
        lines = (json.dumps({"docno": f"D{n}", "text": f"words {n} " * 20}) + "\n" for n in range(documents))
        about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": False}
        file = io.BytesIO("".join(lines).encode())
        start_job(campaign, olga, tasks.import_documents, "Load documents", about, file)
        return
    if chore == "reviews":
        _begin_reviews(campaign, olga, count, documents)
        return
    chosen = {"dies": dies, "writes_once": writes_once, "walks": walks}[chore]
    for number in range(count):
        start_job(campaign, olga, chosen, f"{chore} {number}", {})
