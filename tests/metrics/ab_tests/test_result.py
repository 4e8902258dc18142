"""The result of an A/B test: corrected lines, the words of the verdict, the checks and the drawing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import jurypool as jp
from assess.corrections import holm
from metrics.ab_tests.by_user import Population, Sample, population_of
from metrics.ab_tests.checks import ALERT, GOOD, WARNING, checks_of
from metrics.ab_tests.drawing import HALF, MIDDLE, drawing_of
from metrics.ab_tests.figures import figures_of, population_from
from metrics.ab_tests.outcomes import NOT_SHOWN, parse_outcomes
from metrics.ab_tests.reader import read_users
from metrics.ab_tests.result import COLUMNS, ABTestPlan, Result, result_of, table_rows, verdict_of

OUTCOMES = parse_outcomes(
    "clicks: more, sum\nabandoned: fewer, any\nseconds: fewer, mean\nsize: neither, mean"
)
N = 1000
CONTROL = {
    "clicks": Sample(N, 2.0, 4.0),
    "abandoned": Sample(N, 0.3, 0.21),
    "seconds": Sample(700, 15.0, 100.0),
    "size": Sample(N, 5.0, 1.0),
}
TREATED = {
    "clicks": Sample(N, 2.5, 4.0),
    "abandoned": Sample(N, 0.4, 0.24),
    "seconds": Sample(700, 14.8, 100.0),
    "size": Sample(N, 5.5, 1.0),
}


def result(
    users: tuple[int, int] = (N, N), sequential: bool = False, both: int = 0, planned: int = 2 * N
) -> Result:
    samples = {name: {"A": CONTROL[name], "B": TREATED[name]} for name in CONTROL}
    found = Population(dict(zip("AB", users, strict=True)), {}, both, samples)
    return result_of(ABTestPlan("A", {"A": 1.0, "B": 1.0}, planned, OUTCOMES), found, sequential)


def test_each_outcome_has_a_corrected_p_and_a_word() -> None:
    found = result()
    assert [line.shown for line in found.lines] == ["better", "worse", NOT_SHOWN, "higher"]
    assert [line.corrected for line in found.lines] == list(holm([line.fixed.p for line in found.lines]).p)
    assert found.comparisons == 4
    assert found.lines[0].relative == pytest.approx((0.25, 0.1623, 0.3377), abs=1e-4)
    assert found.lines[0].detectable == pytest.approx(2.8016 * np.sqrt(8 / N), rel=1e-4)


def test_the_verdict_says_what_is_shown_and_what_is_not() -> None:
    assert verdict_of(result()) == (
        "B is better in clicks, worse in abandoned and higher in size than A.",
        "A difference in seconds is not shown after correction for 4 comparisons.",
    )
    assert verdict_of(result((700, 1300))).lead.startswith("The users are not split as planned")
    same = result_of(
        ABTestPlan("A", {"A": 1.0, "B": 1.0}, N, OUTCOMES[:1]),
        Population({"A": N, "B": N}, {}, 0, {"clicks": {"A": CONTROL["clicks"], "B": CONTROL["clicks"]}}),
        False,
    )
    assert verdict_of(same).lead == "No difference is shown."


def test_looks_before_the_end_widen_the_intervals() -> None:
    fixed, anytime = result(), result(sequential=True)
    for one, other in zip(fixed.lines, anytime.lines, strict=True):
        assert one.high is not None and other.high is not None and other.high > one.high
        assert one.p is not None and other.p is not None and other.p > one.p
    assert anytime.lines[0].shown == "better"
    few = {"clicks": {"A": Sample(50, 1.0, 1.0), "B": Sample(50, 9.0, 1.0)}}
    plan = ABTestPlan("A", {"A": 1.0, "B": 1.0}, N, OUTCOMES[:1])
    (line,) = result_of(plan, Population({"A": 50, "B": 50}, {}, 0, few), True).lines
    assert (line.p, line.shown, line.reason) == (None, NOT_SHOWN, "fewer than 100 users of a variant")


def test_several_variants_are_corrected_together() -> None:
    samples = {"clicks": {"A": CONTROL["clicks"], "B": TREATED["clicks"], "C": CONTROL["clicks"]}}
    plan = ABTestPlan("A", {"A": 2.0, "B": 1.0, "C": 1.0}, N, OUTCOMES[:1])
    found = result_of(plan, Population({"A": 2 * N, "B": N, "C": N}, {}, 0, samples), False)
    assert [(line.variant, line.shown) for line in found.lines] == [("B", "better"), ("C", NOT_SHOWN)]
    assert (found.comparisons, found.split.test) == (2, "chi-squared test")
    assert verdict_of(found).lead == "B is better in clicks than A."


def test_a_variant_without_users_is_named_and_not_tested() -> None:
    samples = {"clicks": {"A": CONTROL["clicks"]}}
    found = result_of(
        ABTestPlan("A", {"A": 1.0, "B": 1.0}, N, OUTCOMES[:1]), Population({"A": N}, {}, 0, samples), False
    )
    assert found.split.is_mismatch and found.lines[0].p is None and found.lines[0].reason


def test_the_checks_come_with_their_weight() -> None:
    good = checks_of(result(), 0, True)
    assert [each.style for each in good] == [GOOD] * 4
    assert "7.6 % more or fewer" in good[0].text
    bad = checks_of(result((700, 1300), True, both=3, planned=5000), 2, False)
    assert [each.style for each in bad] == [ALERT, WARNING, WARNING, WARNING]
    assert bad[1].lead == "2 looks before the end, this one among them."
    assert bad[3].lead == "3 users saw several variants."


def test_the_drawing_has_its_zero_in_the_middle_and_holds_every_interval() -> None:
    drawing = drawing_of(result().lines, several=False)
    assert drawing and [line.label for line in drawing.lines] == ["clicks", "abandoned", "seconds", "size"]
    for line in drawing.lines:
        assert MIDDLE - HALF <= line.low <= line.middle <= line.high <= MIDDLE + HALF
    assert drawing.lines[0].middle > MIDDLE > drawing.lines[2].middle
    assert [tick.label for tick in drawing.ticks] == ["−50 %", "−25 %", "0 %", "25 %", "50 %"]
    assert drawing_of([], several=False) is None


def test_figures_are_stored_as_json_and_come_back() -> None:
    read = read_users(b"variant,user,clicks\nA,u1,1\nB,u2,2\nA,u3,4\nB,u3,4\nA,u4,2\n")
    stored = json.loads(json.dumps(figures_of(read)))
    assert population_from(stored) == population_of(read.rows, read.outcomes)
    assert stored["both"] == 1 and "u1" not in json.dumps(stored)


def test_the_table_of_files_has_every_column() -> None:
    (row, *_) = table_rows(result())
    assert tuple(row) == COLUMNS
    assert (row["outcome"], row["figure"], row["shown"]) == ("clicks", "sum of a user", "better")


def test_the_library_gives_the_same_figures() -> None:
    random = np.random.default_rng(8)
    rows = [
        {"variant": variant, "user": f"{variant}{user}", "clicks": int(random.poisson(rate))}
        for variant, rate in (("new", 1.4), ("old", 1.0))
        for user in range(400)
    ]
    found = jp.ab_test(rows, control="old", outcomes={"clicks": "more, sum"})
    (line,) = found.lines
    assert (line.variant, line.shown, found.users) == ("new", "better", {"new": 400, "old": 400})
    assert found.verdict == "new is better in clicks than old."
    early = jp.ab_test(rows, control="old", outcomes=["clicks"], looked_early=True, planned=1600)
    assert early.sequential and (early.lines[0].p or 0) > (line.p or 0)
    assert found.to_dicts()[0]["p"] == line.p
    for wrong in (
        {"control": "other"},
        {"looked_early": True},
        {"planned": 1},
        {"shares": {"old": 1, "third": 1}},
        {"outcomes": ["nothing"]},
    ):
        with pytest.raises(jp.Refused):
            jp.ab_test(rows, **wrong)
    with pytest.raises(jp.Refused, match="row 2: expected a dictionary"):
        jp.ab_test([rows[0], 7])  # type: ignore[list-item]


def test_the_library_reads_a_file(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "users.tsv"
    path.write_bytes(b"variant\tuser\tclicks\nA\tu1\t1\nB\tu2\tmany\n")
    with pytest.raises(jp.BadLine, match="users.tsv, line 3: expected a number"):
        jp.ab_test(path)


def test_the_check_of_a_split_never_speaks_of_more_users_than_there_are() -> None:
    few = checks_of(result((4, 5), True), 0, True)[0]
    assert few.style == WARNING and few.lead == "Too few users to check the split."
    assert "100" not in few.text and "more or fewer" not in few.text
