"""The fields of uploaded files."""

from __future__ import annotations

from typing import Any

from django import forms


class FileForm(forms.Form):
    file = forms.FileField(label="File")


class FilesField(forms.FileField):
    """Several files in one field; cleans to a list."""

    widget = forms.ClearableFileInput

    def __init__(self, **options: Any) -> None:
        widget = forms.FileInput()
        widget.allow_multiple_selected = True
        widget.attrs["multiple"] = True
        super().__init__(widget=widget, **options)

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(file, initial) for file in data or [None]]
