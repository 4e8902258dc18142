"""The forms of snippets: those of a run, a set, and a grade."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User
from assess.forms.judged_sets import JudgedSetForm, offer
from assess.models import SnippetSet
from assess.queries.answers import who_know
from assess.snippets.queries.plan import PlannedSnippets
from assess.snippets.services import SubmittedGrade
from pooling.forms.files import FileForm
from pooling.models import Campaign, Run
from pooling.scale import Grade

DEEPEST = 50  # results of a topic


class RunSnippetsForm(FileForm):
    """A file of snippets, and the run that brought them."""

    run = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="Run")
    field_order = ("run", "file")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        offer(self, "run", campaign.runs.active())


class SnippetSetForm(JudgedSetForm):
    """The first results of a run, and the judges who grade them."""

    run = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="Run")
    origin = forms.ChoiceField(
        choices=SnippetSet.Origin.choices,
        label="Snippets",
        help_text="They are stored with the set: all judges see the same ones, whatever is loaded later.",
    )
    depth = forms.IntegerField(
        min_value=1,
        max_value=DEEPEST,
        initial=10,
        label="Results of a topic",
        help_text="The first ones of the run. Each is graded twice: the snippet, then the document.",
    )
    field_order = ("run", "judges", "topics", "origin", "depth")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, campaign=campaign, **options)
        runs = campaign.runs.active()
        offer(self, "run", runs)
        self.has_runs = runs.exists()

    def people(self) -> QuerySet[User]:
        return super().people().exclude(pk__in=who_know(self.campaign, []).values("pk"))

    def asked(self) -> PlannedSnippets:
        data = self.cleaned_data
        return PlannedSnippets(
            self.campaign,
            data["run"],
            list(data["judges"]),
            data["topics"],
            data["origin"],
            data["depth"],
            data["double"],
            data["seed"],
            data["instructions"],
        )


class SnippetGradeForm(forms.Form):
    """The grade of a snippet or a document. text_hash: of the document on the page."""

    uuid = forms.UUIDField()
    grade = forms.TypedChoiceField(coerce=int, label="Grade")
    answers = forms.BooleanField(required=False)
    text_hash = forms.CharField(max_length=64, required=False)
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def __init__(self, *args: Any, grades: tuple[Grade, ...], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["grade"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(each.value, each.label) for each in grades]

    def submitted(self) -> SubmittedGrade:
        data: dict[str, Any] = self.cleaned_data
        return SubmittedGrade(**{field: data[field] for field in SubmittedGrade._fields})
