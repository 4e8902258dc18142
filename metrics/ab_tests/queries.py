"""A/B tests of a campaign: their results, and the other evidence on which of two systems is better."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from assess.models import QrelsRelease
from assess.queries.release_plans import latest_visible_release
from metrics.ab_tests.checks import Finding, checks_of
from metrics.ab_tests.drawing import Drawing, drawing_of
from metrics.ab_tests.figures import population_from, times_of
from metrics.ab_tests.outcomes import parse_outcomes
from metrics.ab_tests.result import ABTestPlan, ABTestVerdict, Result, result_of, table_rows, verdict_of
from metrics.interleaving.agreement import Finding as Preferred
from metrics.interleaving.outcome import OutcomeCounts, preference, total
from metrics.models import ABTest, ABTestFile, Interleaving
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign

MOST_COMPARISONS = 20  # by interleaving, beside a result


def ab_tests_with_files(campaign: Campaign) -> QuerySet[ABTest]:
    """Return the tests with `file_count`, the number of files that are not withdrawn."""
    counts = Count("files", filter=Q(files__withdrawn_at=None))
    return campaign.ab_tests.annotate(file_count=counts)


def plan_of(test: ABTest) -> ABTestPlan:
    control = next(iter(test.parts))
    return ABTestPlan(control, test.parts, test.planned_users, parse_outcomes(test.outcomes))


class ABTestResult(NamedTuple):
    """The page of a test. result: of the newest file that is not withdrawn; None without one.

    looks: files before the end, withdrawn ones too, because they were seen.
    """

    plan: ABTestPlan
    files: list[ABTestFile]
    file: ABTestFile | None
    looks: int
    result: Result | None
    verdict: ABTestVerdict | None
    checks: list[Finding]
    drawing: Drawing | None
    times: tuple[datetime, datetime] | None


def ab_test_result(test: ABTest) -> ABTestResult:
    plan, files = plan_of(test), list(test.files.select_related("loaded_by"))
    file = next((each for each in reversed(files) if not each.withdrawn_at), None)
    looks = len({each.sha256 for each in files if not each.is_end})
    if file is None:
        return ABTestResult(plan, files, None, looks, None, None, [], None, None)
    result = result_of(plan, population_from(file.figures), sequential=looks > 0)
    drawing = drawing_of(result.lines, len(plan.treatments) > 1)
    return ABTestResult(
        plan, files, file, looks, result, verdict_of(result),
        checks_of(result, looks, file.is_end), drawing, times_of(file.figures),
    )  # fmt: skip


def result_as_json(test: ABTest, test_result: ABTestResult) -> dict[str, Any]:
    """Return the result with all digits."""
    result, file = test_result.result, test_result.file
    assert result and file and test_result.verdict
    return {
        "name": test.name,
        "control": result.plan.control,
        "shares": dict(result.plan.shares),
        "planned_users": result.plan.planned,
        "file": file.name,
        "sha256": file.sha256,
        "looks_before_the_end": test_result.looks,
        "sequential": result.sequential,
        "users": dict(result.split.users),
        "users_of_several_variants": result.population.both,
        "split": {"test": result.split.test, "p": result.split.p, "mismatch": result.split.is_mismatch},
        "comparisons": result.comparisons,
        "verdict": " ".join(part for part in test_result.verdict if part),
        "outcomes": table_rows(result),
    }


class Compared(NamedTuple):
    """A comparison by interleaving, and what it says in words."""

    interleaving: Interleaving
    sessions: int
    says: str


class Evidence(NamedTuple):
    """What else says which of two systems is better. release: whose leaderboard has the order by qrels."""

    compared: list[Compared]
    release: QrelsRelease | None


def other_evidence(campaign: Campaign) -> Evidence:
    """Return comparisons by interleaving with clicks, and the newest release. campaign: with `my_roles`."""
    rows = campaign.interleavings.select_related("run_a", "run_b").prefetch_related("clicks")
    compared = [_compared(row) for row in rows[:MOST_COMPARISONS]]
    return Evidence(compared, latest_visible_release(campaign))


def _compared(row: Interleaving) -> Compared:
    files = [file for file in row.clicks.all() if not file.withdrawn_at]
    counts = total(OutcomeCounts(*each) for file in files for each in file.counts.values())
    measured = preference(counts, row.method != Interleaving.Method.PROBABILISTIC)
    if measured.delta is None:
        return Compared(row, 0, "no clicks yet")
    users = Preferred(measured.delta, measured.p)
    says = "no preference is shown"
    if users.is_significant:
        says = f"users prefer {row.run_a.tag if users.sign > 0 else row.run_b.tag}"
    return Compared(row, counts.sessions, says if measured.p is None else f"{says}, p = {measured.p:.4f}")


def figure_faults(campaign: Campaign) -> Iterator[Faults]:
    """Yield the faults of each file: variants or outcomes that are not those of the plan."""
    for file in ABTestFile.objects.filter(ab_test__campaign=campaign).select_related("ab_test"):
        test = file.ab_test
        sides: dict[str, tuple[object, object]] = {
            "variants": (sorted(test.parts), sorted(file.figures.get("users", ()))),
            "outcomes": (
                sorted(each.name for each in parse_outcomes(test.outcomes)),
                sorted(file.figures.get("samples", ())),
            ),
        }
        yield differing("A/B test", str(file), sides)


CHECKS = (Check("A/B tests", figure_faults),)
