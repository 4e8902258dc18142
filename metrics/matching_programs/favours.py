"""Whether a program favours the answers of some runs, such as those of its own model: circularity by system.

The test of `metrics.machine_audits.circularity` takes documents as independent. Labels of one answer are not,
so that here each topic gives one value of a run, and topics are what is drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assess.corrections import holm
from assess.nuggets.assignments import Assignment
from metrics.machine_audits.intervals import Estimate
from metrics.matching_programs.agreement import Cell, cell_of
from metrics.matching_programs.differences import topic_mean
from metrics.matchings.result import MatchedNugget
from metrics.nuggets.scores import CREDIT
from metrics.significance.intervals import LEAST_TOPICS
from metrics.significance.resampling import randomisation_test
from pooling.arrays import Vector

NO_OTHER = "no topic has labels of people that are the same for this run and another one"
SIGNIFICANT = 0.05


class RunError(NamedTuple):
    """How a program treats a run.

    error: mean over topics of the credit by the program less that by people. over_rating: how much more
    credit it gives to nuggets of this run than to those of other runs of the same topic to which people gave
    the same label; below 0 less. Credit is 1 for support, 1/2 for partial and 0 otherwise. p: of the
    randomisation test over topics, two-sided; corrected: after Holm, for all runs. p is None where undefined.
    """

    run: str
    error: Estimate
    over_rating: Estimate
    p: float | None
    corrected: float | None = None

    @property
    def significant(self) -> bool:
        return self.corrected is not None and self.corrected <= SIGNIFICANT

    @property
    def is_enough(self) -> bool:
        """Whether there are as many topics as an interval needs."""
        return self.over_rating.sampled >= LEAST_TOPICS


def run_errors(
    program: Mapping[Cell, Assignment], people: Sequence[MatchedNugget], runs: Sequence[str]
) -> list[RunError]:
    """Return how the program treats each run, in the order given; each label of a person counts.

    In a topic, over-rating is the weighted mean over people's labels s of (mean credit by the program to the
    run's nuggets labelled s - mean of the others'), with weights n m / (n + m), n and m the numbers of
    either. A run with better answers is not taken for a favoured one, if people's labels are right. The mean
    over topics has a bootstrap-t interval; p is of Fisher's randomisation test, which flips signs of topics.
    """
    common = [each for each in people if cell_of(each) in program]
    errors: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    strata: dict[str, dict[Assignment, list[tuple[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for each in common:
        credit = CREDIT.get(program[cell_of(each)], 0.0)
        errors[each.run][each.topic].append(credit - CREDIT.get(each.assignment, 0.0))
        strata[each.topic][each.assignment].append((each.run, credit))
    errors_of_runs = []
    for run in runs:
        own = np.array([np.mean(values) for values in errors[run].values()])
        rated = np.array(
            [value for topic in strata.values() if (value := over_rating(topic, run)) is not None]
        )
        p = randomisation_test(rated, np.zeros(len(rated))).p if len(rated) >= LEAST_TOPICS else None
        errors_of_runs.append(
            RunError(
                run,
                topic_mean(own, "no label of people is on a nugget of this run that the program labelled"),
                topic_mean(rated, NO_OTHER),
                p,
            )
        )
    corrected = holm([each.p for each in errors_of_runs]).p
    return [each._replace(corrected=p) for each, p in zip(errors_of_runs, corrected, strict=True)]


def over_rating(labels: Mapping[Assignment, Sequence[tuple[str, float]]], run: str) -> float | None:
    """Return the over-rating of a run in one topic. labels: people's label -> (run, credit by the program).

    None where no label of people is on nuggets of the run and of another one.

    >>> over_rating({Assignment.NONE: [("a", 1.0), ("a", 0.0), ("b", 0.0)]}, "a")
    0.5
    """
    total = weights = 0.0
    for given in labels.values():
        own: Vector = np.array([credit for name, credit in given if name == run])
        others: Vector = np.array([credit for name, credit in given if name != run])
        if len(own) and len(others):
            weight = len(own) * len(others) / len(given)
            total += weight * float(own.mean() - others.mean())
            weights += weight
    return total / weights if weights else None
