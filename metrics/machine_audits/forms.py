"""Forms of audits of machine judges: draw a sample, and give its documents to judges."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django import forms

from accounts.models import User
from assess.models import MachineAudit, Source
from assess.queries.audits import why_no_audit
from assess.queries.people import judges_to_choose
from metrics.machine_audits.queries.samples import SamplePlan
from pooling.models import Campaign

LARGEST_SEED = 2**31 - 1
MAX_SAMPLE = 20_000  # documents: more than people judge for an audit
USUAL_SAMPLE = 200  # documents that the form proposes, where there are so many


class JudgesForm(forms.Form):
    """The judges who get sampled documents, and how many of them judge each document."""

    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    per_document = forms.TypedChoiceField(
        choices=[(1, "One"), (2, "Two")],
        coerce=int,
        initial=1,
        label="Judges per document",
        help_text="Two judges cost twice the labels, and show how well people agree with each other.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        judges = self.fields["judges"]
        assert isinstance(judges, forms.ModelMultipleChoiceField)
        judges.queryset = judges_to_choose(campaign)


class AuditForm(JudgesForm):
    """A random sample of the documents that a machine judge labelled."""

    machine = forms.ModelChoiceField(Source.objects.none(), label="Machine judge")
    size = forms.IntegerField(
        min_value=2,
        max_value=MAX_SAMPLE,
        initial=USUAL_SAMPLE,
        label="Documents",
        help_text="Size of the sample: at most the documents of the machine judge, see the table above.",
    )
    earlier = forms.ModelChoiceField(
        MachineAudit.objects.none(),
        required=False,
        empty_label="Proportional to the number of documents",
        label="Allocation to machine grades",
        help_text="With an earlier audit of the same machine judge, more documents are drawn from machine "
        "grades whose documents people graded differently (Neyman). Then only the stratified estimate is "
        "valid.",
    )
    group = forms.ChoiceField(
        required=False,
        label="Run group",
        help_text="Optional: draws separately from documents that runs of this group retrieved and from the "
        "others, for example if the group uses the same language model.",
    )
    depth = forms.IntegerField(
        min_value=1, max_value=1000, initial=10, label="Depth", help_text="Ranks that count as retrieved."
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        label="Random seed",
        help_text="The same seed draws the same sample.",
    )

    field_order = [
        "machine", "size", "earlier", "group", "depth", "seed", "judges", "per_document"
    ]  # fmt: skip

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, campaign=campaign, **options)
        self.campaign = campaign
        machines = campaign.sources.standing().programs()
        for name, rows in (
            ("machine", machines.select_related("user")),
            ("earlier", campaign.machine_audits.select_related("machine__user")),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = rows
        groups = campaign.runs.active().exclude(group="").order_by("group")
        names = dict.fromkeys(groups.values_list("group", flat=True))
        group = self.fields["group"]
        assert isinstance(group, forms.ChoiceField)
        group.choices = [("", "No strata by run group"), *((name, name) for name in names)]
        self.fields["seed"].initial = secrets.randbelow(LARGEST_SEED)

    def propose(self, documents: Mapping[int, int]) -> None:
        """Propose a machine judge and a sample of its documents. documents: key of each one -> how many."""
        machine, size = next(iter(documents.items()), (None, USUAL_SAMPLE))
        self.fields["machine"].initial = machine
        self.fields["size"].initial = max(2, min(USUAL_SAMPLE, size))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        earlier, machine = data.get("earlier"), data.get("machine")
        if earlier and machine and earlier.machine_id != machine.pk:
            self.add_error("earlier", "This audit is of another machine judge.")
        if why := why_no_audit(self.campaign):
            raise forms.ValidationError(why)
        return data

    def plan(self) -> SamplePlan:
        return SamplePlan(**{name: self.cleaned_data[name] for name in SamplePlan._fields})
