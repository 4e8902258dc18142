"""Precision against recall, run by run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pooling.notebook import markup
from pooling.plotting import Axes, plot_lines

from .pools import Runs
from .reading import QrelsSource, read_runs
from .scoring import evaluate

if TYPE_CHECKING:
    import pandas

RECALL = tuple(tenth / 10 for tenth in range(11))


class PrecisionRecall(Mapping[str, tuple[float, ...]]):
    """Interpolated precision of runs: name of the run -> precision at recall 0, 0.1, ... 1.

    Attributes
    ----------
    recall
        The eleven levels.
    topics
        The number of topics in the means.
    """

    recall = RECALL

    def __init__(self, precision: Mapping[str, tuple[float, ...]], topics: int) -> None:
        self._precision, self.topics = dict(precision), topics

    def __getitem__(self, name: str) -> tuple[float, ...]:
        return self._precision[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._precision)

    def __len__(self) -> int:
        return len(self._precision)

    def plot(self, ax: Axes = None) -> Axes:
        """Draw a curve for each run. Returns the axes; `ax`: axes to draw into. Needs matplotlib."""
        lines = {name: (self.recall, values) for name, values in self.items()}
        axes = plot_lines(lines, "recall", "interpolated precision", f"{self.topics} topics", ax)
        axes.set_ylim(0, 1.05)
        return axes

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each run and a column for each level of recall. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        return pd.DataFrame.from_dict(dict(self), orient="index", columns=list(self.recall))

    def _rows(self) -> list[list[str]]:
        return [[name, *(f"{value:.4f}" for value in values)] for name, values in self.items()]

    def _caption(self) -> str:
        return f"interpolated precision at each level of recall, mean over {self.topics} topics"

    def __repr__(self) -> str:
        width = max(map(len, self))
        rows = [["run".ljust(width), *(f"{level:6.1f}" for level in self.recall)], *self._rows()]
        return "\n".join(
            ["  ".join([row[0].ljust(width), *row[1:]]) for row in rows] + [f"({self._caption()})"]
        )

    def _repr_html_(self) -> str:
        return markup(["run", *(f"{level:.1f}" for level in self.recall)], self._rows(), self._caption())


def precision_recall(runs: Runs, qrels: QrelsSource, *, relevance: int = 1) -> PrecisionRecall:
    """Return the curves of precision against recall, as trec_eval interpolates (``iprec_at_recall``).

    Parameters
    ----------
    runs, qrels
        As `evaluate` takes them. The mean is over every topic of the qrels.
    relevance
        The grade from which a document is relevant.

    Examples
    --------
    >>> import jurypool as jp
    >>> run = {"7": {"D1": 3.0, "D2": 2.0, "D3": 1.0}}
    >>> jp.precision_recall(run, {"7": {"D1": 1, "D3": 1}})["run"][4:7]
    (1.0, 1.0, 0.6666666666666666)
    """
    names = [f"IPrec@{level:.1f}" for level in RECALL]
    results = evaluate(read_runs(runs), qrels, names, relevance=relevance)
    first = next(iter(results.values()))
    return PrecisionRecall(
        {name: tuple(result.means.values()) for name, result in results.items()}, len(first.topics)
    )
