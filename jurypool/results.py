"""Scores of runs as a notebook shows them: one measure, one run, several runs; as text, HTML and data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metrics.engine.evaluate import Scores
from metrics.measures.base import Measure
from metrics.measures.names import parse_measures
from metrics.rankings.ranking import upward
from metrics.score_formats import RunScores, as_table, rounded, settings_line
from metrics.significance.intervals import DRAWS, LEVEL, SEED, mean_intervals, why_no_interval
from pooling.arrays import Matrix, Vector
from pooling.notebook import markup
from pooling.plotting import Axes, plot_bars, plot_intervals
from pooling.refusals import Refused

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """What one run scored by one measure.

    Attributes
    ----------
    measure
        The measure, with its parameters and its cut-off; ``str(score.measure)`` is its name.
    mean
        The run's score: the mean over topics, the sum for counts, the geometric mean for GMAP and its like,
        the micro average for measures that say so.
    by_topic
        Topic -> value, topics in byte order.
    """

    measure: Measure
    mean: float
    by_topic: Mapping[str, float]

    def ci(self, level: float = LEVEL, draws: int = DRAWS, seed: int = SEED) -> tuple[float, float] | None:
        """Return the bootstrap-t confidence interval of the mean over topics.

        None where it is undefined; `why_no_ci` then says why. The same draws and seed give the same interval.
        Source: Efron & Tibshirani 1993, section 12.5.
        """
        if not 0 < level < 1:
            raise Refused(f"expected a level of confidence between 0 and 1, found {level}")
        if not self.measure.is_mean:
            return None
        values = np.array(list(self.by_topic.values()))[:, None]
        ends = mean_intervals(values, self.measure.low, self.measure.high, draws, seed, level)
        if ends is None or np.isnan(ends).any():
            return None
        return float(ends[0][0]), float(ends[1][0])

    def why_no_ci(self, level: float = LEVEL) -> str:
        """Return why `ci` gives no interval, "" where it gives one."""
        if not self.measure.is_mean:
            return f"{self.measure} is not a mean of its topics' values"
        if self.ci(level):
            return ""
        return why_no_interval(np.array(list(self.by_topic.values())), self.measure.low, self.measure.high)

    def plot(self, ax: Axes = None) -> Axes:
        """Draw the value of each topic, the highest first. Returns the axes. Needs matplotlib.

        ax: axes to draw into, new ones by default; so in every `plot`.
        """
        return plot_bars(self.by_topic, str(self.measure), ax=ax)

    def _repr_html_(self) -> str:
        ends = self.ci()
        interval = "{:.4f} to {:.4f}".format(*ends) if ends else self.why_no_ci()
        row = [str(self.measure), rounded(self.mean, self.measure), interval]
        return markup(
            ["measure", "score", f"{100 * LEVEL:g} % interval"], [row], f"{len(self.by_topic)} topics"
        )

    def __repr__(self) -> str:
        return f"<{self.measure} {rounded(self.mean, self.measure)}, {len(self.by_topic)} topics>"


class Result(Mapping[str, Score]):
    """What one run scored: measure -> `Score`.

    A measure is found by any of its names: ``result["AP"]`` and ``result["map"]`` are the same.

    Attributes
    ----------
    tag
        The name of the run.
    scores
        The values as arrays, and by which rules they were computed.
    missing_topics
        The topics of the qrels that the run lacks. They score 0 or are left out, as `evaluate` was asked.
    unknown_topics
        The topics of the run that the qrels lack. They are always left out.

    Examples
    --------
    >>> import jurypool as jp
    >>> result = jp.evaluate({"7": {"D1": 2.0, "D2": 1.0}}, {"7": {"D2": 1}}, "AP P@1")
    >>> result["AP"].mean, result["map"].by_topic
    (0.5, {'7': 0.5})
    """

    def __init__(
        self, tag: str, scores: Scores, of_run: Iterable[str] = (), of_qrels: Iterable[str] = ()
    ) -> None:
        self.tag, self.scores = tag, scores
        in_run, in_qrels = dict.fromkeys(of_run), dict.fromkeys(of_qrels)
        self.missing_topics = tuple(topic for topic in in_qrels if topic not in in_run)
        self.unknown_topics = tuple(topic for topic in in_run if topic not in in_qrels)
        self._index_of = {measure.name: index for index, measure in enumerate(scores.measures)}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the run: none of its documents is in the qrels, or scores equal in 32 bits."""
        return self.scores.notes

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that were scored, in byte order."""
        return self.scores.topics

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures, in the order in which they were asked for."""
        return tuple(self._index_of)

    @property
    def means(self) -> dict[str, float]:
        """Measure -> the run's score."""
        return dict(zip(self.measures, self.scores.means.tolist(), strict=True))

    def __getitem__(self, name: str) -> Score:
        index = self._index_of[name_among(self.measures, name)]
        values = self.scores.values[:, index].tolist()
        by_topic = dict(zip(self.topics, values, strict=True))
        return Score(self.scores.measures[index], float(self.scores.means[index]), by_topic)

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON: numbers, texts and dicts."""
        topics = zip(self.topics, self.scores.values.tolist(), strict=True)
        return {
            "run": self.tag,
            "profile": self.scores.profile_name,
            "missing": self.scores.missing,
            "relevant_from": self.scores.relevance,
            "means": self.means,
            "topics": {topic: dict(zip(self.measures, values, strict=True)) for topic, values in topics},
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each topic and a column for each measure. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        index = pd.Index(self.topics, name="topic")
        return pd.DataFrame(self.scores.values, index=index, columns=list(self.measures))

    def __repr__(self) -> str:
        return text_table([self])

    def _repr_html_(self) -> str:
        return html_table([self])


class Results(Mapping[str, Result]):
    """What several runs scored by the same measures over the same qrels: name of the run -> `Result`."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self._results = dict(results)

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures, in the order in which they were asked for."""
        return next(iter(self.values())).measures

    def __getitem__(self, name: str) -> Result:
        if name not in self._results:
            raise KeyError(f"no run {name!r} here (there are {', '.join(self._results)})")
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def means(self, measure: str) -> dict[str, float]:
        """Return name of the run -> its score by one measure."""
        return {name: result[measure].mean for name, result in self.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data: name of the run -> what `Result.to_dict` gives."""
        return {name: result.to_dict() for name, result in self.items()}

    def to_pandas(self, by_topic: bool = False) -> pandas.DataFrame:
        """Return a data frame with a row for each run, or for each run and topic. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        if by_topic:
            frames = {name: result.to_pandas() for name, result in self.items()}
            return pd.concat(frames, names=["run"])
        rows = [list(result.means.values()) for result in self.values()]
        return pd.DataFrame(rows, index=pd.Index(list(self), name="run"), columns=list(self.measures))

    def plot(self, measure: str | None = None, ax: Axes = None) -> Axes:
        """Draw the runs by one measure, the best first, with 95 % intervals. Needs matplotlib.

        measure: the first by default. Returns the axes.
        """
        name = name_among(self.measures, measure or self.measures[0])
        scores = {run: result[name] for run, result in self.items()}
        kind = next(iter(scores.values())).measure
        order = np.argsort(
            -upward(np.array([each.mean for each in scores.values()]), kind.direction), kind="stable"
        )
        ordered = [list(scores)[place] for place in order.tolist()]
        return plot_intervals(
            {run: scores[run].mean for run in ordered},
            {run: scores[run].ci() for run in ordered},
            f"{kind} with {100 * LEVEL:g} % intervals",
            ax=ax,
        )

    def differences(self, first: str, second: str, measure: str | None = None) -> dict[str, float]:
        """Return topic -> score of the first run less that of the second. measure: the first by default."""
        name = measure or self.measures[0]
        _, values = paired_values([self[first], self[second]], name)
        return dict(zip(self[first].topics, (values[:, 0] - values[:, 1]).tolist(), strict=True))

    def plot_differences(self, first: str, second: str, measure: str | None = None, ax: Axes = None) -> Axes:
        """Draw the difference of two runs in each topic, the largest first. Needs matplotlib."""
        name = name_among(self.measures, measure or self.measures[0])
        return plot_bars(
            self.differences(first, second, name), f"difference in {name}", f"{first} less {second}", ax
        )

    def __repr__(self) -> str:
        return text_table([*self.values()])

    def _repr_html_(self) -> str:
        return html_table([*self.values()])


def name_among(names: Sequence[str], name: str) -> str:
    """Return the one of the measures' names that another name of the same measure means. Raises KeyError."""
    if name in names:
        return name
    try:
        (measure,) = parse_measures(name)
    except ValueError as error:
        raise KeyError(f"{error}" if isinstance(error, Refused) else f"{name!r} is no measure") from None
    if measure.name not in names:
        raise KeyError(f"{measure} was not computed (there are {', '.join(names)})")
    return measure.name


