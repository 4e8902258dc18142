from __future__ import annotations

from decimal import Decimal

from django import forms
from django.core.validators import RegexValidator
from django.http import QueryDict

from pooling.forms.edits import EditMixin
from pooling.models import Campaign, Role

MOST = Decimal("999999.99")


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
