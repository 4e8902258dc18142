"""Dates of a campaign, typed in its time zone."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms

from pooling.forms.edits import EditMixin
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.schedule import in_time_zone, is_time_zone, zone_of

YEARS = range(1990, 2200)
DATES = ("submission_opens_at", "submission_closes_at", "judging_ends_at", "release_planned_at")


LOCAL_TIME = "%Y-%m-%dT%H:%M"


class HiddenTime(forms.DateTimeInput):
    input_type = "hidden"

    def __init__(self) -> None:
        super().__init__(format=LOCAL_TIME)


class LocalTimeField(forms.CharField):
    """A date and a time without a zone, as `datetime-local` sends it; None if empty."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL_TIME)
    hidden_widget = HiddenTime

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            time = datetime.fromisoformat(text).replace(second=0, microsecond=0, tzinfo=None)
        except ValueError as error:
            raise forms.ValidationError("Enter a date and a time, such as 2026-12-12 23:59.") from error
        if time.year not in YEARS:
            raise forms.ValidationError(f"Enter a year from {YEARS[0]} to {YEARS[-1]}.")
        return time


class ScheduleForm(EditMixin):
    time_zone = forms.CharField(
        max_length=60,
        label="Time zone",
        widget=forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off"}),
        help_text="All dates of this page are in this time zone, such as Europe/Berlin.",
    )
    accepts_runs = forms.BooleanField(
        required=False,
        label="Participants may submit runs",
        help_text="Without the tick no run of a participant is accepted, whatever the dates say.",
    )
    submission_opens_at = LocalTimeField(
        required=False, label="Submission opens", help_text="If empty, with the opening of the campaign."
    )
    submission_closes_at = LocalTimeField(
        required=False,
        label="Submission closes",
        help_text="The last minute in which runs are on time. If empty, submission stays open.",
    )
    late_runs = forms.ChoiceField(
        choices=Campaign.LateRuns.choices,
        label="Late runs of participants",
        help_text="Organisers may submit at any time. Their late runs are marked if late runs are accepted.",
    )
    accepts_judge_runs = forms.BooleanField(
        required=False,
        label="Participants may submit runs of machine judges",
        help_text="Participants can then download the list of pooled documents of each topic, without ranks, "
        "runs, texts and labels. The dates of submission do not limit these files.",
    )
    judging_ends_at = LocalTimeField(
        required=False,
        label="Judging ends",
        help_text="Judges see this date. Labels are accepted until the campaign is closed.",
    )
    release_planned_at = LocalTimeField(
        required=False, label="Planned release of the qrels", help_text="All members see this date."
    )

    def clean_time_zone(self) -> str:
        name = str(self.cleaned_data["time_zone"])
        if not is_time_zone(name):
            raise forms.ValidationError(f"There is no time zone {name}. Choose one of the list, such as UTC.")
        return name

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in DATES:
            if data.get(name) and "time_zone" in data:
                try:
                    data[name] = in_time_zone(data[name], data["time_zone"])
                except Refused as error:
                    self.add_error(name, str(error))
        opens, closes = data.get("submission_opens_at"), data.get("submission_closes_at")
        if closes:  # the whole minute is on time
            data["submission_closes_at"] = closes.replace(second=59)
        if opens and closes and "time_zone" in data and closes < opens:
            self.add_error("submission_closes_at", "Submission closes before it opens. Choose a later time.")
        return data


def local_values(campaign: Campaign) -> dict[str, Any]:
    """Return the values of the form, dates in the campaign's time zone."""
    zone = zone_of(campaign.time_zone)
    values = {name: getattr(campaign, name) for name in ScheduleForm.base_fields}
    return {
        name: value.astimezone(zone).replace(tzinfo=None) if isinstance(value, datetime) else value
        for name, value in values.items()
    }
