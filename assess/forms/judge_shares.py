"""Forms with a number for each judge: a share of documents, or how many."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import User
from assess.forms.assignments import explained_radio
from assess.queries.campaign_reads import CampaignReads
from assess.queries.people import Colleague
from pooling.forms.topic_field import HINT, TopicsField, offer_topics

MOST = 1_000_000
SHARES, DOCUMENTS = "shares", "documents"


class JudgeSharesForm(forms.Form):
    """A number for every judge who can get topics; 0 gets none."""

    def __init__(self, *args: Any, colleagues: list[Colleague], **options: Any) -> None:
        super().__init__(*args, **options)
        self.colleagues = colleagues
        for judge, _ in colleagues:
            self.fields[f"share_{judge.pk}"] = forms.FloatField(
                min_value=0, max_value=MOST, initial=1, label=f"Share of {judge}"
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not any(self.shares().values()):
            raise forms.ValidationError("Give at least one judge a number above 0.")
        return data

    def shares(self) -> dict[User, float]:
        """Return judge -> number, of the form as it was sent or as it is offered first."""
        given = self.cleaned_data if self.is_bound else self.initial_values()
        return {judge: given[f"share_{judge.pk}"] for judge, _ in self.colleagues}

    def initial_values(self) -> dict[str, Any]:
        return {name: self.get_initial_for_field(field, name) for name, field in self.fields.items()}

    @property
    def rows(self) -> list[tuple[Colleague, forms.BoundField]]:
        return [(colleague, self[f"share_{colleague.judge.pk}"]) for colleague in self.colleagues]


class ReplaceJudgeForm(JudgeSharesForm):
    """Who takes over the topics of a judge."""

    leaves = forms.BooleanField(
        required=False,
        initial=True,
        label="End the role of a judge",
        help_text="The person leaves the campaign, or keeps only other roles. Every label stays.",
    )


class DistributionForm(JudgeSharesForm):
    """Topics without a judge, and how many documents of them each judge gets."""

    topics = TopicsField(help_text=f"{HINT} Only topics that nobody judges yet.")
    counts = explained_radio(
        [
            (SHARES, "Shares", "All topics are given away, documents in the ratio of the numbers."),
            (
                DOCUMENTS,
                "Documents",
                "A judge gets no further topic once the number is reached.",
            ),
        ],
        initial=SHARES,
        label="The numbers are",
    )

    def __init__(self, *args: Any, reads: CampaignReads, free: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        offer_topics(self, reads.topics, free)
