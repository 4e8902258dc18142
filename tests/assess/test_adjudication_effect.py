"""What settled grades come to, by hand and against invariants."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assess.adjudication import GradeChanges, JudgeShares, SettledCase, Share, adjudication_effect

CASES = [  # threshold 2
    SettledCase(
        {"ann": 0, "bo": 3}, 3
    ),  # with the higher; the majority's tie goes to 0: up, into the relevant
    SettledCase({"ann": 2, "bo": 2, "cy": 0}, 2),  # with two of three
    SettledCase({"ann": 3, "cy": 1}, 2),  # between
    SettledCase({"bo": 1, "cy": 2, "ann": 2}, 1),  # with the lower, against the majority: out of the relevant
    SettledCase({}, 2),  # nobody could judge it
]


def test_an_effect_worked_out_by_hand() -> None:
    found = adjudication_effect(CASES, threshold=2)
    assert found.settled == 5
    assert found.majority == Share(1, 2)
    assert (found.higher, found.lower) == (Share(2, 4), Share(1, 4))
    assert found.moves == GradeChanges(up=2, down=1, same=1, added=1, into=3, out=1)
    assert found.judges == [
        JudgeShares("ann", Share(3, 4), Share(1, 4), Share(2, 4)),
        JudgeShares("bo", Share(1, 3), Share(3, 3), Share(3, 3)),
        JudgeShares("cy", Share(2, 3), Share(0, 3), Share(0, 3)),
    ]
    assert (found.before, found.after) == (Share(6, 10), Share(4, 10))


def test_nothing_settled_has_no_effect() -> None:
    found = adjudication_effect([], threshold=1)
    assert found.settled == 0 and found.judges == [] and found.moves == GradeChanges(0, 0, 0, 0, 0, 0)
    assert found.majority == found.before == Share(0, 0)


settled_cases = st.builds(
    SettledCase,
    st.dictionaries(st.sampled_from(["ann", "bo", "cy"]), st.integers(0, 3), max_size=3),
    st.integers(0, 3),
)


@given(st.lists(settled_cases), st.integers(1, 3))
def test_every_case_moves_once_and_the_relevant_ones_add_up(cases: list[SettledCase], threshold: int) -> None:
    moves = adjudication_effect(cases, threshold).moves
    assert moves.up + moves.down + moves.same + moves.added == len(cases)
    middle = [sorted(case.grades.values()) for case in cases]
    before = sum(
        min(grades, key=lambda grade: (-grades.count(grade), grade)) >= threshold
        for grades in middle
        if grades
    )
    after = sum(case.settled >= threshold for case in cases)
    assert after - before == moves.into - moves.out


@given(st.lists(settled_cases), st.integers(1, 3))
def test_an_only_judge_agrees_with_the_majority(cases: list[SettledCase], threshold: int) -> None:
    alone = [SettledCase({"ann": grade}, case.settled) for case in cases for grade in case.grades.values()]
    found = adjudication_effect(alone, threshold)
    assert found.before.matching == found.before.total == len(alone)
    assert found.higher.total == 0
