"""What requests to an endpoint cost so far and will cost, and the jobs that send them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Func, IntegerField, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Least

from assess.machines.prompt import DocumentText, PromptContent, fill
from assess.machines.queries.requests import texts_of_topic
from assess.machines.questions import CHARACTERS_A_TOKEN
from assess.machines.spending import Charge, Limits, upper_bound
from assess.models import MachineLabelling, MachineRequest
from pooling.models import Document, Job
from pooling.services.jobs import JobTask

PROBE_BYTES = 1_000  # upper bound of the order that a probe inserts
DOCUMENT_PLACES = ("document", "title", "text")


class Octets(Func):
    """The bytes of a text in UTF-8."""

    function, output_field = "OCTET_LENGTH", IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **more)


def jobs_of(labelling: MachineLabelling, *tasks: JobTask) -> QuerySet[Job]:
    """Return the jobs of a labelling that do one of these tasks, newest first."""
    paths = [task.module_path for task in tasks]
    return labelling.campaign.jobs.filter(task__in=paths, arguments__labelling=labelling.pk)


def limits_of(labelling: MachineLabelling) -> Limits:
    prices = labelling.input_price, labelling.output_price
    return Limits(labelling.most_requests or 0, *prices, labelling.ceiling)


def open_requests(labelling: MachineLabelling) -> QuerySet[MachineRequest]:
    """Return the waiting requests, one of each key. None whose equal is sent: its answer is that of both."""
    first_of_key = labelling.requests.order_by().values("key").annotate(first=Min("pk")).values("first")
    waiting = labelling.requests.filter(state=MachineRequest.State.WAITING)
    return waiting.filter(pk__in=first_of_key).order_by("pk")


class Spent(NamedTuple):
    """all: what was or may have been paid for. settled: of it, requests that have an answer."""

    all: Charge
    settled: Charge


def spent(labelling: MachineLabelling) -> Spent:
    answered = Q(state=MachineRequest.State.ANSWERED)
    names = ("charged_requests", "charged_input", "charged_output")
    sums = {f"all_{name}": Coalesce(Sum(name), 0) for name in names}
    settled = {f"settled_{name}": Coalesce(Sum(name, filter=answered), 0) for name in names}
    totals = labelling.requests.aggregate(**sums, **settled)
    return Spent(*(Charge(*(totals[name] for name in group)) for group in (sums, settled)))


def rest_cost(limits: Limits, settled: Charge, requests: int) -> Decimal | None:
    """Return the estimated cost of so many requests from the mean of the answered ones; None if unknown."""
    cost = limits.cost(settled)
    return cost / settled.requests * requests if cost is not None and settled.requests else None


class WaitingCharges(NamedTuple):
    """What the waiting requests will take. estimate: at 4 bytes a token. most: an upper bound."""

    estimate: Charge
    most: Charge


def plan(labelling: MachineLabelling) -> WaitingCharges:
    """Return what the waiting requests of a labelling will take."""
    content = PromptContent.from_json(labelling.prompt.content)
    uses = sum(part.place in DOCUMENT_PLACES for part in content.user)
    most = 4 * (labelling.options.get("characters") or 1 << 28)  # bytes: a character has at most four
    octets = Least(Octets("text"), most) + Octets("title") + 2
    texts = Document.objects.filter(campaign=labelling.campaign, docno=OuterRef("pooled__docno"))
    rows = open_requests(labelling).annotate(
        octets=Coalesce(Subquery(texts.annotate(octets=octets).values("octets")[:1]), 0)
    )
    groups = rows.order_by().values("pooled__topic")
    sums = {"count": Count("pk"), "size": Sum("octets"), "probes": Count("pk", filter=~Q(probe=""))}
    per_topic = groups.annotate(**sums).values_list("pooled__topic", *sums)
    topics = labelling.campaign.topics.in_bulk([row[0] for row in per_topic])
    total = Charge()
    for key, count, size, probes in per_topic:
        topic = texts_of_topic(topics[key])
        start = upper_bound({"messages": fill(content, topic, DocumentText("", ""))})
        planted = probes * (PROBE_BYTES + 2 * len(topic.title.encode()))
        bytes_in = count * start.input_tokens + uses * (size + planted)
        total = total.plus(Charge(count, bytes_in, count * (labelling.options.get("max_tokens") or 0)))
    return WaitingCharges(total._replace(input_tokens=total.input_tokens // CHARACTERS_A_TOKEN), total)
