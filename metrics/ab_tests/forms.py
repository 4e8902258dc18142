"""Forms for an A/B test: its plan, a file of its users, and how many users it needs."""

from __future__ import annotations

from typing import Any

from django import forms

from metrics.ab_tests.factors import design_of
from metrics.ab_tests.outcomes import LONGEST_NAME, parse_outcomes
from metrics.ab_tests.reader import AB_TEST, LONGEST_VARIANT, MOST_VARIANTS
from metrics.ab_tests.services import PlannedTest
from pooling.forms.files import FileForm
from pooling.forms.tables import MapMixin
from pooling.refusals import Refused

USUAL_OUTCOMES = "clicks: more, sum\nabandoned: fewer, any\ntime_to_first_click: fewer, mean"
MOST_USERS = 2_000_000_000


def parse_shares(text: str) -> dict[str, float]:
    """Return variant -> share of lines `variant: share`, or `variant` for one equal part. Raises Refused.

    >>> parse_shares("A\\nB: 1")
    {'A': 1.0, 'B': 1.0}
    """
    shares: dict[str, float] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, given = (part.strip() for part in line.rpartition(":"))
        if not colon:
            name, given = given, "1"
        try:
            share = float(given)
        except ValueError:
            share = 0.0
        if not 0 < share <= 1e6:
            raise Refused(f"line {number}: expected a share above 0 after the colon, found {given[:40]!r}")
        if not name or len(name) > LONGEST_VARIANT:
            raise Refused(f"line {number}: expected a variant of at most {LONGEST_VARIANT} characters")
        if name in shares:
            raise Refused(f"line {number}: expected each variant once, found {name} twice")
        shares[name] = share
    if not 2 <= len(shares) <= MOST_VARIANTS:
        raise Refused(f"expected 2 to {MOST_VARIANTS} variants, one a line, found {len(shares)}")
    return shares


class ABTestForm(forms.Form):
    """The plan of an A/B test."""

    name = forms.CharField(max_length=120)
    note = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What each variant shows.",
    )
    shares = forms.CharField(
        label="Variants",
        max_length=1000,
        initial="A: 50\nB: 50",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line, with its share of the users; the control first. With several factors, name "
        "each combination, “ranker=new + snippet=old: 25”: each factor and interaction is tested then.",
    )
    planned_users = forms.IntegerField(
        min_value=2,
        max_value=MOST_USERS,
        label="Users at the end",
        help_text="Of all variants. The test ends when so many have come, or at the date that you fixed.",
    )
    outcomes = forms.CharField(
        max_length=2000,
        initial=USUAL_OUTCOMES,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One column of the file a line, then the direction wanted (more, fewer, neither) and "
        "what is taken of the rows of a user (sum, mean, any). A line “clicks / searches: more” is a "
        "ratio of sums. "
        f"At most {LONGEST_NAME} characters a name.",
    )

    def clean_shares(self) -> dict[str, float]:
        try:
            shares = parse_shares(self.cleaned_data["shares"])
            design_of(list(shares), next(iter(shares)))
            return shares
        except Refused as error:
            raise forms.ValidationError(str(error)) from error

    def clean_outcomes(self) -> str:
        text: str = self.cleaned_data["outcomes"]
        try:
            if not parse_outcomes(text):
                raise forms.ValidationError("Expected at least one outcome.")
        except Refused as error:
            raise forms.ValidationError(str(error)) from error
        return text

    def asked(self) -> PlannedTest:
        """Return the argument of `create_ab_test`."""
        return PlannedTest(**self.cleaned_data)


class UsersForm(MapMixin, FileForm):
    """A file of users or sessions, with all users so far."""

    table = AB_TEST

    is_end = forms.BooleanField(
        required=False,
        label="The test has ended as planned",
        help_text="Without this, the file is a look before the end, and stays one.",
    )
    field_order = ["file", "is_end", "map"]


class SizeForm(forms.Form):
    """What an A/B test can find: a question, nothing is stored."""

    users = forms.IntegerField(min_value=2, max_value=MOST_USERS, initial=10_000, label="Users in all")
    deviation = forms.FloatField(
        min_value=1e-9,
        max_value=1e12,
        initial=1,
        label="Standard deviation of a user",
        help_text="Of a share p: the root of p (1 − p), at most 0.5.",
    )
    share = forms.FloatField(
        min_value=0.01, max_value=0.99, initial=0.5, label="Share of the users who see the variant"
    )
    alpha = forms.FloatField(min_value=0.0001, max_value=0.5, initial=0.05, label="Alpha, two-sided")
    power = forms.FloatField(min_value=0.5, max_value=0.999, initial=0.8, label="Power")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        users, share = data.get("users"), data.get("share")
        if users and share and users * min(share, 1 - share) < 1:
            raise forms.ValidationError("Expected at least one user of each variant.")
        return data
