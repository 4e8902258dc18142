"""The forms of matchings: a matching, and the label of a nugget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from assess.forms.judged_sets import AnswerSetForm, offer
from assess.matchings.queries.differences import CaseChange, CaseKey, NuggetCase
from assess.matchings.queries.plan import PlannedMatching
from assess.matchings.queries.tasks import nuggets_of
from assess.matchings.services import SubmittedLabel
from assess.matchings.words import words_of
from assess.models import Bank, BankNugget, MatchingTask
from assess.nuggets.assignments import Assignment
from pooling.models import Campaign


class MatchingForm(AnswerSetForm):
    """A frozen bank, the answers of runs, and the judges who get them."""

    bank = forms.ModelChoiceField(
        Bank.objects.none(), to_field_name="number", empty_label=None, label="Nugget bank"
    )
    contradicts = forms.BooleanField(
        required=False,
        label="Judges can say that an answer contradicts a nugget",
        help_text="Otherwise: support, partial, none.",
    )
    field_order = ("bank", "runs", "judges", "topics", "contradicts")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, campaign=campaign, **options)
        banks = campaign.nugget_banks.exclude(frozen_at=None)
        offer(self, "bank", banks)
        self.has_banks = banks.exists()

    def asked(self) -> PlannedMatching:
        data = self.cleaned_data
        return PlannedMatching(
            data["bank"],
            list(data["runs"]),
            list(data["judges"]),
            data["topics"],
            data["contradicts"],
            data["double"],
            data["seed"],
            data["instructions"],
        )


class DecisionsForm(forms.Form):
    """The decisions of an adjudicator on some cases: a field for each."""

    def __init__(self, *args: Any, cases: Sequence[NuggetCase], contradicts: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cases = cases
        words = [(word.value.value, word.label) for word in words_of(contradicts)]
        for case in cases:
            self.fields[case.field] = forms.ChoiceField(
                choices=[*words, ("", "Leave open")],
                required=False,
                initial=case.decision.assignment if case.decision else "",
                widget=forms.RadioSelect,
                show_hidden_initial=True,  # what the page showed, so that only changes are stored
                label=f"Topic {case.answer.topic.number}: {case.nugget.text}",
            )

    @property
    def rows(self) -> list[tuple[NuggetCase, forms.BoundField, str]]:
        """Each case with its field, and the hidden field that says what the page showed."""
        fields = [self[case.field] for case in self.cases]
        return [
            (case, field, field.as_hidden(only_initial=True))
            for case, field in zip(self.cases, fields, strict=True)
        ]

    def changes(self) -> dict[CaseKey, CaseChange]:
        """Return what was changed on the page."""
        changed = [case for case in self.cases if case.field in self.changed_data]
        return {
            case.key: CaseChange(
                self.data.get(self.add_initial_prefix(case.field), ""), self.cleaned_data[case.field]
            )
            for case in changed
        }


class NuggetLabelForm(forms.Form):
    """The label of a nugget, and the sentence of the answer that decided."""

    uuid = forms.UUIDField()
    nugget = forms.ModelChoiceField(BankNugget.objects.none())
    assignment = forms.ChoiceField()
    sentence = forms.IntegerField(min_value=1, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def __init__(self, *args: Any, task: MatchingTask, **options: Any) -> None:
        super().__init__(*args, **options)
        nugget, assignment = self.fields["nugget"], self.fields["assignment"]
        assert isinstance(nugget, forms.ModelChoiceField) and isinstance(assignment, forms.ChoiceField)
        nugget.queryset = nuggets_of(task)
        assignment.choices = [(word.value, word.label) for word in words_of(task.matching.contradicts)]
        self.sentences = len(task.answer.sentences)

    def clean_sentence(self) -> int | None:
        place: int | None = self.cleaned_data["sentence"]
        if place is not None and place > self.sentences:
            raise forms.ValidationError(f"The answer has {self.sentences} sentences.")
        return place

    def submitted(self) -> SubmittedLabel:
        """Return the label. One that the nugget is not there has no sentence."""
        data = self.cleaned_data
        sentence = None if data["assignment"] == Assignment.NONE else data["sentence"]
        return SubmittedLabel(
            data["uuid"], data["nugget"], data["assignment"], sentence, data["source"], data["seconds_ago"]
        )
