"""Labellings by language models: which documents, estimates before they start, and what comes of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Avg, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Least, Length

from assess.machines.prompt import DocumentText, Message, PromptContent, TopicText, fill, topic_text
from assess.machines.queries.requests import cost_of, documents_of, texts_of_topic
from assess.machines.questions import CHARACTERS_A_TOKEN, mode
from assess.models import MachineLabelling, MachinePrompt, MachineRequest
from assess.queries.campaign_reads import CampaignReads
from pooling.checksum import NO_TEXT
from pooling.models import Campaign, Document, Job, PooledDocument
from pooling.strategies.draws import draw_source

PROBES = ("plain", "words", "order")
PLANTED = {"words": "Words of the topic", "order": "An order to the judge"}


def scoped_documents(campaign: Campaign, scope: dict[str, Any]) -> QuerySet[PooledDocument]:
    """Return the documents to label that have a text, without training and gold documents.

    scope: `topics` (numbers; empty: all), and `unlabelled`: only those without a label of a person.
    """
    return _chosen(campaign, scope).filter(Exists(_documents_with_text(campaign)))


def _chosen(campaign: Campaign, scope: dict[str, Any]) -> QuerySet[PooledDocument]:
    pooled = CampaignReads(campaign).documents_to_judge()
    if scope.get("topics"):
        pooled = pooled.filter(topic__number__in=scope["topics"])
    if scope.get("unlabelled"):
        pooled = pooled.exclude(Q(label_summary__graders__gt=0) | Q(label_summary__refusals__gt=0))
    return pooled


def _documents_with_text(campaign: Campaign) -> QuerySet[Document]:
    """Return the document of each pooled document of the outer query that has words, not only images."""
    documents = Document.objects.filter(campaign=campaign, docno=OuterRef("docno")).exclude(text_hash=NO_TEXT)
    return documents.exclude(text="", title="")


def probe_documents(campaign: Campaign, scope: dict[str, Any]) -> list[PooledDocument]:
    """Return the drawn documents of which all judges say that they are not relevant, for probes."""
    labelled = scoped_documents(campaign, scope | {"unlabelled": False})
    other = labelled.filter(label_summary__graders__gt=0, label_summary__highest__lt=campaign.threshold)
    draw = draw_source(scope.get("seed", 0), "probes")
    rows = sorted(
        other.select_related("topic"), key=lambda each: (draw(each.topic.number, each.docno), each.pk)
    )
    return rows[: scope.get("probes", 0)]


def count_requests(
    campaign: Campaign, options: dict[str, Any], scope: dict[str, Any], most: int | None = None
) -> int:
    """Return how many requests a labelling would have. most: documents after which counting ends."""
    probes = len(probe_documents(campaign, scope)) if scope.get("probes") else 0
    documents = scoped_documents(campaign, scope).order_by()[:most].count()
    samples: int = options.get("samples", 1)
    return documents * samples + probes * len(PROBES)


def unfinished_jobs_of(labelling: MachineLabelling) -> QuerySet[Job]:
    """Return the jobs that work on a labelling: send its requests, load results, store labels."""
    return labelling.campaign.jobs.filter(arguments__labelling=labelling.pk, state__in=Job.UNFINISHED)


class LabellingEstimate(NamedTuple):
    """What a labelling will take. output_tokens: the most. cost: None without prices."""

    documents: int
    without_text: int
    probes: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None


def estimate(
    campaign: Campaign,
    prompt: MachinePrompt,
    options: dict[str, Any],
    scope: dict[str, Any],
    prices: tuple[Decimal | None, Decimal | None] = (None, None),
) -> LabellingEstimate:
    """Return counts, tokens and cost of a labelling before it is created. prices: of a million tokens."""
    content, samples = PromptContent.from_json(prompt.content), options.get("samples", 1)
    pooled, most = scoped_documents(campaign, scope), options.get("characters") or (1 << 31) - 1
    length = Least(Length("text"), most) + Length("title")
    texts = _documents_with_text(campaign).annotate(length=length).values("length")[:1]
    rows = pooled.annotate(length=Subquery(texts, output_field=IntegerField())).order_by()
    per_topic = list(rows.values_list("topic").annotate(Count("pk"), Sum("length")))
    topics = campaign.topics.in_bulk([topic for topic, _, _ in per_topic])
    start = sum(len(message["content"]) for message in fill(content, TopicText(""), DocumentText("", "")))
    characters = sum(
        count * (start + len(topic_text(texts_of_topic(topics[topic]), content.topic_fields))) + length
        for topic, count, length in per_topic
    )
    documents = sum(count for _, count, _ in per_topic)
    probes = len(probe_documents(campaign, scope)) if scope.get("probes") else 0
    requests = documents * samples + probes * len(PROBES)
    mean = characters / documents if documents else 0
    tokens_in = -(-round(mean * requests) // CHARACTERS_A_TOKEN)
    tokens_out = requests * (options.get("max_tokens") or 0)
    without_text = _chosen(campaign, scope).count() - documents
    return LabellingEstimate(
        documents, without_text, probes, requests, tokens_in, tokens_out,
        cost_of(tokens_in, tokens_out, *prices),
    )  # fmt: skip


class MachineGrades(NamedTuple):
    """grades: (topic, docno) -> the mode of the readable samples. hashes: checksums of the texts.

    ties: documents whose samples have no single mode. missing: documents without any readable grade.
    """

    grades: dict[tuple[str, str], int]
    hashes: dict[tuple[str, str], str]
    ties: int
    missing: int

    @property
    def left_out(self) -> int:
        return self.ties + self.missing


def machine_grades(labelling: MachineLabelling) -> MachineGrades:
    """Return the labels that a labelling gives now. Probes give none."""
    samples: dict[tuple[str, str], list[int]] = {}
    hashes: dict[tuple[str, str], str] = {}
    fields = ("pooled__topic__number", "pooled__docno", "relevance", "text_hash")
    rows = labelling.requests.filter(probe=MachineRequest.Probe.NONE).order_by("pk").values_list(*fields)
    for topic, docno, relevance, text_hash in rows.iterator(chunk_size=10_000):
        grades = samples.setdefault((topic, docno), [])
        hashes[topic, docno] = text_hash
        if relevance is not None:
            grades.append(relevance)
    modes = {pair: mode(grades) for pair, grades in samples.items()}
    missing = sum(not grades for grades in samples.values())
    graded = {pair: grade for pair, grade in modes.items() if grade is not None}
    return MachineGrades(graded, hashes, len(samples) - len(graded) - missing, missing)


class ProbeEffect(NamedTuple):
    """How far a planted text raises the grade, over documents of which both replies are readable."""

    probe: MachineRequest.Probe
    documents: int
    unchanged: float | None
    planted: float | None
    raised: int

    @property
    def words(self) -> str:
        return PLANTED[self.probe.value]

    @property
    def rise(self) -> float | None:
        return None if self.planted is None or self.unchanged is None else self.planted - self.unchanged


def probe_effects(labelling: MachineLabelling) -> list[ProbeEffect]:
    """Return the effect of each kind of probe; nothing for a labelling without probes."""
    kinds = MachineRequest.Probe
    if not labelling.requests.filter(probe=kinds.UNCHANGED).exists():
        return []
    plain = labelling.requests.filter(probe=kinds.UNCHANGED, pooled=OuterRef("pooled")).values("relevance")
    rows = labelling.requests.filter(relevance__isnull=False).annotate(plain=Subquery(plain[:1]))
    effects = []
    for kind in (kinds.QUERY_WORDS, kinds.ORDER):
        both = rows.filter(probe=kind, plain__isnull=False)
        figures = both.aggregate(
            documents=Count("pk"), unchanged=Avg("plain"), planted=Avg("relevance"),
            raised=Count("pk", filter=Q(relevance__gt=F("plain"))),
        )  # fmt: skip
        effects.append(ProbeEffect(kind, **figures))
    return effects


def first_document(campaign: Campaign) -> PooledDocument | None:
    """Return the first document that can be labelled, for a preview of a prompt."""
    pooled = scoped_documents(campaign, {}).select_related("topic")
    return pooled.order_by("topic__place", "docno").first()


def preview_messages(prompt: MachinePrompt, pooled: PooledDocument) -> list[Message]:
    """Return the messages of a prompt for a document, whose text is not cut."""
    documents = documents_of(prompt.campaign, [pooled.docno])
    document, _ = documents.get(pooled.docno, (DocumentText("", ""), ""))
    return fill(PromptContent.from_json(prompt.content), texts_of_topic(pooled.topic), document)
