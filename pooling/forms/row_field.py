"""Rows of the database as the choices of a field."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet


def offer_rows(form: forms.BaseForm, name: str, rows: QuerySet[Any]) -> None:
    """Offer rows in a field of a form. They are read once, however often the page renders the field."""
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows
    field.choices = [*field.iterator(field)]
