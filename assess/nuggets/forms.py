"""The forms of nugget banks: a draft, a nugget, a vote, and two nuggets that are one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from assess.models import Answer, Bank, BankNugget
from assess.nuggets.banks import AND, MAX_WORDS, OR, TWO_GRADES, Importance
from assess.nuggets.services.marks import MarkedWords
from assess.nuggets.services.nuggets import NuggetDetails
from assess.nuggets.weighing import GRADINGS
from pooling.forms.edits import EditMixin
from pooling.limits import MAX_NAME_BYTES
from pooling.models import Campaign

MAX_TEXT = 400  # characters of a nugget or an answer
MAX_ANSWERS = 100  # of a question


class BankForm(forms.Form):
    """A draft: an empty one, or a copy of a frozen version."""

    based_on = forms.ModelChoiceField(
        Bank.objects.none(),
        to_field_name="number",
        required=False,
        empty_label="nothing: an empty draft",
        label="Begin with",
    )
    grading = forms.ChoiceField(
        choices=[(kind, kind) for kind in GRADINGS],
        initial=TWO_GRADES,
        label="Importance",
        help_text="Of an empty draft. A copy has that of its version.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["based_on"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = campaign.nugget_banks.exclude(frozen_at=None)


def importance_choices(grading: str, known: Importance = None) -> list[tuple[str, str]]:
    """Return the choices of a kind of importance. known: a value that stands already, such as 2.5."""
    values = [*map(str, GRADINGS[grading])]
    if known is not None and str(known) not in values:
        values.insert(0, str(known))
    return [("", "not set"), *((value, value) for value in values)]


def importance_in(text: str) -> Importance:
    """Return the importance that a choice stands for."""
    if not text or text.isalpha():
        return text or None
    number = float(text)
    return int(number) if number.is_integer() else number


class NuggetForm(EditMixin, forms.Form):
    """A nugget. What two people change at the same time is not lost."""

    text = forms.CharField(
        max_length=MAX_TEXT,
        label="Nugget",
        help_text=f"A statement of 1 to {MAX_WORDS} words; or a question, with its answers below.",
    )
    importance = forms.ChoiceField(required=False, help_text="Not set: the votes say it.")
    answers = forms.CharField(
        max_length=MAX_ANSWERS * (MAX_TEXT + 1),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Of a question, one a line. None makes it a statement.",
    )
    aggregator = forms.ChoiceField(
        choices=[(OR, "one of the answers"), (AND, "all answers")],
        initial=OR,
        label="A question wants",
    )
    docno = forms.CharField(
        max_length=MAX_NAME_BYTES,
        required=False,
        label="Add a document",
        help_text="The docno of a document that holds the nugget.",
    )
    quotation = forms.CharField(
        max_length=2000,
        required=False,
        label="Its words",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="As they stand in the document; the passage is stored.",
    )

    def __init__(self, *args: Any, grading: str, known: Importance = None, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["importance"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = importance_choices(grading, known)

    def details(self) -> NuggetDetails:
        data = self.cleaned_data
        answers = [line.strip() for line in data["answers"].splitlines() if line.strip()]
        return NuggetDetails(
            data["text"],
            importance_in(data["importance"]),
            answers,
            data["aggregator"],
            data["docno"],
            data["quotation"],
        )


class OwnNuggetForm(forms.Form):
    """A nugget that a judge makes from words of a document."""

    docno = forms.CharField(max_length=MAX_NAME_BYTES, widget=forms.HiddenInput)
    quotation = forms.CharField(
        max_length=2000,
        label="Words of the document",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Select them in the document, or copy them here.",
    )
    text = forms.CharField(
        max_length=MAX_TEXT, label="Nugget", help_text=f"The fact as a statement of 1 to {MAX_WORDS} words."
    )
    importance = forms.ChoiceField(required=False, help_text="It may wait.")

    def __init__(self, *args: Any, grading: str, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["importance"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = importance_choices(grading)

    def details(self) -> NuggetDetails:
        data = self.cleaned_data
        importance = importance_in(data["importance"])
        return NuggetDetails(data["text"], importance, docno=data["docno"], quotation=data["quotation"])


class OwnMarkForm(OwnNuggetForm):
    """Words of an answer: of a new nugget, or of an own one that the answer holds.

    answer: its name on the page. place, start: of the sentence, from 1, and in it: where the words were
    selected, if a script says so.
    """

    docno = None  # type: ignore[assignment]
    answer = forms.CharField(max_length=64, widget=forms.HiddenInput)
    place = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)
    start = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    nugget = forms.ModelChoiceField(
        BankNugget.objects.none(),
        required=False,
        empty_label="a new nugget, written below",
        label="This answer holds",
    )
    field_order = ("quotation", "nugget", "text", "importance")

    def __init__(self, *args: Any, own: QuerySet[BankNugget], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["nugget"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = own
        self.fields["quotation"].label = "Words of the answer"
        self.fields["quotation"].help_text = "Select them in one sentence of the answer, or copy them here."
        self.fields["text"].required = False

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("nugget") and data.get("text"):
            self.add_error("text", "Choose a nugget of yours, or write a new one, and not both.")
        elif "nugget" in data and not data["nugget"] and "text" in data and not data["text"]:
            self.add_error("text", "Write the nugget, or choose one of yours.")
        return data

    def details(self) -> NuggetDetails:
        data = self.cleaned_data
        return NuggetDetails(data["text"], importance_in(data["importance"]))

    def words_in(self, answer: Answer) -> MarkedWords:
        data = self.cleaned_data
        return MarkedWords(answer, data["quotation"], data["place"] or 0, data["start"] or 0)


class ImportanceForm(forms.Form):
    """The vote of a person on a nugget; nothing takes it back."""

    importance = forms.ChoiceField(required=False, label="My vote")

    def __init__(self, *args: Any, grading: str, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["importance"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = importance_choices(grading)

    def chosen(self) -> Importance:
        return importance_in(self.cleaned_data["importance"])


class JoinNuggetsForm(forms.Form):
    """The nugget whose wording stays, and the one that is joined with it. bank, topic: keys."""

    kept = forms.ModelChoiceField(BankNugget.objects.none())
    other = forms.ModelChoiceField(BankNugget.objects.none())

    def __init__(self, *args: Any, bank: int, topic: int, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("kept", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = BankNugget.objects.filter(bank_id=bank, topic_id=topic)
