"""The result of a grading as plain values, for files and the API."""

from __future__ import annotations

from typing import Any

from metrics.gradings.result import GradingResult


def plain(result: GradingResult) -> dict[str, Any]:
    """Return the figures of the page of results, as JSON has them."""
    names = [check.scale.name for check in result.checks]
    return {
        "topics": result.topics,
        "left_out": result.left_out,
        "answers": result.answers,
        "judges": result.judges,
        "runs": [
            {
                "run": run,
                "means": [
                    {"criterion": name, **mean._asdict()} for name, mean in zip(names, means, strict=True)
                ],
            }
            for run, means in result.rows
        ],
        "checks": [
            {
                "criterion": check.scale.name,
                "counts": check.counts,
                "doubled": check.doubled,
                "same": check.same,
                "alpha": check.alpha.value,
                "alpha_reason": check.alpha.reason,
            }
            for check in result.checks
        ],
    }
