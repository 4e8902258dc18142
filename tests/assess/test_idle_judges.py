from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from assess.forecast import JudgeTopic, idle_judges, time_ago

NOW = datetime(2025, 3, 7, 12)
LAST_WEEK, TODAY = NOW - timedelta(days=6, hours=1), NOW - timedelta(hours=2)


def test_judges_without_activity_for_days_and_with_open_documents_are_idle_longest_first() -> None:
    found = idle_judges(
        [
            JudgeTopic("T. Rieder", "18", 144, LAST_WEEK, NOW - timedelta(days=4, hours=5)),
            JudgeTopic("M. Sato", "3", 1, LAST_WEEK, LAST_WEEK),
        ],
        NOW,
    )
    assert [each.sentence for each in found] == [
        "M. Sato was last seen 6 days ago: 1 document left in topic 3.",
        "T. Rieder was last seen 4 days ago: 144 documents left in topic 18.",
    ]
    assert found[1].topics == ["18"] and found[1].left == 144


def test_a_judge_who_works_at_any_topic_is_not_idle() -> None:
    assert (
        idle_judges(
            [JudgeTopic("a", "1", 9, LAST_WEEK, LAST_WEEK), JudgeTopic("a", "2", 9, LAST_WEEK, TODAY)], NOW
        )
        == []
    )


def test_a_judge_without_open_documents_is_not_idle() -> None:
    assert idle_judges([JudgeTopic("a", "1", 0, LAST_WEEK, LAST_WEEK)], NOW) == []


def test_a_judge_with_a_topic_since_today_is_not_idle() -> None:
    assert idle_judges([JudgeTopic("a", "1", 9, TODAY, None)], NOW) == []


def test_many_topics_are_counted_and_not_listed() -> None:
    (found,) = idle_judges([JudgeTopic("a", str(n), 2, LAST_WEEK, LAST_WEEK) for n in range(9)], NOW)
    assert found.sentence.endswith("18 documents left in topics 0, 1, 2, 3, 4 and 4 more.")


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=59), "now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=400), "400 days ago"),
        (timedelta(seconds=-5), "now"),
    ],
)
def test_how_long_ago(span: timedelta, words: str) -> None:
    assert time_ago(span) == words
