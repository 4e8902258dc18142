"""Forms for language models: a version of the prompt, a labelling, the document of a preview, an endpoint."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from assess.forms.settings import Section
from assess.machines.prompt import PLACEHOLDERS, SYSTEM, TEMPLATES, TOPIC_FIELDS
from assess.machines.responses import TOKEN_LIMITS
from assess.machines.services.endpoints import AskingDetails
from assess.machines.services.labellings import LabellingDetails
from assess.machines.services.prompts import PromptDetails
from assess.models import MachineLabelling, MachinePrompt, MachineRequest, Probe
from pooling.forms.row_field import offer_rows
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.limits import MAX_TOPIC_BYTES
from pooling.models import Campaign

MOST_PARALLEL = 8
FOR_A_MILLION = "For a million tokens. Empty if no price is known."
MAX_TEMPLATE = 20_000
MOST_SAMPLES, MOST_PROBES = 25, 500


class PromptForm(forms.Form):
    """A new version of the prompt."""

    template = forms.CharField(
        max_length=MAX_TEMPLATE,
        label="Message",
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false"}),
        help_text="Placeholders: " + "; ".join(f"{{{name}}}: {text}" for name, text in PLACEHOLDERS.items()),
    )
    system = forms.CharField(
        required=False,
        max_length=MAX_TEMPLATE,
        label="System message",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Sent before the message. It has no placeholders. Empty: none is sent.",
    )
    topic_fields = forms.MultipleChoiceField(
        choices=[(name, name.capitalize()) for name in TOPIC_FIELDS],
        widget=forms.CheckboxSelectMultiple,
        label="Fields of the topic",
    )
    examples = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Examples",
        help_text="Only training documents can be examples, and none that is in the sample of an audit.",
    )
    note = forms.CharField(required=False, max_length=120, help_text="What is new in this version.")

    def __init__(self, data: Any = None, *, campaign: Campaign, template: str = "") -> None:
        super().__init__(data, initial=_initial_prompt(campaign, template))
        field = self.fields["examples"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = _example_choices(campaign)

    def details(self) -> PromptDetails:
        data = self.cleaned_data
        examples = [int(key) for key in data["examples"]]
        return PromptDetails(data["template"], data["system"], data["topic_fields"], examples, data["note"])


def _example_choices(campaign: Campaign) -> list[tuple[str, str]]:
    """Return the training documents that are in no audit, in the order of the topics."""
    training = Probe.objects.filter(pooled__pool__campaign=campaign, kind=Probe.Kind.TRAINING)
    rows = training.filter(pooled__audited=None).select_related("pooled__topic")
    return [
        (str(probe.pk), f"{probe.pooled.docno} of topic {probe.pooled.topic.number}, grade {probe.relevance}")
        for probe in rows.order_by("pooled__topic__place", "pooled__docno")
    ]


def _initial_prompt(campaign: Campaign, template: str) -> dict[str, Any]:
    """Return the values of one of our templates, or by default those of the newest version."""
    newest = campaign.prompts.first()
    if newest and template not in TEMPLATES:
        return {"template": newest.template, "system": newest.system, "topic_fields": newest.topic_fields}
    chosen = TEMPLATES.get(template, TEMPLATES["steps"])
    return {"template": chosen, "system": SYSTEM, "topic_fields": list(TOPIC_FIELDS)}


class LabellingForm(forms.Form):
    """A labelling: one prompt, one model, one group of settings."""

    name = forms.CharField(
        max_length=60, help_text='Name of the machine judge that pages show, such as "LLM, short prompt".'
    )
    prompt = forms.ModelChoiceField(MachinePrompt.objects.none(), to_field_name="number", empty_label=None)
    model = forms.CharField(
        max_length=120, help_text="The name that is sent to the server, with its version."
    )
    topics = TopicsField()
    unlabelled = forms.BooleanField(
        required=False,
        label="Only documents without a label",
        help_text="Documents that a person has labelled are left out. They are needed to compare the labels.",
    )
    temperature = forms.FloatField(required=False, min_value=0, max_value=2, initial=0)
    top_p = forms.FloatField(required=False, min_value=0, max_value=1, label="Top p")
    max_tokens = forms.IntegerField(
        min_value=1, max_value=100_000, initial=100, label="Most tokens of a reply"
    )
    tokens_name = forms.ChoiceField(
        choices=[(name, name) for name in TOKEN_LIMITS],
        label="Parameter name of this limit",
        help_text="Models with reasoning accept only max_completion_tokens, and no temperature but 1.",
    )
    seed = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1, label="Random seed")
    top_logprobs = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=20,
        initial=0,
        label="Token probabilities",
        help_text="Number of alternatives per token that the server returns. 0: none are requested.",
    )
    samples = forms.IntegerField(
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        label="Samples of a document",
        help_text="Requests for each document. Its label is the most frequent grade; a tie gives no label.",
    )
    characters = forms.IntegerField(
        min_value=100,
        max_value=1_000_000,
        initial=20_000,
        label="Characters of a document",
        help_text="Longer documents are cut there. Each request records where.",
    )
    probes = forms.IntegerField(
        min_value=0,
        max_value=MOST_PROBES,
        initial=0,
        label="Probes",
        help_text="Number of non-relevant documents that are also sent with the words of the topic inserted, "
        "and with an order to give the highest grade. The answers measure how easily the model is misled.",
    )
    input_price = forms.DecimalField(
        required=False, min_value=0, max_digits=10, decimal_places=4, label="Price of a million tokens sent"
    )
    output_price = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=4,
        label="Price of a million tokens received",
    )

    OPTIONS = (
        "temperature", "top_p", "max_tokens", "tokens_name", "seed", "top_logprobs", "samples", "characters",
    )  # fmt: skip

    COLUMNS = (
        {
            "What is asked": ("name", "prompt", "model", "topics", "unlabelled"),
            "Documents": ("characters", "samples", "probes"),
        },
        {
            "Parameters of the model": (
                "temperature", "max_tokens", "tokens_name", "top_p", "seed", "top_logprobs",
            ),
            "Prices": ("input_price", "output_price"),
        },
    )  # fmt: skip

    @property
    def columns(self) -> list[list[Section]]:
        """The fields in groups, and these in two columns of the page."""
        return [
            [Section(title, [self[name] for name in names]) for title, names in column.items()]
            for column in self.COLUMNS
        ]

    def __init__(self, data: Any = None, *, campaign: Campaign) -> None:
        super().__init__(data)
        self.campaign = campaign
        offer_topics(self, campaign.topics.all())
        offer_rows(self, "prompt", campaign.prompts.all())

    def details(self) -> LabellingDetails:
        data = self.cleaned_data
        chosen = [topic.number for topic in data["topics"]]
        scope = {
            "topics": chosen if len(chosen) < self.campaign.topics.count() else [],
            "unlabelled": data["unlabelled"],
            "probes": data["probes"],
        }
        options = {name: data[name] for name in self.OPTIONS}
        prices = data["input_price"], data["output_price"]
        return LabellingDetails(data["prompt"], data["name"], data["model"], options, scope, *prices)


class PreviewForm(forms.Form):
    """The document for which a prompt is shown filled in."""

    topic = forms.CharField(max_length=MAX_TOPIC_BYTES)
    docno = forms.CharField(max_length=200)


class AskingForm(forms.Form):
    endpoint = forms.ChoiceField()
    requests = forms.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        label="Most requests",
        help_text="Those sent before count, and each time that one is sent again without an answer.",
    )
    input_price = forms.DecimalField(
        required=False, min_value=0, max_digits=10, decimal_places=4, label="Price of tokens sent",
        help_text=FOR_A_MILLION,
    )  # fmt: skip
    output_price = forms.DecimalField(
        required=False, min_value=0, max_digits=10, decimal_places=4, label="Price of tokens received",
        help_text=FOR_A_MILLION,
    )  # fmt: skip
    ceiling = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=2,
        label="Ceiling of the cost",
        help_text="No request is sent that could pass it. Enter both prices with it. Without prices only the "
        "number of requests is limited.",
    )
    parallel = forms.IntegerField(
        min_value=1, max_value=MOST_PARALLEL, initial=4, label="Requests at the same time"
    )

    def __init__(self, data: Any = None, *, labelling: MachineLabelling) -> None:
        waiting = labelling.requests.filter(state=MachineRequest.State.WAITING).count()
        names = ("endpoint", "input_price", "output_price", "ceiling")
        sent = labelling.requests.filter(charged_requests__gt=0).count()
        initial = {name: getattr(labelling, name) for name in names} | {"requests": waiting + sent}
        super().__init__(data, initial=initial)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (name, f"{name} ({endpoint.address})") for name, endpoint in settings.ENDPOINTS.items()
        ]

    def details(self) -> AskingDetails:
        return AskingDetails(**self.cleaned_data)
