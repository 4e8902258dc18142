"""Parts of forms that several forms share: radio buttons with explanations, and lists of topics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pooling.models import Topic


def explained(title: str, meaning: str) -> SafeString:
    """Return the label of a choice as HTML: the title in bold, then the explanation."""
    return format_html("<span><b>{}</b> <small>{}</small></span>", title, meaning)


def explained_radio(choices: Iterable[tuple[str, str, str]], **options: Any) -> forms.ChoiceField:
    """Return a field of radio buttons, one for each (value, title, explanation)."""
    labelled = [(value, explained(title, meaning)) for value, title, meaning in choices]
    return forms.ChoiceField(choices=labelled, widget=forms.RadioSelect, **options)


def topics_by_number(topics: QuerySet[Topic], text: str, refusal: str) -> QuerySet[Topic]:
    """Return the topics whose numbers are in a text, or all of them for "all".

    Raises ValidationError for an unknown number, with the refusal in which {} stands for the number.
    """
    numbers = re.split(r"[\s,]+", text.strip())
    if numbers == ["all"]:
        return topics
    chosen = topics.filter(number__in=numbers)
    if missing := set(numbers) - set(chosen.values_list("number", flat=True)):
        raise forms.ValidationError(refusal.format(min(missing)))
    return chosen
