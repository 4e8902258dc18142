from __future__ import annotations

from dataclasses import replace

import pytest

from pooling.quality.saturation import DepthLevel
from pooling.quality.verdict import Evidence, JudgmentUse, TopicCounts, verdict

SOUND = Evidence(
    {"1": TopicCounts(90, 20), "2": TopicCounts(60, 12)},
    {"r": 0.1, "s": 0.0},
    newcomers={"r": 0.12, "s": 0.08},
    tau=0.95,
)


@pytest.mark.parametrize(
    ("evidence", "use", "rule"),
    [
        (SOUND, JudgmentUse.NEW_SYSTEMS, "tau 0.950, above 0.9"),
        (
            SOUND,
            JudgmentUse.NEW_SYSTEMS,
            "without the group's own documents mean unjudged@10 0.100, at most 0.1",
        ),
        (
            replace(SOUND, newcomers={"r": 0.3, "s": 0.1}),
            JudgmentUse.PARTICIPANTS,
            "unjudged@10 0.200, above 0.1",
        ),
        (replace(SOUND, newcomers={}), JudgmentUse.PARTICIPANTS, "leave-one-group-out was not computed"),
        (replace(SOUND, tau=0.9), JudgmentUse.PARTICIPANTS, "tau 0.900, not above 0.9"),
        (replace(SOUND, tau=None), JudgmentUse.PARTICIPANTS, "leave-one-group-out was not computed"),
        (
            replace(SOUND, unjudged={"r": 0.101}),
            JudgmentUse.HOLES,
            "unjudged@10 of every run at most 0.1; the worst",
        ),
        (replace(SOUND, unjudged={}), JudgmentUse.UNKNOWN, "no run to look at"),
        (replace(SOUND, topics={"1": TopicCounts(0, 0)}), JudgmentUse.UNKNOWN, "no judged document"),
    ],
)
def test_the_use_of_judgments_follows_from_a_rule_that_is_said(
    evidence: Evidence, use: JudgmentUse, rule: str
) -> None:
    found = verdict(evidence)
    assert found.use == use
    assert rule in found.rule


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (
            replace(SOUND, unjudged={"r": 0.2, "s": 0.3}),
            "2 runs with many unjudged documents: s 0.300, r 0.200",
        ),
        (
            replace(SOUND, topics={"7": TopicCounts(0, 0), "8": TopicCounts(9, 3)}),
            "topics without a judged document: 7",
        ),
        (replace(SOUND, topics={"7": TopicCounts(9, 0)}), "topics without a relevant document: 7"),
        (replace(SOUND, topics={"7": TopicCounts(9, 2)}), "topics with 1 or 2 relevant documents: 7"),
        (replace(SOUND, topics={"7": TopicCounts(9, 4)}), "topics with more than a third relevant: 7"),
        (replace(SOUND, newcomers={"r": 0.2}), "a run of a new group would have unjudged@10 of 0.200"),
        (replace(SOUND, tau=0.85), "the ranking without its own group is alike, not equivalent"),
        (replace(SOUND, tau=0.79), "the ranking without its own group is noticeably different"),
        (replace(SOUND, losses={"r": 0.02, "s": 0.2}), "s loses 20.0% of its score (mean 11.0%)"),
        (replace(SOUND, deepest=DepthLevel(10, 40, 1)), "depth 10 added 1 relevant document among 40"),
        (replace(SOUND, deepest=DepthLevel(10, 40, 3)), "depth 10 added 3 relevant documents among 40"),
    ],
)
def test_what_needs_a_look_is_found_and_stands_first(evidence: Evidence, words: str) -> None:
    first = verdict(evidence).findings[0]
    assert not first.good
    assert words in first.words
    assert first.rule


@pytest.mark.parametrize("counts", [TopicCounts(9, 3), TopicCounts(100, 3)])
def test_a_third_relevant_is_not_too_much_and_three_are_not_too_few(counts: TopicCounts) -> None:
    assert all(finding.good for finding in verdict(replace(SOUND, topics={"7": counts})).findings)


def test_of_many_topics_five_are_named() -> None:
    topics = {f"{number:02}": TopicCounts(9, 0) for number in range(12)}
    assert verdict(replace(SOUND, topics=topics)).findings[0].words.endswith("00, 01, 02, 03, 04 and 7 more")
