"""Forms of audits of machine judges: draw a sample, and give its documents to judges."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.models import User
from assess.models import MachineAudit, Source
from assess.queries.audits import why_no_audit
from assess.queries.people import judges_to_choose
from metrics.machine_audits.circularity import LEAST_IN_GROUP
from metrics.machine_audits.design import LEAST_LABELS
from metrics.machine_audits.queries.samples import SamplePlan
from metrics.machine_audits.sample import smallest_size
from metrics.machine_audits.verdict import LEAST_AUDITED
from pooling.models import Campaign

LARGEST_SEED = 2**31 - 1
MAX_SAMPLE = 20_000  # documents: more than people judge for an audit
USUAL_SAMPLE = 200  # documents that the form proposes, where there are so many
MOST_PROPOSED = 400  # documents that it proposes, if a figure needs more
PURPOSE_OF_SIZE = (
    f"Any verdict needs {LEAST_AUDITED}; the test for bias, which each use but corrected scores needs,"
    f" {LEAST_IN_GROUP} that a group of runs retrieved and {LEAST_IN_GROUP} that only others did; corrected"
    f" scores {LEAST_LABELS} of each machine grade and those of the last column above. Drawn documents that"
    " people have judged already count, and nobody judges them again."
)


def proposed_size(sizes: Sequence[int], for_tests: int = 0) -> int:
    """Return how many documents to draw in proportion: the usual number, or more if a figure needs more.

    sizes: documents of each machine grade, of which a rare one needs a larger sample. for_tests: labels that
    tests for bias need. What would need more than MOST_PROPOSED changes nothing.

    >>> [proposed_size(sizes) for sizes in ([600, 400], [980, 20], [9_990, 10], [60, 9])]
    [200, 224, 200, 69]
    >>> proposed_size([600, 400], for_tests=320), proposed_size([600, 400], for_tests=1000)
    (320, 200)
    """
    wanted = [size for size in (smallest_size(sizes, LEAST_LABELS), for_tests) if size <= MOST_PROPOSED]
    return max(2, min(max(USUAL_SAMPLE, *wanted), sum(sizes)))


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
        help_text=PURPOSE_OF_SIZE,
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

    def propose(self, machine: Source, sizes: Sequence[int], for_tests: int) -> None:
        """Propose a machine judge and the size of its sample, see `proposed_size`."""
        self.fields["machine"].initial = machine.pk
        size = self.fields["size"].initial = proposed_size(sizes, for_tests)
        self.fields["size"].help_text = (
            f"{size:,} of {sum(sizes):,} are proposed for {machine}. A larger sample decides more uses; one"
            f" of all documents leaves nothing to the machine judge. {PURPOSE_OF_SIZE}"
        )

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
