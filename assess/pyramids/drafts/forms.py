"""The forms of a draft: model summaries, words of a unit, and its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from assess.pyramids.drafts.services import SelectedWords
from assess.pyramids.drafts.units import MAX_LABEL, DraftUnit, split_summaries
from assess.pyramids.model import MAX_TEXT, Part
from pooling.formats.files import decode, unpack
from pooling.forms.files import FilesField
from pooling.models import Campaign, Topic
from pooling.services.files import read_upload


class PyramidDraftForm(forms.Form):
    """The model summaries of a topic that has neither a pyramid nor a draft."""

    topic = forms.ModelChoiceField(Topic.objects.none(), to_field_name="number", empty_label=None)
    summaries = forms.CharField(
        max_length=MAX_TEXT,
        required=False,
        strip=False,
        label="Model summaries",
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Two or more, with a line of three hyphens (---) between them.",
    )
    file = FilesField(
        required=False,
        label="Or text files",
        help_text="Each holds a model summary, or several with a line of three hyphens between them.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["topic"]
        assert isinstance(field, forms.ModelChoiceField)
        taken = campaign.pyramids.standing().values("topic")
        drafted = campaign.pyramid_drafts.values("topic")
        field.queryset = campaign.topics.exclude(pk__in=taken).exclude(pk__in=drafted)

    def texts(self) -> list[str]:
        """Return the summaries, those of the field first. Raises BadFile for a file that is not read."""
        summaries = split_summaries(self.cleaned_data["summaries"])
        for file in self.cleaned_data["file"]:
            if file is not None:
                name = file.name or ""
                summaries += split_summaries(decode(unpack(read_upload(file), name, 4 * MAX_TEXT), name))
        return summaries


class UnitWordsForm(forms.Form):
    """Words of a model summary, for a unit. place, start: where they were selected, if a script says so."""

    quotation = forms.CharField(
        max_length=4000,
        label="Words of a summary",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Select them in one summary, or copy them here.",
    )
    unit = forms.TypedChoiceField(coerce=int, required=False, empty_value=None, label="They express")
    label = forms.CharField(
        max_length=MAX_LABEL,
        required=False,
        label="Label of a new unit",
        help_text="What the unit says, in a sentence. Empty: the words.",
    )
    place = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)
    start = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, units: Sequence[DraftUnit], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["unit"]
        assert isinstance(field, forms.TypedChoiceField)
        known = [(str(unit.uid), f"unit {unit.uid}: {unit.label}"[:120]) for unit in units]
        field.choices = [("", "a new unit"), *known]

    def words(self) -> SelectedWords:
        data = self.cleaned_data
        return SelectedWords(data["quotation"], data["place"] or 0, data["start"] or 0)


class UnitForm(forms.Form):
    """Another label of a unit, or words that it no longer has: their start and end in the text."""

    label = forms.CharField(max_length=MAX_LABEL, required=False)
    before = forms.CharField(max_length=MAX_LABEL, required=False, widget=forms.HiddenInput)
    remove = forms.RegexField(r"^[0-9]{1,7}-[0-9]{1,7}$", required=False)

    def part(self) -> Part | None:
        """Return the words that are taken away, if any are."""
        remove = self.cleaned_data["remove"]
        return Part(*map(int, remove.split("-"))) if remove else None
