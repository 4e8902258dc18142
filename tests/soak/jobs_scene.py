"""A campaign whose machine labels and requests are stored in jobs. Run inside `manage.py shell`."""

from __future__ import annotations

import json

from accounts.models import User
from assess.machines import tasks
from assess.machines.prompt import SHORT
from assess.machines.services.labellings import LabellingDetails, create_labelling, start_creation
from assess.machines.services.prompts import PromptDetails, create_prompt
from assess.machines.services.requests import start_storing
from assess.models import MachineRequest
from assess.services.imports import _pool_judged
from pooling.models import Campaign, Document, Job
from pooling.strategies.candidates import PoolEntry
from tests.soak.scene import _document, build_track
from tests.support.names import TRACK

TOPICS = 50


def build(rows: int) -> None:
    """Make a campaign with so many pooled documents, and two labellings with an answer to every request."""
    build_track(TOPICS)
    olga, campaign = User.objects.get(username="olga"), Campaign.objects.get(slug=TRACK)
    docnos = [f"T{number:05}" for number in range(rows // TOPICS)]
    Document.objects.bulk_create((_document(campaign, docno) for docno in docnos), batch_size=500)
    pooled = {str(topic): dict.fromkeys(docnos, PoolEntry(1, 1)) for topic in range(1, TOPICS + 1)}
    _pool_judged(campaign, olga, pooled, "documents", [])
    prompt = create_prompt(campaign, olga, PromptDetails(SHORT))
    for name in ("first", "second"):
        labelling = create_labelling(campaign, olga, LabellingDetails(prompt, name, "model", {}, {}))
        labelling.requests.update(state=MachineRequest.State.ANSWERED, relevance=2, reply="2", key="answered")


def start() -> None:
    """Start two jobs that store the labels, and two that create as many requests again."""
    olga, campaign = User.objects.get(username="olga"), Campaign.objects.get(slug=TRACK)
    for labelling in campaign.labellings.order_by("number"):
        start_storing(labelling, olga, tasks.store_labels)
    for name in ("third", "fourth"):
        details = LabellingDetails(campaign.prompts.get(), name, "model", {}, {})
        start_creation(campaign, olga, details, tasks.create_requests)


def jobs() -> None:
    """Print title, state and message of every job, as JSON."""
    rows = Job.objects.order_by("pk").values_list("title", "state", "message")
    print(json.dumps([list(row) for row in rows]))
