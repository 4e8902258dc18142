"""Language models as judges: their prompts, the requests to them, and the answers."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.models.loads import LabellingManager, RequestManager
from assess.models.sources import Source
from pooling.models import Campaign, PooledDocument


class MachinePrompt(models.Model):
    """A version of the prompt for a language model. It never changes: a change is a new version.

    content: the texts of the messages with scale, guidelines and examples filled in, and with the places of
    topic and document open (assess.machines.prompt). sha256: of the content.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="prompts")
    number = models.PositiveSmallIntegerField()
    note = models.CharField(max_length=120, blank=True)
    template = models.TextField(help_text="The user message as the organiser wrote it, with placeholders.")
    system = models.TextField(blank=True, help_text="The system message.")
    topic_fields = models.JSONField(default=list, help_text="Of title, description, narrative.")
    examples = models.JSONField(default=list, help_text="(topic, docno, grade) of training documents.")
    content = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_prompt_a_number")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Prompt {self.number}"


class MachineLabelling(models.Model):
    """A set of requests to a language model: one model, one prompt, one group of settings.

    endpoint: the name of an endpoint in the settings of the installation; empty if the requests are
    exchanged as files. machine: the machine judge that has the labels, once they are stored.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="labellings")
    number = models.PositiveSmallIntegerField()
    prompt = models.ForeignKey(MachinePrompt, on_delete=models.PROTECT, related_name="labellings")
    name = models.CharField(max_length=60, help_text="Name of the machine judge.")
    model = models.CharField(max_length=120, help_text="Name of the model, as it is sent.")
    options = models.JSONField(
        default=dict,
        help_text="Temperature, top_p, most tokens, seed, samples, most characters of a document.",
    )
    scope = models.JSONField(default=dict, help_text="Which documents: topics, and whether only unlabelled.")
    endpoint = models.CharField(max_length=60, blank=True)
    input_price = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, help_text="Of a million tokens sent."
    )
    output_price = models.DecimalField(
        max_digits=10, decimal_places=4, null=True, help_text="Of a million tokens received."
    )
    ceiling = models.DecimalField(
        max_digits=10, decimal_places=2, null=True, help_text="The most that the requests may cost."
    )
    most_requests = models.PositiveIntegerField(
        null=True, help_text="The most requests that may be sent to the endpoint."
    )
    adjustments = models.JSONField(
        default=dict, help_text="Parameter that the endpoint refused -> its other name, or empty: not sent."
    )
    machine = models.OneToOneField(Source, on_delete=models.PROTECT, null=True, related_name="labelling")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    objects = LabellingManager()
    with_unfinished: ClassVar[models.Manager[MachineLabelling]] = models.Manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_labelling_a_number")]
        permissions = [("ask_endpoint", "May send requests to the endpoints of this installation")]
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"Labelling {self.number}: {self.name}"


class MachineRequest(models.Model):
    """One question to a language model about one document, and its answer.

    key: SHA-256 of all that decides the answer (topic, text, prompt, model, options, sample, probe), by which
    an answer is found that was paid for before. A request in state SENT whose answer was not stored may have
    been paid for: it is sent again only if the organiser says so.

    charged_requests, charged_input, charged_output: what an endpoint was paid, or may have been paid, for all
    times that the request was sent. While there is no answer, the tokens are upper bounds.
    """

    class Probe(models.TextChoices):
        NONE = "", "None"
        QUERY_WORDS = "words", "Words of the topic inserted into a non-relevant document"
        ORDER = "order", "An order to the judge inserted into a non-relevant document"
        UNCHANGED = "plain", "The same non-relevant document, unchanged"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        SENT = "sent", "sent, answer not stored"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"

    labelling = models.ForeignKey(  # without its own index: three others begin with it
        MachineLabelling, on_delete=models.CASCADE, related_name="requests", db_index=False
    )
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="machine_requests")
    sample = models.PositiveSmallIntegerField(default=1, help_text="Of several for one document, from 1.")
    probe = models.CharField(max_length=5, choices=Probe, blank=True, default=Probe.NONE)
    key = models.CharField(max_length=64)
    text_hash = models.CharField(max_length=64, help_text="Checksum of the document's text.")
    cut_at = models.PositiveIntegerField(null=True, help_text="Character at which the text was cut.")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    reply = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    relevance = models.PositiveSmallIntegerField(null=True, help_text="Null without a readable grade.")
    problem = models.CharField(max_length=200, blank=True, help_text="Why there is no grade.")
    server_model = models.CharField(max_length=120, blank=True, help_text="The model that the server named.")
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    probabilities = models.JSONField(null=True, help_text="Grade -> probability, and their sum as sent.")
    seconds = models.FloatField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    reused = models.BooleanField(default=False, help_text="The answer is that of an earlier labelling.")
    answered_at = models.DateTimeField(null=True)
    charged_requests = models.PositiveIntegerField(default=0)
    charged_input = models.PositiveBigIntegerField(default=0)
    charged_output = models.PositiveBigIntegerField(default=0)

    objects = RequestManager()
    with_unfinished: ClassVar[models.Manager[MachineRequest]] = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["labelling", "pooled", "sample", "probe"], name="one_request_a_sample"
            )
        ]
        indexes = [
            models.Index(fields=["labelling", "state"], name="requests_by_state"),
            # With the state, or the search of an answer by key would use the index before.
            models.Index(fields=["labelling", "key", "state"], name="requests_by_key"),
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.labelling}, {self.pooled}, sample {self.sample}"
