"""The forms that store a pyramid and annotated peers."""

from __future__ import annotations

from typing import Any

from django import forms

from pooling.forms.files import FilesField
from pooling.models import Campaign, Topic

MOST_FILES = 100


class PyramidForm(forms.Form):
    """A pyramid for a topic that has none."""

    topic = forms.ModelChoiceField(Topic.objects.none(), to_field_name="number", empty_label=None)
    file = forms.FileField(
        label="Pyramid (.pyr)",
        allow_empty_file=True,  # the refusal names an empty file
        help_text="A file of DUCView, plain or packed.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["topic"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = campaign.topics.exclude(pk__in=campaign.pyramids.standing().values("topic"))


class PeersForm(forms.Form):
    """Annotations of peers for a pyramid."""

    file = FilesField(
        label="Annotated peers (.pan)",
        allow_empty_file=True,
        help_text="The name of a file without its endings names the peer; of a name such as "
        "D0601-A.M.250.C.12.pan the last part, 12. The same peer has one name in all topics.",
    )

    def clean_file(self) -> list[Any]:
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > MOST_FILES:
            raise forms.ValidationError(f"Choose at most {MOST_FILES} files at once.")
        return files
