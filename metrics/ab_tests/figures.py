"""The figures of a file as they are stored: counts, means and variances, without users."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from metrics.ab_tests.by_user import Population, Sample, population_of
from metrics.ab_tests.reader import UserFile


def figures_of(read: UserFile) -> dict[str, Any]:
    """Return the figures of a file, as JSON has them."""
    population = population_of(read.rows, read.outcomes)
    return {
        "users": dict(population.users),
        "rows": dict(population.rows),
        "both": population.both,
        "samples": {
            outcome: {variant: list(sample) for variant, sample in of_variants.items()}
            for outcome, of_variants in population.samples.items()
        },
        "first": read.first.isoformat() if read.first else None,
        "last": read.last.isoformat() if read.last else None,
        "note": read.note,
    }


def population_from(figures: dict[str, Any]) -> Population:
    """Return the population that was stored."""
    samples = {
        outcome: {variant: Sample(*sample) for variant, sample in of_variants.items()}
        for outcome, of_variants in figures["samples"].items()
    }
    return Population(figures["users"], figures["rows"], figures["both"], samples)


def times_of(figures: dict[str, Any]) -> tuple[datetime, datetime] | None:
    """Return the first and the last time stamp of a file; None for one without."""
    if not figures["first"]:
        return None
    return datetime.fromisoformat(figures["first"]), datetime.fromisoformat(figures["last"])
