"""Requests to language models: what they ask, how they are written to batch files, and their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db.models import Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from assess.machines.batch import MOST_LINES, batch_line
from assess.machines.prompt import DocumentText, PromptContent, TopicText
from assess.machines.questions import Setup
from assess.machines.responses import request_key
from assess.models import MachineLabelling, MachineRequest
from assess.queries.documents import text_in
from pooling.models import Campaign, PooledDocument, Topic
from pooling.refusals import Refused

ANSWERED, UNANSWERED = (
    MachineRequest.State.ANSWERED,
    (MachineRequest.State.WAITING, MachineRequest.State.FAILED),
)
Row = TypeVar("Row")
CHUNK = 500  # documents whose texts are in memory at a time


class Outdated(Refused):
    """The topic or the document of a request has another text than when the request was created."""


def in_chunks(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Yield rows in lists of at most this size."""
    rest = iter(rows)
    while chunk := list(islice(rest, size)):
        yield chunk


def setup_of(labelling: MachineLabelling) -> Setup:
    return Setup(PromptContent.from_json(labelling.prompt.content), labelling.model, labelling.options)


def texts_of_topic(topic: Topic) -> TopicText:
    return TopicText(topic.title, topic.description, topic.narrative)


class Question(NamedTuple):
    """A request that is not stored yet."""

    pooled: int
    sample: int
    probe: str
    key: str
    text_hash: str
    cut_at: int | None


def questions(
    campaign: Campaign, setup: Setup, pooled: Iterable[PooledDocument], asked: Sequence[tuple[int, str]]
) -> Iterator[Question]:
    """Yield a question for each document and each (sample, probe) of `asked`."""
    for chunk in in_chunks(pooled, CHUNK):
        documents = documents_of(campaign, [each.docno for each in chunk])
        for each in chunk:
            document, checksum = documents[each.docno]
            for sample, probe in asked:
                body = setup.body(texts_of_topic(each.topic), document, sample, probe)
                key = request_key(body, sample, probe)
                yield Question(each.pk, sample, probe, key, checksum, setup.cut_at(document.text))


def documents_of(campaign: Campaign, docnos: Sequence[str]) -> dict[str, tuple[DocumentText, str]]:
    """Return docno -> the text that judges see, and its checksum."""
    rows = campaign.documents.filter(docno__in=docnos)
    return {each.docno: (DocumentText(each.title, text_in(campaign, each)), each.text_hash) for each in rows}


def body_of(request: MachineRequest) -> dict[str, Any]:
    """Return the body to send. Raises Outdated if topic or document were changed after its creation."""
    labelling = request.labelling
    documents = documents_of(labelling.campaign, [request.pooled.docno])
    return _body(setup_of(labelling), request, documents)


def _body(
    setup: Setup, request: MachineRequest, documents: dict[str, tuple[DocumentText, str]]
) -> dict[str, Any]:
    document, _ = documents.get(request.pooled.docno, (DocumentText("", ""), ""))
    body = setup.body(texts_of_topic(request.pooled.topic), document, request.sample, request.probe)
    if request_key(body, request.sample, request.probe) != request.key:
        raise Outdated(
            f"The text of {request.pooled.docno} or of topic {request.pooled.topic.number} was changed after "
            "this labelling was created. Create another labelling for it."
        )
    return body


class BatchPart(NamedTuple):
    """A batch file. requests: those in it that have no answer yet."""

    number: int
    requests: int


def batch_parts(labelling: MachineLabelling) -> list[BatchPart]:
    """Return the parts that have requests without an answer. A request is always in the same part."""
    parts = ((number, _part(labelling, number).count()) for number in range(1, count_parts(labelling) + 1))
    return [BatchPart(number, count) for number, count in parts if count]


def count_parts(labelling: MachineLabelling) -> int:
    return -(-labelling.requests.count() // MOST_LINES)


def _part(labelling: MachineLabelling, number: int) -> QuerySet[MachineRequest]:
    """Return the requests without an answer in a part, one of each key."""
    pks = labelling.requests.order_by("pk").values_list("pk", flat=True)
    start = (number - 1) * MOST_LINES
    (first,) = pks[start : start + 1]
    after = pks[start + MOST_LINES : start + MOST_LINES + 1]
    rows = labelling.requests.filter(pk__gte=first)
    if after:
        rows = rows.filter(pk__lt=after[0])
    first_of_key = labelling.requests.order_by().values("key").annotate(first=Min("pk")).values("first")
    return rows.filter(pk__in=first_of_key, state__in=UNANSWERED).order_by("pk")


def batch_lines(labelling: MachineLabelling, number: int) -> Iterator[str]:
    """Yield the lines of a part. Requests whose topic or document was changed are left out."""
    setup, campaign = setup_of(labelling), labelling.campaign
    rows = _part(labelling, number).select_related("pooled__topic")
    for chunk in in_chunks(rows.iterator(chunk_size=CHUNK), CHUNK):
        documents = documents_of(campaign, [request.pooled.docno for request in chunk])
        for request in chunk:
            try:
                yield batch_line(request.key, _body(setup, request, documents))
            except Outdated:
                continue


def cost_of(
    input_tokens: int, output_tokens: int, input_price: Decimal | None, output_price: Decimal | None
) -> Decimal | None:
    """Return the cost of tokens at prices for a million; None if no price is known."""
    if input_price is None and output_price is None:
        return None
    total = input_tokens * (input_price or Decimal()) + output_tokens * (output_price or Decimal())
    return total / 1_000_000


class RequestCounts(NamedTuple):
    """Requests of a labelling by state, and its tokens and cost so far.

    unreadable: answered without a readable grade. cut: requests whose document was cut. Tokens of reused
    answers do not count: they were paid before.
    """

    requests: int
    waiting: int
    sent: int
    answered: int
    failed: int
    unreadable: int
    cut: int
    reused: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None


def counts(labelling: MachineLabelling) -> RequestCounts:
    """Return the counts of a labelling, in one query."""
    state, paid = MachineRequest.State, Q(reused=False)
    sums = labelling.requests.aggregate(
        requests=Count("pk"),
        waiting=Count("pk", filter=Q(state=state.WAITING)),
        sent=Count("pk", filter=Q(state=state.SENT)),
        answered=Count("pk", filter=Q(state=state.ANSWERED)),
        failed=Count("pk", filter=Q(state=state.FAILED)),
        unreadable=Count("pk", filter=Q(state=state.ANSWERED, relevance=None)),
        cut=Count("pk", filter=Q(cut_at__isnull=False)),
        input_tokens=Coalesce(Sum("input_tokens", filter=paid), 0),
        output_tokens=Coalesce(Sum("output_tokens", filter=paid), 0),
        reused=Count("pk", filter=Q(reused=True)),  # last: an aggregate hides the column of its name
    )
    tokens = sums["input_tokens"], sums["output_tokens"]
    return RequestCounts(**sums, cost=cost_of(*tokens, labelling.input_price, labelling.output_price))


def unreadable_requests(labelling: MachineLabelling) -> QuerySet[MachineRequest]:
    """Return the answered requests without a readable grade, and the failed ones."""
    state = MachineRequest.State
    wrong = Q(state=state.ANSWERED, relevance=None) | Q(state=state.FAILED)
    return labelling.requests.filter(wrong).select_related("pooled__topic").order_by("pk")
