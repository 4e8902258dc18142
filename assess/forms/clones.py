"""The form that clones a campaign."""

from __future__ import annotations

from django import forms

from assess.services.campaigns import CLONED_PARTS, DEFAULT_PARTS
from pooling.models import Campaign


class CloneForm(forms.Form):
    name = forms.CharField(max_length=120, label="Name of the new campaign")
    slug = forms.SlugField(
        max_length=60, label="Short name", help_text="Part of the URLs. It cannot change later."
    )
    parts = forms.MultipleChoiceField(
        choices=list(CLONED_PARTS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="What the new campaign gets",
    )

    @staticmethod
    def suggestion(campaign: Campaign) -> dict[str, object]:
        return {
            "name": f"{campaign.name} (copy)"[:120],
            "slug": f"{campaign.slug[:58]}-2",
            "parts": DEFAULT_PARTS,
        }
