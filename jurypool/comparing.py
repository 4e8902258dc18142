"""Significance tests between two runs and between all pairs of runs.

The tests are imported when they are used, because they need SciPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from metrics.measures.base import Measure
from metrics.measures.names import GRADED_MEASURES
from metrics.rankings.ranking import upward
from pooling.arrays import Matrix
from pooling.notebook import markup
from pooling.refusals import Refused

from .comparison import Comparison
from .reading import QrelsSource, RunSource, read_runs
from .results import Result, Results, paired_values
from .scoring import Measures, evaluate, measures_of

if TYPE_CHECKING:
    import pandas

    from metrics.significance.all_pairs import AllPairs
    from metrics.significance.paired import PairedTest

METHODS = ("tukey", "randomised-tukey", "t")
ALPHA = 0.05
PAIR_TEST = "randomisation"


@overload
def compare(runs: Result, qrels: Result, measures: str, test: str = ...) -> PairedTest: ...


@overload
def compare(
    runs: Mapping[str, RunSource] | Sequence[RunSource],
    qrels: QrelsSource,
    measures: Measures = ...,
    test: str = ...,
    *,
    alpha: float = ...,
    correction: str = ...,
    profile: str = ...,
    missing: str = ...,
    relevance: int = ...,
    collection_size: int | None = ...,
    ignore_identical_ids: bool = ...,
) -> Comparison: ...


def compare(
    runs: Any,
    qrels: Any,
    measures: Measures = GRADED_MEASURES,
    test: str = "",
    *,
    alpha: float = ALPHA,
    correction: str = "holm",
    **options: Any,
) -> PairedTest | Comparison:
    """Compare runs by measures, with a test of every pair; or two scored runs by one measure.

    Parameters
    ----------
    runs, qrels
        Several runs and the qrels, as `evaluate` takes them. Or what `evaluate` gave for two runs: the
        difference is the first less the second.
    measures
        As `evaluate` takes them; one measure, whose score is a mean over topics, for two scored runs.
    test
        Of several runs: as ``method`` of `significance`, ``"tukey"`` by default. Of two:
        ``"randomisation"`` (Fisher's, exact up to 16 topics; the default), ``"t"``, ``"bootstrap"``,
        ``"wilcoxon"`` or ``"sign"``, two-sided.
    alpha, correction
        Of several runs, as `significance` takes them.
    **options
        Of several runs: what else `evaluate` takes, such as ``relevance=2``.

    Returns
    -------
    Comparison or PairedTest
        Of several runs a `Comparison`: a table with letters, as text, HTML, LaTeX and Markdown. Of two a
        PairedTest, with ``difference``, ``p``, ``interval`` and ``n``; where p is None, ``reason`` says why.
        Its p is not corrected for other comparisons.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {str(topic): {"D1": 1} for topic in range(12)}
    >>> good = {topic: {"D1": 2.0, "D2": 1.0} for topic in qrels}
    >>> runs = {"poor": good | {topic: {"D2": 1.0} for topic in "02468"}, "good": good}
    >>> print(jp.compare(runs, qrels, "AP").to_markdown().splitlines()[2])
    | good | **1.0000**<sup>a</sup> |
    >>> results = jp.evaluate(runs, qrels, "RR")
    >>> found = jp.compare(results["good"], results["poor"], "RR")
    >>> round(found.difference, 4), found.p
    (0.4167, 0.0625)
    """
    if isinstance(runs, Result):
        if options:
            raise TypeError(f"compare of two scored runs takes no {next(iter(options))}: give it to evaluate")
        return _of_two(runs, _result(qrels), measures, test or PAIR_TEST)
    results = evaluate(read_runs(runs), qrels, measures, **options)
    tested = [score.measure for score in next(iter(results.values())).values() if score.measure.is_mean]
    tests = {
        measure.name: significance(
            results, measure.name, test or METHODS[0], alpha=alpha, correction=correction
        )
        for measure in tested
    }
    return Comparison(results, tests)


def _of_two(first: Result, second: Result, measure: Measures, test: str) -> PairedTest:
    """Return the test of two scored runs. Raises Refused for several measures and an unknown test."""
    from metrics.significance.pairwise import PAIRED_TESTS

    if test not in PAIRED_TESTS:
        raise Refused(f"expected a test ({', '.join(PAIRED_TESTS)}), found {test!r}")
    asked, *more = measures_of(measure)
    if more:
        raise Refused(f"expected one measure for two scored runs, found {asked} and {more[0]}")
    _, values = paired_values([first, second], asked.name)
    return PAIRED_TESTS[test]([values[:, 0]], values[:, 1])[0]


def _result(value: object) -> Result:
    if not isinstance(value, Result):
        raise Refused(f"expected what evaluate gives for one run, found {type(value).__name__}")
    return value


class Significance(Mapping[tuple[str, str], "PairedTest"]):
    """A test of every pair of runs: (name, name) -> the pair's test, p corrected for all pairs.

    Attributes
    ----------
    names
        The runs, best first; where lower values are better, the lowest mean.
    measure
        By which they were compared.
    test
        The matrices of the test, in the order of the results that it was made from.
    scores
        What was tested, shape (topics, systems), in the same order.
    """

    def __init__(self, names: Sequence[str], measure: Measure, test: AllPairs, values: Matrix) -> None:
        self._columns = {name: column for column, name in enumerate(names)}
        self.scores = values
        self.measure, self.test = measure, test
        order = np.argsort(-upward(test.means, measure.direction), kind="stable")
        self.names = tuple(names[column] for column in order.tolist())

    @property
    def letters(self) -> dict[str, str]:
        """Name -> letters: runs that share a letter do not differ significantly."""
        from metrics.significance.all_pairs import letter_display

        order = [self._columns[name] for name in self.names]
        letters = letter_display(self.test.different, order).letters
        return {name: letters[self._columns[name]] for name in self.names}

    def effect_size(self, first: str, second: str) -> float | None:
        """Return the difference of two runs over the residual standard deviation of all (Sakai 2018).

        None where the two-way analysis of variance is undefined.
        """
        from metrics.significance.tukey import anova_effect_sizes

        sizes = anova_effect_sizes(self.scores)
        return None if sizes is None else float(sizes[self._columns[first], self._columns[second]])

    def __getitem__(self, pair: tuple[str, str]) -> PairedTest:
        first, second = pair
        return self.test.pair(self._columns[first], self._columns[second])

    def __iter__(self) -> Iterator[tuple[str, str]]:
        names = self.names
        return ((first, second) for at, first in enumerate(names) for second in names[at + 1 :])

    def __len__(self) -> int:
        return len(self.names) * (len(self.names) - 1) // 2

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain data, ready for JSON."""
        return {
            "test": self.test.name,
            "measure": str(self.measure),
            "alpha": self.test.alpha,
            "reason": self.test.reason,
            "runs": [
                {"run": name, "mean": self._mean(name), "letters": letters}
                for name, letters in self.letters.items()
            ],
            "pairs": [
                {"first": first, "second": second, "difference": test.difference, "p": test.p}
                for (first, second), test in self.items()
            ],
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return the corrected p of every pair as a data frame, runs down and across. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        matrix = np.full((len(self.names), len(self.names)), np.nan)
        for (first, second), test in self.items():
            if test.p is not None:
                at = self.names.index(first), self.names.index(second)
                matrix[at] = matrix[at[::-1]] = test.p
        return pd.DataFrame(matrix, index=list(self.names), columns=list(self.names))

    def _mean(self, name: str) -> float:
        return float(self.test.means[self._columns[name]])

    def _caption(self) -> str:
        note = "runs that share a letter do not differ significantly"
        return f"{self.test.name}, alpha {self.test.alpha:g}; {self.test.reason or note}"

    def __repr__(self) -> str:
        width = max(map(len, self.names), default=0)
        rows = [
            f"{name:<{width}}  {self._mean(name):.4f}  {letters}" for name, letters in self.letters.items()
        ]
        return "\n".join([*rows, f"({self.measure}; {self._caption()})"])

    def _repr_html_(self) -> str:
        rows = [[name, f"{self._mean(name):.4f}", letters] for name, letters in self.letters.items()]
        return markup(["run", str(self.measure), "groups"], rows, self._caption())


def significance(
    results: Results,
    measure: str,
    method: str = "tukey",
    *,
    alpha: float = ALPHA,
    correction: str = "holm",
) -> Significance:
    """Test every pair of runs in a measure, over the same topics.

    Parameters
    ----------
    results
        What `evaluate` gave for the runs.
    measure
        A measure whose score is a mean over topics.
    method
        ``"tukey"`` (HSD on a two-way analysis of variance), ``"randomised-tukey"`` (Carterette 2012), or
        ``"t"``: the paired t-test of each pair with a `correction`.
    alpha
        The significance level.
    correction
        Of the t-tests: ``"holm"``, ``"bonferroni"`` or another key of `assess.corrections`.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {str(topic): {"D1": 1} for topic in range(12)}
    >>> good = {topic: {"D1": 2.0, "D2": 1.0} for topic in qrels}
    >>> poor = good | {topic: {"D2": 1.0} for topic in "02468"}
    >>> tests = jp.significance(jp.evaluate({"poor": poor, "good": good}, qrels, "AP"), "AP")
    >>> tests.names, round(tests["good", "poor"].p, 3)
    (('good', 'poor'), 0.017)
    """
    from assess.corrections import CORRECTIONS
    from metrics.significance.pairwise import pairwise_t_tests
    from metrics.significance.tukey import randomised_tukey_hsd, tukey_hsd

    if not isinstance(results, Results):
        raise Refused(f"expected what evaluate gives for several runs, found {type(results).__name__}")
    if method not in METHODS:
        raise Refused(f"expected a method ({', '.join(METHODS)}), found {method!r}")
    if correction not in CORRECTIONS:
        raise Refused(f"expected a correction ({', '.join(CORRECTIONS)}), found {correction!r}")
    if not 0 < alpha < 1:
        raise Refused(f"expected an alpha between 0 and 1, found {alpha}")
    tested_measure, values = paired_values([*results.values()], measure)
    if method == "t":
        test = pairwise_t_tests(values, correction, alpha)
    else:
        test = (tukey_hsd if method == "tukey" else randomised_tukey_hsd)(values, alpha)
    return Significance(list(results), tested_measure, test, values)
