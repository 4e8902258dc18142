"""The field in which topics are chosen, the same in every form: numbers, ranges, or ticks in a list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from pooling.formats.topic_choice import ALL, chosen_topics
from pooling.models import Topic
from pooling.refusals import Refused

MOST_LISTED = 500  # topics of the list with check boxes; a campaign with more has only the text field
HINT = "Numbers, ranges such as “1-50”, or “all”."


class TopicChoice(NamedTuple):
    """What a person wrote, and which topics they ticked. Ticks replace “all”, and add to anything else."""

    text: str
    ticked: tuple[str, ...]

    def __str__(self) -> str:
        typed = "" if self.ticked and self.text.strip().lower() in ("", ALL) else self.text
        return " ".join([typed, *self.ticked]).strip()


class TopicsInput(forms.TextInput):
    """A text field, and below it a list of check boxes of the same name."""

    def __init__(self) -> None:
        super().__init__(attrs={"autocomplete": "off"})
        self.listed: list[Topic] = []

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> TopicChoice | None:
        if name not in data:
            return None
        values = data.getlist(name) if hasattr(data, "getlist") else [data[name]]
        return TopicChoice(values[0], tuple(values[1:])) if values else None

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        choice = value if isinstance(value, TopicChoice) else TopicChoice(value or "", ())
        text = super().render(name, choice.text, attrs, renderer)
        context = {
            "text": text,
            "name": name,
            "id": (attrs or {}).get("id", name),
            "topics": self.listed if len(self.listed) <= MOST_LISTED else [],
            "ticked": choice.ticked,
        }
        return SafeString(render_to_string("pooling/parts/_topic_picker.html", context))


class TopicsField(forms.Field):
    """Cleans to the chosen topics, in the order of the campaign; to none where it is empty and may be.

    `offer` names the topics that can be chosen.
    """

    widget = TopicsInput

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"label": "Topics", "help_text": HINT, "initial": ALL} | options)
        self.topics: list[Topic] = []
        self.usable: set[str] | None = None

    def offer(self, topics: Iterable[Topic], usable: Iterable[str] | None = None) -> None:
        """Offer the topics of a campaign. usable: the numbers of those that can be chosen; None for all."""
        self.topics = list(topics)
        self.usable = None if usable is None else set(usable)
        assert isinstance(self.widget, TopicsInput)
        self.widget.listed = [topic for topic in self.topics if self.can_be_chosen(topic.number)]

    def can_be_chosen(self, number: str) -> bool:
        return self.usable is None or number in self.usable

    def clean(self, value: Any) -> list[Topic]:
        text = "" if value is None else str(value).strip()
        if not text and not self.required:
            return []
        by_number = {topic.number: topic for topic in self.topics}
        try:
            return [by_number[number] for number in chosen_topics(text, list(by_number), self.usable)]
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


def offer_topics(
    form: forms.BaseForm, topics: Iterable[Topic], usable: Collection[str] | None = None
) -> None:
    """Offer topics in the field `topics` of a form."""
    field = form.fields["topics"]
    assert isinstance(field, TopicsField)
    field.offer(topics, usable)
