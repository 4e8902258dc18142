"""The form by which the requests of a labelling are sent to an endpoint."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from assess.models import MachineLabelling, MachineRequest
from assess.services.endpoint_requests import AskingDetails

MOST_PARALLEL = 8
FOR_A_MILLION = "For a million tokens. Empty if no price is known."


class AskingForm(forms.Form):
    endpoint = forms.ChoiceField()
    requests = forms.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        label="Most requests",
        help_text="Those sent before count, and each time that one is sent again without an answer.",
    )
    input_price = forms.DecimalField(
        required=False, min_value=0, max_digits=10, decimal_places=4, label="Price of tokens sent",
        help_text=FOR_A_MILLION,
    )  # fmt: skip
    output_price = forms.DecimalField(
        required=False, min_value=0, max_digits=10, decimal_places=4, label="Price of tokens received",
        help_text=FOR_A_MILLION,
    )  # fmt: skip
    ceiling = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=2,
        label="Ceiling of the cost",
        help_text="No request is sent that could pass it. Enter both prices with it. Without prices only the "
        "number of requests is limited.",
    )
    parallel = forms.IntegerField(
        min_value=1, max_value=MOST_PARALLEL, initial=4, label="Requests at the same time"
    )

    def __init__(self, data: Any = None, *, labelling: MachineLabelling) -> None:
        waiting = labelling.requests.filter(state=MachineRequest.State.WAITING).count()
        names = ("endpoint", "input_price", "output_price", "ceiling")
        sent = labelling.requests.filter(charged_requests__gt=0).count()
        initial = {name: getattr(labelling, name) for name in names} | {"requests": waiting + sent}
        super().__init__(data, initial=initial)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (name, f"{name} ({endpoint.address})") for name, endpoint in settings.ENDPOINTS.items()
        ]

    def details(self) -> AskingDetails:
        return AskingDetails(**self.cleaned_data)
