from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django import forms
from django.forms.boundfield import BoundField

from pooling.forms.campaigns import ScaleMixin
from pooling.forms.edits import EditMixin
from pooling.languages import MAX_TAG, is_language_tag
from pooling.limits import MAX_DESCRIPTION, MAX_GUIDELINES


class Section(NamedTuple):
    """A part of a form under a heading."""

    title: str
    fields: list[BoundField]


SECTIONS = {
    "Campaign": ("name", "description"),
    "For judges": ("guidelines", "scale", "threshold", "language", "joins_lines"),
    "For participants": ("rules", "contact", "run_depth", "shows_topic_statistics"),
    "Collection": ("collection_size",),
}


class SettingsForm(ScaleMixin, EditMixin):
    name = forms.CharField(max_length=120)
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), required=False, max_length=MAX_DESCRIPTION
    )
    guidelines = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        required=False,
        max_length=MAX_GUIDELINES,
        help_text="Instructions for judges, in Markdown. Judges can open them at any time.",
    )
    language = forms.CharField(
        required=False,
        max_length=MAX_TAG,
        help_text="Optional. Language of topics and documents as a BCP 47 tag, such as de, ar or zh-Hant, for"
        " hyphenation, fonts and screen readers. A document with a field lang or language has its own.",
    )
    joins_lines = forms.BooleanField(
        required=False,
        label="Join lines of documents",
        help_text="For texts from PDF files with a line break after every line. Judges see running text with"
        " its lines and divided words joined; lists, tables, code and short lines stay. The stored text does"
        " not change.",
    )
    run_depth = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        label="Documents per topic",
        help_text="Maximum number of documents that a run may return for a topic.",
    )
    collection_size = forms.IntegerField(
        min_value=1,
        required=False,
        label="Documents in the collection",
        help_text="Optional. Once this many documents are loaded, a run with an unknown docno is refused.",
    )
    rules = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        required=False,
        max_length=MAX_GUIDELINES,
        help_text="What participants must know and keep to, in Markdown: the task, which data may be used,"
        " how many runs a group may submit. Participants read it on their page, together with the dates.",
    )
    contact = forms.CharField(
        required=False,
        max_length=200,
        help_text="A mail address or a name. Participants see it, and everybody if a release is public.",
    )
    shows_topic_statistics = forms.BooleanField(
        required=False,
        label="Show statistics of all runs by topic",
        help_text="Participants see, beside their own scores, the minimum, median and maximum of all ranked"
        " runs for every topic, without names. This begins with the first release that they may see.",
    )

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"]
        if language and not is_language_tag(language):
            raise forms.ValidationError("Enter a BCP 47 language tag, such as en, pt-BR or zh-Hant.")
        return language

    field_order = [name for names in SECTIONS.values() for name in names]

    @property
    def sections(self) -> Iterator[Section]:
        """Yield the sections of the page; fields that no section names stand at the end."""
        placed = {name for names in SECTIONS.values() for name in names}
        for title, names in SECTIONS.items():
            yield Section(title, [self[name] for name in names if name in self.fields])
        if others := [self[name] for name in self.fields if name not in placed]:
            yield Section("Other settings", others)