def paired_values(results: Sequence[Result], measure: str) -> tuple[Measure, Matrix]:
    """Return a measure and its values, shape (topics, runs), of runs that were scored alike.

    Raises Refused where the runs were not scored on the same topics by the same rules, and for measures of
    which a run's score is not the mean over topics: tests compare such means.
    """
    first = results[0]
    try:
        scores = [result[measure] for result in results]
    except KeyError as error:
        raise Refused(str(error.args[0])) from None
    for result in results[1:]:
        if result.topics != first.topics:
            raise Refused(
                f"expected scores over the same topics, found others of {result.tag} than of {first.tag}:"
                " evaluate all runs with missing='all'"
            )
        if settings_of(result) != settings_of(first):
            raise Refused(f"expected runs scored alike, found another profile or rule of {result.tag}")
    if not scores[0].measure.is_mean:
        raise Refused(f"expected a measure whose score is a mean over topics, found {scores[0].measure}")
    return scores[0].measure, np.array([list(score.by_topic.values()) for score in scores]).T


def settings_of(result: Result) -> tuple[str, str, int]:
    """Return profile, missing topics and threshold: what runs that are compared must share."""
    return result.scores.profile_name, result.scores.missing, result.scores.relevance


def upward_means(values: Matrix, measure: Measure) -> Vector:
    """Return the mean of each run, negated for a measure of which lower values are better."""
    return upward(values.mean(axis=0), measure.direction)


def _scored(results: Sequence[Result]) -> list[RunScores]:
    return [RunScores(result.tag, result.tag, result.scores) for result in results]


def text_table(results: Sequence[Result]) -> str:
    """Return runs down, measures across, as the command line prints them."""
    table = "".join(as_table(_scored(results), by_topic=False))
    return (table + "".join(f"({note})\n" for note in _notes(results))).rstrip("\n")


def html_table(results: Sequence[Result]) -> str:
    """Return the same table as HTML; names of runs are escaped."""
    measures = results[0].scores.measures
    rows = [[result.tag, *map(rounded, result.scores.means.tolist(), measures)] for result in results]
    caption = "; ".join([settings_line(_scored(results)), *_notes(results)])
    return markup(["run", *map(str, measures)], rows, caption)


def _notes(results: Sequence[Result]) -> list[str]:
    return [f"{result.tag}: {note}" for result in results for note in result.notes]
