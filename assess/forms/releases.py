"""Forms of a release, its public details, its withdrawal, and the difference of two releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from assess.consensus import ONE_JUDGE, RULES, USES_SETTLED
from assess.models import QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import propagator_of
from assess.queries.labels import judges_of
from assess.release.diff import Change, grade_text
from assess.release.plan import AS_JUDGES, CANNOT_JUDGE_OPTIONS, FILL, MACHINE_USES, ReleasePlan
from assess.services.releases import ReleaseConflict
from pooling.forms.edits import EditMixin
from pooling.forms.row_field import offer_rows
from pooling.forms.topic_field import HINT, TopicsField, offer_topics
from pooling.models import Campaign
from pooling.queries.pools import pool_list

REASON_LENGTH = 1000
WITH_PROPAGATED = "yes"


def offers_propagation(campaign: Campaign) -> bool:
    """Whether a release can have propagated labels."""
    return propagator_of(campaign) is not None


def default_form_values(reads: CampaignReads) -> QueryDict:
    """Return the values that the release form shows at first."""
    plan, default = QueryDict(mutable=True), reads.release_plan
    threshold = reads.campaign.threshold if default.threshold is None else default.threshold
    plan.update({"rule": default.rule, "judge": default.judge, "cannot": default.cannot})
    plan["threshold"] = str(threshold)
    plan["propagated"] = WITH_PROPAGATED if offers_propagation(reads.campaign) else ""
    plan["machine_use"] = default.machine_use if default.machines else FILL
    plan.setlist("judges", list(default.judges))
    plan.setlist("machines", list(default.machines))
    return plan


class ReleaseForm(forms.Form):
    """The plan of a release. An empty field takes its default; an empty scope includes everything."""

    rule = forms.ChoiceField(choices=[(name, name) for name in RULES], required=False)
    judge = forms.ChoiceField(
        required=False, label="Judge to follow", help_text='Used by the rule "one judge".'
    )
    cannot = forms.ChoiceField(
        choices=[(name, name) for name in CANNOT_JUDGE_OPTIONS],
        required=False,
        label="Cannot judge",
        help_text="Applies to a document if no selected judge gave a grade.",
    )
    threshold = forms.TypedChoiceField(
        coerce=int, required=False, empty_value=None, label="Relevant from grade"
    )
    topics = TopicsField(required=False, initial="", help_text=f"{HINT} Empty: all topics.")
    pools = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, label="Pools")
    judges = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    machines = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label="Machine judges"
    )
    machine_use = forms.ChoiceField(
        choices=[(name, name) for name in MACHINE_USES],
        required=False,
        label="Use of machine labels",
        help_text="“As judges”: one vote each, like people.",
    )
    propagated = forms.ChoiceField(
        choices=[("", "none"), (WITH_PROPAGATED, "in files of their own")],
        required=False,
        label="Propagated labels",
        help_text="Of near duplicates that were not judged. The qrels have judged documents only.",
    )
    after = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any], *, reads: CampaignReads) -> None:
        super().__init__(data)
        self.reads, self.campaign = reads, reads.campaign
        campaign = reads.campaign
        self.latest = campaign.releases.values_list("number", flat=True).first() or 0
        offer_topics(self, reads.topics)
        people = [(judge.username, str(judge)) for judge in judges_of(campaign)]
        machines = [(each.user.username, str(each)) for each in reads.machines]
        steps = [(grade.value, f"{grade.value} {grade.label}") for grade in campaign.grades[1:]]
        self._offer("judge", [("", "none"), *people, *machines])
        self._offer("judges", people)
        self._offer("machines", machines)
        if not machines:
            del self.fields["machine_use"]
        if not offers_propagation(campaign):
            self._offer("propagated", [("", "none")])
            self.fields["propagated"].widget = forms.HiddenInput()
        self._offer_pools()
        self._offer("threshold", steps)

    def _offer(self, name: str, choices: Iterable[tuple[Any, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def _offer_pools(self) -> None:
        """Offer each pool by its number, and pools of reviews, which are many, as one choice of a kind.

        Where one of these is asked for by its number, those of its kind are offered one by one.
        """
        asked = set(self["pools"].value() or ())
        listed = pool_list(self.campaign.pools.defer("manifest"))
        single = {str(pool.number): pool for pool in listed.single}
        self._numbers = dict[str, list[int]]()
        choices = list[tuple[str, str]]()
        for group in listed.groups:
            numbers = {str(pool.number): pool for pool in group.pools}
            if asked & numbers.keys():
                single |= numbers
                continue
            self._numbers[group.title] = [pool.number for pool in group.pools]
            choices.append((group.title, f"{group.title} ({len(numbers):,} pools)"))
        pools = sorted(single.values(), key=lambda pool: pool.number)
        self._numbers |= {str(pool.number): [pool.number] for pool in pools}
        self._offer("pools", [*((f"{pool.number}", str(pool)) for pool in pools), *choices])

    def clean_pools(self) -> tuple[int, ...]:
        """Return the numbers of the chosen pools."""
        chosen = self.cleaned_data["pools"]
        return tuple(sorted({number for value in chosen for number in self._numbers[value]}))

    def clean_topics(self) -> tuple[str, ...]:
        """Return the chosen numbers; none where all topics are chosen, so that later topics are included."""
        numbers = tuple(topic.number for topic in self.cleaned_data["topics"])
        return () if len(numbers) == len(self.reads.topics) else numbers

    def clean_after(self) -> None:
        after = self.cleaned_data["after"]
        if after is not None and after != self.latest:
            raise forms.ValidationError(str(ReleaseConflict(self.latest)))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("rule") == ONE_JUDGE and not data.get("judge"):
            self.add_error("judge", "Choose the judge whom this rule follows.")
        return data

    def plan(self) -> ReleasePlan:
        data = self.cleaned_data
        default = self.reads.release_plan
        rule = data["rule"] or default.rule
        return ReleasePlan(
            rule,
            (data["judge"] or default.judge) if rule == ONE_JUDGE else "",
            data["topics"],
            tuple(data["judges"]),
            tuple(data["machines"]),
            data["pools"],
            data["cannot"] or default.cannot,
            data["threshold"],
            self._machine_use(default),
            data["propagated"] == WITH_PROPAGATED,
        )

    def _machine_use(self, default: ReleasePlan) -> str:
        """Return the chosen use; without machines "as judges", so that equal releases have equal plans."""
        if not self.cleaned_data["machines"]:
            return AS_JUDGES
        return str(self.cleaned_data["machine_use"]) or default.machine_use

    @property
    def follows_one(self) -> bool:
        """Whether the chosen rule needs a judge."""
        return bool(self["rule"].value() == ONE_JUDGE)

    @property
    def uses_settled(self) -> bool:
        """Whether the chosen rule uses settled grades."""
        return self["rule"].value() in USES_SETTLED

    @property
    def sentence(self) -> str:
        """A sentence that explains the chosen rule."""
        rule = RULES.get(str(self["rule"].value()))
        return rule.sentence if rule else ""


class DifferenceForm(forms.Form):
    """Two releases, by default the last two, and filters for the list of changes."""

    first = forms.ModelChoiceField(
        QrelsRelease.objects.none(), to_field_name="number", required=False, empty_label=None, label="From"
    )
    second = forms.ModelChoiceField(
        QrelsRelease.objects.none(), to_field_name="number", required=False, empty_label=None, label="To"
    )
    topic = forms.CharField(required=False, widget=forms.HiddenInput)
    before = forms.CharField(required=False, widget=forms.HiddenInput)
    after = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any], *, campaign: Campaign) -> None:
        releases = campaign.releases.visible_to(campaign)
        newest = [release.number for release in releases[:2]]
        defaults = {"first": newest[-1], "second": newest[0]} if newest else {}
        super().__init__(defaults | {key: data[key] for key in data})
        self.count = len(newest)
        for name in ("first", "second"):
            offer_rows(self, name, releases)

    @property
    def both(self) -> tuple[QrelsRelease, QrelsRelease] | None:
        first, second = self.cleaned_data["first"], self.cleaned_data["second"]
        return (first, second) if first and second else None

    def chosen(self, changes: Iterable[Change]) -> list[Change]:
        """Return the changes that match the topic and the grades before and after."""
        topic, before, after = (self.cleaned_data[key] for key in ("topic", "before", "after"))
        return [
            change
            for change in changes
            if (not topic or change.topic == topic)
            and (not before or grade_text(change.before) == before)
            and (not after or grade_text(change.after) == after)
        ]

    def query(self) -> str:
        """Return the releases and filters as a URL query string."""
        both = self.both or ()
        numbers = {name: each.number for name, each in zip(("first", "second"), both, strict=False)}
        filters = {
            key: self.cleaned_data[key] for key in ("topic", "before", "after") if self.cleaned_data[key]
        }
        return urlencode(numbers | filters)


class PublicDetailsForm(EditMixin):
    """What the public page says beside the qrels."""

    licence = forms.CharField(
        required=False,
        max_length=200,
        help_text="The licence of topics and qrels, such as CC BY 4.0. Without one, nobody may reuse them.",
    )
    contact = forms.CharField(
        required=False, max_length=200, help_text="A mail address or a name for questions and corrections."
    )
    home_page = forms.URLField(
        required=False, label="Home page", assume_scheme="https", help_text="A page about the campaign."
    )

    def __init__(self, data: Any, campaign: Campaign) -> None:
        super().__init__(
            data,
            initial={name: getattr(campaign, name) for name in ("licence", "contact", "home_page")},
        )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The audit log keeps it.",
    )


class ReleaseWithdrawalForm(ReasonForm):
    """The reason of a withdrawal, which everybody who sees the release reads."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "reason"
        ].help_text = "Every page of the release, its entry in the API and the audit log show it."
