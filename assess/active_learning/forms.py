"""The forms of reviews: load a collection, begin reviews, freeze a batch, stop."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.models import User
from assess.active_learning.progress import Adviser, proposed
from assess.active_learning.queries.collections import collections_with_files
from assess.active_learning.search_index import FoundDocument
from assess.active_learning.services.reviews import PlannedReviews
from assess.forms.judged_sets import offer
from assess.models import ReviewCollection
from assess.queries.people import judges_to_choose
from pooling.formats.topic_choice import ALL
from pooling.forms.topic_field import HINT, TopicsField, offer_topics
from pooling.models import Campaign, Topic

MOST_IN_A_BATCH = 1_000
MOST_SAMPLED = 100_000


class CollectionForm(forms.Form):
    """A file of documents, of any form that the page of documents takes."""

    file = forms.FileField(label="File of documents")


class ReviewsForm(forms.Form):
    """Topics that are reviewed over a collection, by whom, and with how large a random sample."""

    collection = forms.ModelChoiceField(
        ReviewCollection.objects.none(), to_field_name="number", empty_label=None
    )
    topics = TopicsField(
        help_text=f"{HINT} All are those without a review. Name a topic whose review was stopped"
        " to review it again."
    )
    judges = forms.ModelMultipleChoiceField(
        User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="They share the documents: each goes to one who is free.",
    )
    first_batch = forms.IntegerField(
        min_value=1,
        max_value=MOST_IN_A_BATCH,
        initial=10,
        label="Documents of the first batch",
        help_text="Each later batch has a tenth more, rounded up: 10, 11, 13, 15 and so on.",
    )
    cap = forms.IntegerField(
        min_value=2,
        max_value=MOST_IN_A_BATCH,
        required=False,
        label="Judged of each batch",
        help_text="Empty: all its documents (continuous active learning, CAL). A number, such as 30: at most"
        " so many random ones, which stand for the batch; the others are set aside, and what is relevant in"
        " them is estimated (scalable CAL, S-CAL).",
    )
    sample_size = forms.IntegerField(
        min_value=0,
        max_value=MOST_SAMPLED,
        initial=300,
        label="Random sample",
        help_text="Random documents of the whole collection, mixed with those that the model chooses: so many"
        " labels for each topic, less those that the model chooses as well. Only they say what share was"
        " found; with 0 nothing is said of recall. The table below shows what sizes would say: where few"
        " documents are relevant, also 300 give only a wide interval, and no promise. More can be drawn"
        " later, but after a draw that follows a label of the sample rules promise less: they hold in 90 of"
        " 100 samples, not 95 (S-CAL: 80, not 90).",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=lambda: secrets.randbelow(2**31),
        label="Random seed",
        help_text="The same seed and the same labels give the same documents.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        free = campaign.topics.exclude(pk__in=campaign.reviews.filter(stopped_at=None).values("topic"))
        offer_topics(self, campaign.topics.all(), set(free.values_list("number", flat=True)))
        collections, people = collections_with_files(campaign), judges_to_choose(campaign).distinct()
        offer(self, "collection", collections)
        offer(self, "judges", people)
        self.has_topics, self.has_judges = free.exists(), people.exists()
        self.reviewed = set(campaign.reviews.values_list("topic", flat=True))

    def clean_topics(self) -> list[Topic]:
        """Return the topics; "all" begins no second review of one."""
        topics: list[Topic] = self.cleaned_data["topics"]
        if str(self["topics"].value()).strip().lower() != ALL:
            return topics
        if new := [topic for topic in topics if topic.pk not in self.reviewed]:
            return new
        raise forms.ValidationError("Every topic had a review or has one: name those to review again.")

    def asked(self) -> PlannedReviews:
        data = self.cleaned_data
        return PlannedReviews(
            data["collection"],
            data["topics"],
            list(data["judges"]),
            data["first_batch"],
            data["sample_size"],
            data["seed"],
            data["cap"],
        )


class SimulationForm(forms.Form):
    """What is simulated: reviews of the topics with labels over a collection."""

    collection = forms.ModelChoiceField(
        ReviewCollection.objects.none(), to_field_name="number", empty_label=None
    )
    sample_size = forms.IntegerField(
        min_value=0, max_value=MOST_SAMPLED, initial=300, label="Random sample", help_text="Of each topic."
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=lambda: secrets.randbelow(2**31),
        label="Random seed",
        help_text="The same seed and the same labels give the same figures.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        offer(self, "collection", collections_with_files(campaign))

    def about(self) -> dict[str, int]:
        """Return the arguments of the job."""
        data = self.cleaned_data
        return {
            "collection": data["collection"].number,
            "sample_size": data["sample_size"],
            "seed": data["seed"],
        }


class BatchForm(forms.Form):
    """The number of the batch that the organiser asks for, so that a second press asks for the same one.

    is_sample_only: it has the rest of the random sample, and nothing that the model chooses.
    """

    number = forms.IntegerField(min_value=1, max_value=32_767)
    is_sample_only = forms.BooleanField(required=False)


class SampleForm(forms.Form):
    """More random documents of a review. drawn: how many the page has shown, so that a second press of the
    button asks for the same ones."""

    documents = forms.IntegerField(min_value=1, max_value=MOST_SAMPLED, initial=100, label="Random documents")
    drawn = forms.IntegerField(min_value=0, max_value=MOST_SAMPLED, widget=forms.HiddenInput)


class SearchForm(forms.Form):
    """A search of a judge in the collection of a topic."""

    words = forms.CharField(
        max_length=200,
        label="Words",
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
        help_text="Documents with all these words, in any form. A phrase in quotes is found as it stands.",
    )


class FoundForm(SearchForm):
    """The documents of a search that a judge adds to the own queue. rows: in the collection."""

    rows = forms.TypedMultipleChoiceField(
        coerce=int, label="Documents", error_messages={"required": "Choose documents to add."}
    )

    def __init__(self, *args: Any, found: Sequence[FoundDocument], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["rows"]
        assert isinstance(field, forms.TypedMultipleChoiceField)
        field.choices = [(each.row, each.docno) for each in found]


class StopForm(forms.Form):
    """The rule that the organiser relies on: one that advises to stop, or none."""

    rule = forms.ChoiceField(
        required=False,
        label="Rule that you rely on, and its promise",
        help_text="Only rules that advise to stop now; the promise of another one would not hold. The"
        " release states the rule and its promise; nothing else depends on it. A rule whose promise is “none”"
        " is stated as your reason, and promises no more than None does.",
    )

    def __init__(self, *args: Any, advisers: Sequence[Adviser], **options: Any) -> None:
        super().__init__(*args, **options)
        self.advisers = {self._value(each): each for each in advisers if each.advice.stop}
        rules = [(value, f"{each.title}: {each.promise}") for value, each in self.advisers.items()]
        field = self.fields["rule"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*rules, ("", "None: stopped without a promise")]
        first = proposed(advisers)
        field.initial = self._value(first) if first else ""

    @staticmethod
    def _value(adviser: Adviser) -> str:
        return f"{adviser.key} {adviser.target:g}"

    def chosen(self) -> Adviser | None:
        return self.advisers.get(self.cleaned_data["rule"])
