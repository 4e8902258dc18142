from __future__ import annotations

from typing import Any

from django import forms

from assess.document_order import POLICIES
from assess.double_judging import OVERLAP_RULES
from assess.forms.assignments import explained_radio
from assess.models import JudgingPlan, Probe, Source
from assess.queries.audits import why_no_machine_grades
from assess.services.plans import FIXED_AFTER_FIRST_LABEL
from pooling.forms.edits import EditMixin

Passage = JudgingPlan.PassageFirst
MACHINE_FIELDS = ("triage_machine", "shown_machine")


class PlanForm(EditMixin):
    """How a campaign is judged. A field that is fixed after the first label keeps its value when left out."""

    order = explained_radio(
        ((each.name, each.title, each.meaning) for each in POLICIES.values() if each.order), required=False
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        label="Random seed",
        help_text="Random seed of document order and samples. Another seed gives another order.",
    )
    burn_in = forms.IntegerField(
        min_value=0,
        max_value=500,
        required=False,
        label="Warm-up documents",
        help_text="Number of documents, sampled from the whole pool, that judges see first.",
    )
    overlap = explained_radio((each.name, each.title, each.meaning) for each in OVERLAP_RULES.values())
    overlap_share = forms.IntegerField(
        min_value=1,
        max_value=100,
        label="Per cent of a topic",
        help_text="Used by the overlap rule “a share”.",
    )
    overlap_count = forms.IntegerField(
        min_value=1,
        max_value=5000,
        label="Documents per class (relevant, not relevant)",
        help_text="Used by the overlap rule “by the label of the primary judge”.",
    )
    repeat_share = forms.IntegerField(
        min_value=0,
        max_value=20,
        label="Hidden repeats, per cent",
        help_text="Share of documents that a judge gets twice, unmarked, to measure self-agreement.",
    )
    highlighting = forms.BooleanField(
        required=False,
        label="Highlight topic words in documents",
        help_text="Judges find passages faster, but labels may be biased. Each label records this setting.",
    )
    passage_first = explained_radio(
        [
            (Passage.NEVER, "Whole text", "Judges see the whole document at once."),
            (
                Passage.ALWAYS,
                "Passage first",
                "Judges see the passage with most words of the topic, and can open the whole text.",
            ),
            (
                Passage.HALF,
                "Passage first for half of the documents",
                "Drawn for each judge and document. Agreement compares both kinds of labels.",
            ),
        ],
        label="Text on screen",
        required=False,
    )
    breaks = forms.BooleanField(
        required=False,
        label="Suggest breaks",
        help_text="A break is suggested after 50 documents or 45 minutes without a pause.",
    )

    idle_seconds = forms.IntegerField(
        min_value=5,
        max_value=3600,
        label="Idle limit, seconds",
        help_text="Time counts as work up to so long after the last key, scroll or movement of the pointer.",
    )
    idle_per_1000 = forms.IntegerField(
        min_value=0,
        max_value=600,
        label="Idle limit, more seconds per 1,000 characters",
        help_text="For long documents that are read without an event. 0: every document has the same limit.",
    )

    triage_machine = forms.ModelChoiceField(
        Source.objects.none(),
        required=False,
        empty_label="none",
        label="Machine judge for triage",
        help_text="Used by the order “triage”: documents of whose grade it is least certain come first.",
    )
    shown_machine = forms.ModelChoiceField(
        Source.objects.none(),
        required=False,
        empty_label="none: judges see no label of a machine",
        label="Machine grade on screen",
        help_text="Labels given with the machine's grade on screen are not independent of it. They are marked"
        " so in every file, and they cannot show how good the machine is.",
    )

    def __init__(self, data: Any = None, *, plan: JudgingPlan) -> None:
        super().__init__(data, initial={name: getattr(plan, name) for name in self.base_fields})
        self.plan, machines = plan, plan.campaign.sources.standing().programs().select_related("user")
        has_machines = machines.exists()
        for name in MACHINE_FIELDS:
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = machines
            if not has_machines:
                del self.fields[name]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in FIXED_AFTER_FIRST_LABEL:
            is_left_out = data.get(name) in (None, "") and name not in self.errors
            if is_left_out and not (name in MACHINE_FIELDS and name in self.data):
                data[name] = getattr(self.plan, name)
        if self.shows_another_machine and (why := why_no_machine_grades(self.plan.campaign)):
            self.add_error("shown_machine", why)
        return data

    @property
    def shows_another_machine(self) -> bool:
        """Whether judges would see grades of a machine judge that they do not see now."""
        machine: Source | None = self.cleaned_data.get("shown_machine")
        return machine not in (None, self.plan.shown_machine)


class ProbesForm(forms.Form):
    kind = explained_radio(
        (
            (
                Probe.Kind.TRAINING,
                "Training",
                "They come first in their topic. After labelling, the judge sees your grade and reason.",
            ),
            (
                Probe.Kind.GOLD,
                "Gold",
                "They come unmarked among the first documents, and test judges without telling them.",
            ),
        ),
        initial=Probe.Kind.TRAINING,
    )
    lines = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "code"}),
        help_text="One document per line: topic docno grade, and optionally a reason.",
    )
    file = forms.FileField(required=False, label="File with such lines")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if bool(data.get("lines", "").strip()) == bool(data.get("file")) and not self.errors:
            raise forms.ValidationError("Give either lines or a file, not both.")
        return data
