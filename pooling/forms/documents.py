"""The form of documents."""

from __future__ import annotations

from django import forms

from pooling.formats.documents.reading import FORMS
from pooling.formats.documents.xml import Elements, parse_mapping
from pooling.forms.files import FilesField
from pooling.forms.tables import MapMixin
from pooling.intake.fields import DOCUMENTS
from pooling.refusals import Refused


class DocumentsForm(MapMixin):
    table = DOCUMENTS
    file = FilesField(label="Files")
    keep = forms.ChoiceField(
        choices=[("pooled", "pooled documents only"), ("all", "every document")],
        label="Documents to store",
        help_text="Pooled ones are enough where runs are pooled. Without runs, store every document.",
    )
    form = forms.ChoiceField(
        choices=[("", "Detect from the content"), *((name, name) for name in FORMS), ("images", "images")],
        required=False,
        label="Format",
    )
    elements = forms.CharField(
        required=False,
        label="XML elements",
        help_text="The XML element of each field: document=DOC docno=DOCNO title=TITLE text=TEXT.",
    )
    replace = forms.BooleanField(
        required=False,
        label="Replace texts that have labels",
        help_text="Judges see a notice at each label that was given for an earlier text.",
    )

    field_order = ["file", "keep", "form", "elements", "map", "replace"]

    def clean_elements(self) -> Elements | None:
        text = str(self.cleaned_data["elements"]).strip()
        try:
            return parse_mapping(text) if text else None
        except Refused as error:
            raise forms.ValidationError(str(error)) from error
