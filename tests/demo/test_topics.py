"""The demonstration's topics."""

from __future__ import annotations

import re

from pooling.formats.topics import TopicRecord as TopicText
from tests.demo.conftest import TOPICS


def test_there_are_28_topics_numbered_in_order(topics: list[TopicText]) -> None:
    assert [topic.number for topic in topics] == [str(number) for number in range(1, 29)]
    assert TOPICS.read_text(encoding="utf-8").count("<top>") == 28


def test_every_topic_has_all_its_parts_and_a_title_of_its_own(topics: list[TopicText]) -> None:
    assert all(all(topic) for topic in topics)
    assert len({topic.title for topic in topics}) == 28
    assert [topic.number for topic in topics if re.search(r"[<>&]", "".join(topic))] == []


def test_every_narrative_says_what_each_grade_means(topics: list[TopicText]) -> None:
    grades = {topic.number: re.findall(r"\b([0-3]): ", topic.narrative) for topic in topics}
    assert grades == {topic.number: ["3", "2", "1", "0"] for topic in topics}
