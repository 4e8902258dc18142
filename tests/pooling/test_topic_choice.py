"""Topics are chosen by number, by range or all together, in the order of the campaign."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from pooling.formats.topic_choice import chosen_topics
from pooling.forms.pools import PoolForm
from pooling.queries.reads import PoolingReads
from pooling.refusals import Refused
from tests.support.factory import Factory

NUMBERS = ["1", "2", "10", "3", "A-7", "A-8", "B", "2020-1", "2020-2"]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("all", NUMBERS),
        (" ALL ", NUMBERS),
        ("2", ["2"]),
        ("3 1,2", ["1", "2", "3"]),
        ("1, 2;\n10", ["1", "2", "10"]),
        ("1-3", ["1", "2", "3"]),
        ("1 - 3", ["1", "2", "3"]),
        ("1–50", ["1", "2", "10", "3"]),
        ("A-7", ["A-7"]),
        ("A-7-B", ["A-7", "A-8", "B"]),
        ("2020-1-2020-2", ["2020-1", "2020-2"]),
        ("2-3 B", ["2", "3", "B"]),
        ("1 all", NUMBERS),
    ],
)
def test_a_text_chooses_topics(text: str, chosen: list[str]) -> None:
    assert chosen_topics(text, NUMBERS) == chosen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Choose at least one topic"),
        (" , ", "Choose at least one topic"),
        ("1 73", "no topic 73"),
        ("20-30", "no topic 20-30"),
        ("A-7-C", "no topic C"),
        ("B-A-7", "its first end comes after its last one"),
        ("3-1", "no topic 3-1"),
        ("-", "no topic -"),
    ],
)
def test_what_chooses_no_topic_is_named(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        chosen_topics(text, NUMBERS)


def test_a_range_leaves_out_what_cannot_be_chosen_and_a_single_number_is_refused() -> None:
    assert chosen_topics("1-10", NUMBERS, usable={"2", "3"}) == ["2", "3"]
    assert chosen_topics("all", NUMBERS, usable={"2"}) == ["2"]
    for text in ("1", "1-1"):
        with pytest.raises(Refused, match="pooled document"):
            chosen_topics(text, NUMBERS, usable={"2"})


@pytest.mark.parametrize(
    ("query", "topics"),
    [
        ("", None),
        ("topics=all", None),
        ("topics=1-2", ("1", "2")),
        ("topics=all&topics=3", ("3",)),
        ("topics=&topics=2&topics=3", ("2", "3")),
        ("topics=1&topics=3", ("1", "3")),
        ("topics=1-3", None),
    ],
)
def test_ticks_replace_all_and_add_to_anything_else(
    query: str, topics: tuple[str, ...] | None, make: Factory
) -> None:
    campaign = make.make_campaign()
    for number in "123":
        make.make_topic(campaign, number)
    form = PoolForm(QueryDict(f"strategy=depth&seconds=30&{query}"), PoolingReads(campaign))
    assert form.is_valid() and form.plan().topics == topics
