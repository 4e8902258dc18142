from __future__ import annotations

import secrets

from django import forms

from assess.near_duplicates.classes import THRESHOLD
from assess.near_duplicates.services import SHARE, Settings


class NearDuplicatesForm(forms.Form):
    """How near duplicates are found, and how many of them are judged on purpose."""

    threshold = forms.FloatField(
        min_value=0.5,
        max_value=1,
        initial=THRESHOLD,
        step_size=0.01,
        label="Least similarity",
        help_text="Jaccard coefficient of the sequences of three words of two texts; 1: the same sequences.",
    )
    share = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=SHARE,
        label="Judged on purpose, in per cent",
        help_text="Of the documents that get a propagated label, to measure how often that is wrong.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        label="Random seed",
        help_text="Seed for the choice of these documents. Empty: a seed is generated.",
    )

    def chosen(self) -> Settings:
        seed = self.cleaned_data["seed"]
        seed = secrets.randbelow(2**31) if seed is None else seed
        return Settings(self.cleaned_data["threshold"], self.cleaned_data["share"], seed)


class DraftForm(forms.Form):
    """The draft that the organiser has seen, by its checksum."""

    sha256 = forms.CharField(max_length=64)


class SplitForm(forms.Form):
    """A document that is split from its class."""

    docno = forms.CharField(max_length=200)
