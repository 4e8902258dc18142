"""Add topics from a file or as text, and change one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from pooling.forms.edits import EditMixin
from pooling.forms.previews import PreviewMixin
from pooling.forms.tables import MapMixin
from pooling.intake.fields import TOPICS
from pooling.limits import MAX_TITLE, MAX_TOPIC_TEXT
from pooling.models import Topic


class TopicsSourceForm(PreviewMixin, MapMixin):
    """One source of topics: a file, a text, or the content that the preview sends back."""

    table = TOPICS

    file = forms.FileField(required=False, label="Topic file")
    text = forms.CharField(
        required=False,
        label="Topics as text",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "code"}),
        help_text="One query a line, or a number, a TAB and a title on each line, or any format of a file.",
    )

    field_order = ["file", "text", "map"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        sources = [name for name in ("file", "text", "content") if data.get(name)]
        if len(sources) != 1 and not self.errors:
            raise forms.ValidationError(
                "Choose a file or enter topics as text."
                if not sources
                else "Use either a file or a text, not both."
            )
        return data


class TopicForm(EditMixin):
    """The texts of a topic. A reason is needed for a new wording once documents of it are pooled."""

    wording = ("title", "description", "narrative")

    title = forms.CharField(
        max_length=MAX_TITLE, widget=forms.Textarea(attrs={"rows": 2}), help_text="The query, on one line."
    )
    description = forms.CharField(
        max_length=MAX_TOPIC_TEXT, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    narrative = forms.CharField(
        max_length=MAX_TOPIC_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Which documents are relevant, and which are not.",
    )
    terms = forms.CharField(
        label="Words to highlight",
        max_length=5000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Besides the words of the title, a word or phrase on each line.",
    )
    reason = forms.CharField(
        max_length=500,
        required=False,
        help_text="Why the wording changes. Members see it beside the earlier wording.",
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, topic: Topic, is_pooled: bool) -> None:
        texts = {name: getattr(topic, name) for name in (*self.wording, "terms")}
        super().__init__(data, initial=texts)
        if not is_pooled:
            del self.fields["reason"]

    def clean_title(self) -> str:
        return " ".join(str(self.cleaned_data["title"]).split())

    def clean_description(self) -> str:
        return with_line_feeds(self.cleaned_data["description"])

    def clean_narrative(self) -> str:
        return with_line_feeds(self.cleaned_data["narrative"])

    def clean_terms(self) -> str:
        return with_line_feeds(self.cleaned_data["terms"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        is_reworded = any(name in data and data[name] != self.initial[name] for name in self.wording)
        if "reason" in self.fields and is_reworded and not data.get("reason"):
            self.add_error("reason", "Enter why the wording changes.")
        return data


def with_line_feeds(text: str) -> str:
    """Return a text as files have it: a form sends CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
