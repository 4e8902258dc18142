from __future__ import annotations

from typing import Any

from django import forms

from assess.forms.imports import GradesMixin
from assess.forms.releases import ReasonForm
from assess.models import Source
from pooling.forms.edits import EditMixin
from pooling.forms.files import FileForm


class SourceForm(EditMixin):
    """What is known of a source of labels. A person who signs in has chosen their own name."""

    name = forms.CharField(max_length=60, help_text="The name that pages show.")
    model = forms.CharField(max_length=120, help_text="The official name of the model, with its version.")
    independent = forms.ChoiceField(
        choices=Source.Independence, required=False, label="Made without knowing runs and other labels"
    )
    note = forms.CharField(required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, data: Any = None, *, source: Source) -> None:
        known = {name: getattr(source, name) for name in ("model", "independent", "note")}
        super().__init__(data, initial=known | {"name": source.user.name})
        if source.kind == Source.Kind.PERSON:
            del self.fields["name"]
        if not source.is_program:
            del self.fields["model"]


class SourceWithdrawalForm(ReasonForm):
    """The reason why a source of labels, or a file of clicks, is withdrawn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = "This page and the audit log show it."


class DescriptionForm(EditMixin):
    """The name and the note of a file of clicks that was loaded."""

    name = forms.CharField(required=False, max_length=120)
    note = forms.CharField(required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))


class SourceFileForm(GradesMixin, FileForm):
    """A file of labels that takes the place of an earlier one."""

    field_order = ["file", "grades", "map", "words"]
