"""The forms of a campaign: its scale, its settings, and the filters of its audit log."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from pooling.limits import MAX_DESCRIPTION
from pooling.models import Campaign
from pooling.scale import (
    MAX_GRADES,
    PRESET_USES,
    PRESETS,
    BadScale,
    Grade,
    check_scale,
    join_rows,
    parse_scale,
    split_rows,
    write_scale,
)


class ScaleRows(forms.Widget):
    """The grades of a scale as rows of four fields each. A script may post the scale as text instead."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str | None:
        if name in data or not hasattr(data, "getlist"):
            text: str | None = data.get(name)
            return text
        columns = [data.getlist(f"{name}-{field}") for field in Grade._fields]
        return join_rows(zip_longest(*columns, fillvalue=""))

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        rows = split_rows(value or "")
        presets = {preset: split_rows(write_scale(grades)) for preset, grades in PRESETS.items()}
        uses = [(preset, PRESET_USES[preset], threshold_of(preset)) for preset in PRESETS]
        empty = [[""] * len(Grade._fields)] * (MAX_GRADES - len(rows))
        context = {"name": name, "rows": rows + empty, "presets": presets, "uses": uses, "attrs": attrs or {}}
        return mark_safe(render_to_string("pooling/parts/_scale_rows.html", context))


class ScaleMixin(forms.Form):
    """The two fields that make a scale, checked together."""

    scale = forms.CharField(
        widget=ScaleRows,
        help_text="Values are whole numbers from 0, in any order. A gain that is left out is the value.",
    )
    threshold = forms.IntegerField(
        min_value=1,
        label="Relevant from grade",
        help_text="The lowest grade that binary measures and kappa count as relevant.",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "scale" in data and "threshold" in data:
            try:
                data["grades"] = parse_scale(data["scale"])
                check_scale(data["grades"], data["threshold"])
            except BadScale as error:
                self.add_error("scale", str(error))
        return data


class CampaignForm(ScaleMixin):
    name = forms.CharField(max_length=120, label="Name")
    slug = forms.SlugField(
        max_length=60,
        label="Short name",
        required=False,
        help_text="Part of the URLs. If empty, it is derived from the name.",
    )
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), required=False, max_length=MAX_DESCRIPTION
    )

    field_order = ["name", "slug", "description", "scale", "threshold"]

    def clean_slug(self) -> str:
        """Make a short name where there is none; whether it is free, the service says."""
        slug = self.cleaned_data["slug"] or slugify(self.cleaned_data.get("name", ""))[:60].strip("-_")
        if not slug and "name" in self.cleaned_data:
            raise forms.ValidationError(
                "Enter a short name in Latin letters or digits: the name contains none to derive it from."
            )
        return str(slug)


NEW_CAMPAIGN = {"scale": write_scale(PRESETS["four"]), "threshold": 2}


def preset_values(name: str) -> dict[str, Any]:
    """Return the values of a form for a preset scale; none for an unknown name."""
    if name not in PRESETS:
        return {}
    return {"scale": write_scale(PRESETS[name]), "threshold": threshold_of(name)}


def threshold_of(preset: str) -> int:
    """Return from which grade of a preset scale on a document is relevant."""
    return 1 if preset == "binary" else 2


class AuditLogForm(forms.Form):
    """Filters of the audit log. An invalid value filters nothing."""

    who = forms.ChoiceField(required=False, label="Person")
    verb = forms.ChoiceField(required=False, label="Action")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, *args: Any, campaign: Campaign) -> None:
        super().__init__(*args)
        for name, everything in (("who", "All people"), ("verb", "All actions")):
            values = campaign.audit_log.order_by(name).values_list(name, flat=True).distinct()
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("", everything), *((value, value) for value in values if value)]

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data

    def before(self) -> int | None:
        """Return the number that the page ends at, if the URL names one."""
        number = self.data.get("before", "")
        return int(number) if number.isdecimal() and len(number) < 10 else None
