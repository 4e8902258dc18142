"""The prompts for language models, in versions that never change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.models import User
from assess.machines.prompt import Example, prompt_content
from assess.machines.queries.requests import (
    documents_of,
    texts_of_topic,
)
from assess.models import (
    AuditedDocument,
    MachinePrompt,
    Probe,
)
from pooling.models import Campaign
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change

BUSY = "A job is sending the requests of this labelling or storing results. Wait for it, or cancel it."
EXAMPLE_CHARACTERS = 4_000  # of a training document in a prompt


class MachineRefused(Conflict):
    """A prompt, a labelling or its labels cannot be stored; the message says why."""


class PromptDetails(NamedTuple):
    """A prompt as the organiser writes it. examples: keys of training documents (`Probe`)."""

    template: str
    system: str = ""
    topic_fields: Sequence[str] = ("title",)
    examples: Sequence[int] = ()
    note: str = ""


@transaction.atomic
def create_prompt(campaign: Campaign, user: User, details: PromptDetails) -> MachinePrompt:
    """Store a new version of the prompt, with scale, guidelines and examples as they are now.

    Raises BadPrompt, and MachineRefused for an example that is not a training document or is in an audit, and
    for a version equal to an earlier one.
    """
    probes = _training_documents(campaign, details.examples)
    content = prompt_content(
        details.template, details.system, details.topic_fields, campaign.grades,
        campaign.guidelines if "{guidelines}" in details.template else "", _examples(campaign, probes),
    )  # fmt: skip
    checksum = content.sha256
    number = next_number(campaign, campaign.prompts.all())
    if same := campaign.prompts.filter(sha256=checksum).first():
        raise MachineRefused(
            f"This is the same as {str(same).lower()}. Change the text to store a new version."
        )
    prompt = MachinePrompt.objects.create(
        campaign=campaign,
        number=number,
        note=details.note,
        template=details.template,
        system=details.system,
        topic_fields=list(details.topic_fields),
        examples=[[probe.pooled.topic.number, probe.pooled.docno, probe.relevance] for probe in probes],
        content=content.to_json(),
        sha256=checksum,
        created_by=user,
    )
    log_change(campaign, user, "stored a prompt", f"{prompt}, SHA-256 {checksum[:12]}", sha256=checksum)
    return prompt


def _training_documents(campaign: Campaign, keys: Sequence[int]) -> list[Probe]:
    probes = Probe.objects.filter(pk__in=keys, pooled__pool__campaign=campaign).select_related(
        "pooled__topic"
    )
    examples = list(probes.order_by("pooled__topic__place", "pooled__docno"))
    if len(examples) < len(set(keys)) or any(probe.kind != Probe.Kind.TRAINING for probe in examples):
        raise MachineRefused("Examples must be training documents of this campaign.")
    documents = [probe.pooled_id for probe in examples]
    if (
        audited := AuditedDocument.objects.filter(pooled__in=documents)
        .select_related("pooled__topic")
        .first()
    ):
        raise MachineRefused(
            f"{audited.pooled.docno} of topic {audited.pooled.topic.number} is in the sample of an audit. "
            "An example of the prompt cannot be in it: agreement would look better than it is."
        )
    return examples


def _examples(campaign: Campaign, probes: Sequence[Probe]) -> list[Example]:
    texts = documents_of(campaign, [probe.pooled.docno for probe in probes])
    examples = []
    for probe in probes:
        if probe.pooled.docno not in texts:
            raise MachineRefused(f"The example {probe.pooled.docno} has no text. Load it under Documents.")
        document, _ = texts[probe.pooled.docno]
        short = document._replace(text=document.text[:EXAMPLE_CHARACTERS])
        examples.append(Example(texts_of_topic(probe.pooled.topic), short, probe.relevance))
    return examples


def next_number(campaign: Campaign, rows: QuerySet[Any]) -> int:
    """Return the next number, with the campaign locked until the end of the transaction."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    return int((rows.aggregate(last=Max("number"))["last"] or 0) + 1)
