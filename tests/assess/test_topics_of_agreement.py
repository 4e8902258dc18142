"""After a label one topic is worked out anew, and all come out as if every one had been."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from assess.kappa import Coefficient, Labels, by_topic, coefficients, labels_of
from assess.kappa.definition import Definition
from assess.queries import agreements
from assess.queries.agreements import OF_TOPIC, Scope
from assess.queries.juries import Jury
from pooling.models import Campaign

TOPICS = ("1", "1", "1", "2", "2", "3")
CAMPAIGN = Campaign(pk=1)


def scope_of(labels: Labels) -> Scope:
    return Scope(CAMPAIGN, Jury(labels, frozenset(), {}, 0), "")


def of_topics(scope: Scope) -> dict[str, list[Coefficient]]:
    return agreements._of_topics(scope, "shown", OF_TOPIC)


@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(-1, 2))))
@settings(max_examples=40)
def test_what_is_kept_by_topic_is_what_every_topic_gives(
    seed: int, presses: list[tuple[int, int, int]]
) -> None:
    places = default_rng(seed).integers(-1, 3, (3, len(TOPICS)))
    for judge, item, place in [(0, 0, 0), *presses]:
        places[judge, item] = place
        labels = labels_of(places, [0, 1, 2], topic=TOPICS, items=range(len(TOPICS)))
        scope = scope_of(labels)
        assert repr(of_topics(scope)) == repr(by_topic(scope.labels, OF_TOPIC))


def test_only_the_topic_of_a_new_label_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    places = default_rng(7).integers(0, 3, (3, len(TOPICS)))
    of_topics(scope_of(labels_of(places, [0, 1, 2], topic=TOPICS)))
    places[1, 4] = (places[1, 4] + 1) % 3
    asked: list[tuple[str, ...]] = []

    def noted(labels: Labels, definitions: tuple[Definition, ...]) -> list[Coefficient]:
        asked.append(labels.topics)
        return coefficients(labels, definitions)

    monkeypatch.setattr(agreements, "coefficients", noted)
    of_topics(scope_of(labels_of(places, [0, 1, 2], topic=TOPICS)))
    assert asked == [("2",)]
