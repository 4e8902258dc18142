"""Parts of forms that several forms share: radio buttons with explanations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString


def explained(title: str, meaning: str) -> SafeString:
    """Return the label of a choice as HTML: the title in bold, then the explanation."""
    return format_html("<span><b>{}</b> <small>{}</small></span>", title, meaning)


def explained_radio(choices: Iterable[tuple[str, str, str]], **options: Any) -> forms.ChoiceField:
    """Return a field of radio buttons, one for each (value, title, explanation)."""
    labelled = [(value, explained(title, meaning)) for value, title, meaning in choices]
    return forms.ChoiceField(choices=labelled, widget=forms.RadioSelect, **options)
