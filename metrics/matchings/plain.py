"""The result of a matching as plain values, for files and the API."""

from __future__ import annotations

from typing import Any

from metrics.matchings.result import MatchingResult


def plain(result: MatchingResult) -> dict[str, Any]:
    """Return the figures of the page of results, as JSON has them."""
    named = [column.name for column in result.ordered.columns]
    pair = result.agreement
    return {
        "labels": result.labels,
        "judges": result.judges,
        "answers": result.answers,
        "complete": result.complete,
        "measures": [
            {
                "name": column.name,
                "meaning": column.meaning,
                "topics": column.topics,
                "undefined": column.undefined,
            }
            for column in result.ordered.columns
        ],
        "runs": [
            {
                "run": run,
                "groups": letters,
                "scores": [
                    {"measure": name, **mean._asdict()}
                    for name, mean in zip(named, means, strict=True)
                    if mean
                ],
            }
            for run, means, letters in result.ordered.rows
        ],
        "settled": result.settled,
        "doubled": pair.kappa.n,
        "same": pair.same,
        "kappa": pair.kappa.value,
        "kappa_strict": pair.strict.value,
    }
