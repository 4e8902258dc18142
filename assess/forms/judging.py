"""What a judge's page sends: the outbox payload, and the form of one label."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django import forms

from accounts.models import User
from assess.models import JudgmentEvent
from assess.queries.own_labels import topics_with_labels
from assess.services.judging import SubmittedJudgment
from pooling.models import Campaign
from pooling.refusals import Refused

MAX_LABELS = 100
MAX_CARDS = 50
MAX_CARDS_ON_PAGE = 500  # pages request a few at a time


@dataclass(frozen=True)
class OutboxPayload:
    """Labels in the order of the presses, each as the fields of a form.

    judge: key of the user who was signed in when they were pressed. topic: number of the topic whose next
    cards are requested. have: keys of the cards on the page. want: how many cards the page should have; 0
    requests none. query: the filters of the adjudication page, as in its address.
    """

    judge: int
    topic: str
    have: tuple[int, ...]
    want: int
    labels: tuple[dict[str, Any], ...]
    query: str = ""


def parse_payload(body: bytes) -> OutboxPayload:
    """Parse the payload. Raises Refused with what was expected.

    >>> parse_payload(b'{"judge": 1, "topic": "7", "have": [4], "want": 3, "labels": []}').have
    (4,)
    """
    try:
        payload = json.loads(body.decode())
        if b"\\u" in body:  # only an escape can encode a lone surrogate in UTF-8
            payload = _replace_surrogates(payload)
    except (ValueError, RecursionError) as error:
        raise Refused(f"expected JSON ({error})") from None
    if not isinstance(payload, dict):
        raise Refused(f"expected an object with labels, found {type(payload).__name__}")
    have, labels = _required_list(payload, "have", int), _required_list(payload, "labels", dict)
    if len(labels) > MAX_LABELS:
        raise Refused(f"expected at most {MAX_LABELS} labels at once, found {len(labels)}")
    if len(have) > MAX_CARDS_ON_PAGE:
        raise Refused(f"expected at most {MAX_CARDS_ON_PAGE} cards on a page, found {len(have)}")
    want, judge = (
        min(_required_value(payload, "want", int), MAX_CARDS),
        _required_value(payload, "judge", int),
    )
    topic, query = _required_value(payload, "topic", str), str(payload.get("query", ""))
    return OutboxPayload(judge, topic, tuple(have), want, tuple(labels), query)


def _replace_surrogates(value: Any) -> Any:
    """Replace lone surrogates by U+FFFD: the browser may have cut a text inside a character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_replace_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {_replace_surrogates(name): _replace_surrogates(each) for name, each in value.items()}
    return value


def _required_value(payload: dict[str, Any], name: str, kind: type) -> Any:
    value = payload.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Refused(f"{name}: expected {kind.__name__}, found {value!r:.40}")
    return value


def _required_list(payload: dict[str, Any], name: str, kind: type) -> list[Any]:
    values = payload.get(name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise Refused(f"{name}: expected a list of {kind.__name__}, found {values!r:.40}")
    return values


class StrictDecoder(json.JSONDecoder):
    """Raises JSONDecodeError also for JSON that is nested too deeply or has numbers that are too long."""

    def decode(self, s: str, *args: Any) -> Any:
        try:
            return super().decode(s, *args)
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


class JudgmentForm(forms.Form):
    """One action on the judging screen: a grade, the reason why there is no grade, or *later*."""

    uuid = forms.UUIDField()
    docno = forms.CharField(max_length=200)
    text_hash = forms.CharField(max_length=64)
    relevance = forms.CharField(required=False)
    reason = forms.ChoiceField(choices=[("", ""), *JudgmentEvent.Reason.choices], required=False)
    later = forms.BooleanField(required=False)
    postponed = forms.IntegerField(min_value=0, required=False)
    comment = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    active_seconds = forms.FloatField(min_value=0, max_value=86_400, required=False)
    seconds_ago = forms.FloatField(required=False)
    highlighted = forms.NullBooleanField(required=False)
    unsure = forms.BooleanField(required=False)
    read = forms.ChoiceField(choices=[("", ""), *JudgmentEvent.Read.choices], required=False)
    evidence = forms.JSONField(required=False, decoder=StrictDecoder)
    suggestion = forms.CharField(max_length=200, required=False)

    def __init__(self, data: Any, *, campaign: Campaign) -> None:
        super().__init__(data)
        self.grades = {str(grade.value): grade.value for grade in campaign.grades}

    def clean_relevance(self) -> int | None:
        relevance: str = self.cleaned_data["relevance"]
        if relevance and relevance not in self.grades:
            raise forms.ValidationError(f"{relevance} is not a grade of the scale of this campaign.")
        return self.grades.get(relevance)

    def clean_evidence(self) -> dict[str, Any] | None:
        evidence = self.cleaned_data["evidence"]
        if evidence is None:
            return None
        kinds = {"quote": str, "paragraph": int, "start": int}
        if not isinstance(evidence, dict) or {name: type(value) for name, value in evidence.items()} != kinds:
            raise forms.ValidationError(
                "Evidence must have a quote, the number of its paragraph and its start in that paragraph."
            )
        return evidence | {"quote": evidence["quote"][:5000]}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        answers = [data.get("relevance") is not None, bool(data.get("reason")), bool(data.get("later"))]
        if not self.errors and sum(answers) != 1:
            raise forms.ValidationError(
                "Send exactly one of these: a grade, a reason why you cannot judge, or “later”."
            )
        return data

    def press(self) -> SubmittedJudgment:
        return SubmittedJudgment(**{field: self.cleaned_data[field] for field in SubmittedJudgment._fields})


class OwnTermForm(forms.Form):
    """A word or phrase that a judge wants to see highlighted, or no longer."""

    term = forms.CharField(max_length=100)
    wanted = forms.BooleanField(required=False)


class MyLabelsForm(forms.Form):
    """Filters of a judge's own labels. An invalid value filters nothing."""

    topic = forms.ChoiceField(required=False, label="Topic")
    grade = forms.ChoiceField(required=False, label="Grade")
    text = forms.CharField(required=False, max_length=200, label="Docno, title or comment contains")
    remarks = forms.BooleanField(required=False, label="Only with comment or evidence")
    unsure = forms.BooleanField(required=False, label="Only unsure")

    def __init__(self, *args: Any, campaign: Campaign, judge: User) -> None:
        super().__init__(*args)
        topics = [(topic.number, f"{topic}") for topic in topics_with_labels(judge, campaign)]
        grades = [(f"{grade.value}", f"{grade.value} {grade.label}") for grade in reversed(campaign.grades)]
        choices = {
            "topic": [("", "All topics"), *topics],
            "grade": [("", "All grades"), *grades, ("none", "Cannot judge")],
        }
        for name, values in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = values

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data
