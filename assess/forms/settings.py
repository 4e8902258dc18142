"""Forms of the settings of a campaign: its texts and scale, clones, rates of judges, dates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django import forms
from django.core.validators import RegexValidator
from django.forms.boundfield import BoundField
from django.http import QueryDict

from assess.services.campaigns import CLONED_PARTS, DEFAULT_PARTS
from pooling.forms.campaigns import ScaleMixin
from pooling.forms.edits import EditMixin
from pooling.languages import MAX_TAG, is_language_tag
from pooling.limits import MAX_DESCRIPTION, MAX_GUIDELINES
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.schedule import in_time_zone, time_zone_label, time_zone_of_label, zone_of

MOST = Decimal("999999.99")
MOST_RUNS = 10_000  # of a group
YEARS = range(1990, 2200)
DATES = ("submission_opens_at", "submission_closes_at", "judging_ends_at", "release_planned_at")
LOCAL_TIME = "%Y-%m-%dT%H:%M"


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


def rate_field(label: str, help_text: str = "") -> forms.DecimalField:
    return forms.DecimalField(
        min_value=0, max_value=MOST, max_digits=8, decimal_places=2, required=False, label=label,
        help_text=help_text,
    )  # fmt: skip


class RatesForm(EditMixin):
    """The hourly rate of a campaign, its currency, and a field for each judge with an own rate."""

    hourly_rate = rate_field(
        "Rate per hour", "Of judges without an own rate. If empty, only hours are shown."
    )
    currency = forms.CharField(
        max_length=3,
        validators=[
            RegexValidator(r"^[A-Z]{3}\Z", "Enter the three capital letters of ISO 4217, such as EUR.")
        ],
        help_text="ISO 4217, such as EUR.",
    )

    def __init__(self, data: QueryDict | None = None, *, campaign: Campaign) -> None:
        members = campaign.memberships.filter(role=Role.JUDGE).select_related("user")
        self.members = {f"rate-{each.pk}": each for each in members}
        initial = {"hourly_rate": campaign.hourly_rate, "currency": campaign.currency}
        initial |= {name: each.hourly_rate for name, each in self.members.items()}
        super().__init__(data, initial=initial)
        for name, each in self.members.items():
            self.fields[name] = rate_field(str(each.user))

    @property
    def own_rates(self) -> dict[int, Decimal | None]:
        """Return membership -> own rate of the judge, None without one."""
        return {each.pk: self.cleaned_data[name] for name, each in self.members.items()}


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
        help_text="All dates of this page are in it. A place such as Europe/Berlin, an offset such as UTC+2, "
        "or AoE, anywhere on Earth.",
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
    runs_per_group = forms.IntegerField(
        min_value=1,
        max_value=MOST_RUNS,
        required=False,
        label="Runs per group",
        help_text="The most runs that a group may have; withdrawn runs do not count. Answer runs are counted "
        "apart, with the same limit. If empty, any number.",
    )
    runs_per_day = forms.IntegerField(
        min_value=1,
        max_value=MOST_RUNS,
        required=False,
        label="Runs per group and day",
        help_text="In the time zone above. Files that are refused do not count. If empty, any number.",
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
        label = str(self.cleaned_data["time_zone"])
        if name := time_zone_of_label(label):
            return name
        raise forms.ValidationError(f"There is no time zone {label}. Choose one of the list, such as UTC.")

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
    values["time_zone"] = time_zone_label(campaign.time_zone)
    return {
        name: value.astimezone(zone).replace(tzinfo=None) if isinstance(value, datetime) else value
        for name, value in values.items()
    }
