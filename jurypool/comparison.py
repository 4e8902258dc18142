"""Several runs compared by several measures: the table of a paper, with letters of significance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metrics.rankings.ranking import is_best, upward
from metrics.score_formats import RunScores, latex_lines, rounded, settings_line, tex
from pooling.notebook import html_table
from pooling.plotting import Axes

from .results import Results, name_among

if TYPE_CHECKING:
    import pandas

    from .comparing import Significance

MARKDOWN_ESCAPES = str.maketrans({letter: f"\\{letter}" for letter in "\\|*_`<[]~"})


class Cell(NamedTuple):
    """A score in the table. best: whether no run has a better one. letters: "" where nothing was tested."""

    figure: str
    best: bool
    letters: str


class Comparison(Mapping[str, "Significance"]):
    """Runs compared by measures: measure -> the test of every pair of runs (`Significance`).

    Runs that share a letter in a column do not differ significantly; the best score is in bold. A measure
    whose score is not a mean over topics is in the table and not tested.

    Attributes
    ----------
    results
        The scores: name of the run -> `Result`.
    names
        The runs, best first by the first measure.
    """

    def __init__(self, results: Results, tests: Mapping[str, Significance]) -> None:
        self.results, self._tests = results, dict(tests)
        measures = [score.measure for score in next(iter(results.values())).values()]
        means = np.array([list(result.means.values()) for result in results.values()])
        order = np.argsort(-upward(means[:, 0], measures[0].direction), kind="stable").tolist()
        runs = list(results)
        self.names = tuple(runs[row] for row in order)
        best = np.column_stack(
            [is_best(means[:, at], measure.direction) for at, measure in enumerate(measures)]
        )
        self._cells = {
            runs[row]: [
                Cell(
                    rounded(float(means[row, at]), measure),
                    bool(best[row, at]),
                    tests[measure.name].letters[runs[row]] if measure.name in tests else "",
                )
                for at, measure in enumerate(measures)
            ]
            for row in order
        }

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures in the table."""
        return self.results.measures

    def __getitem__(self, measure: str) -> Significance:
        name = name_among(self.measures, measure)
        if name not in self._tests:
            raise KeyError(f"{name} was not tested: its score is not a mean over topics")
        return self._tests[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tests)

    def __len__(self) -> int:
        return len(self._tests)

    def letters(self, measure: str) -> dict[str, str]:
        """Return name -> letters by one measure: runs that share a letter do not differ significantly."""
        return self[measure].letters

    def to_latex(self) -> str:
        r"""Return a LaTeX table with superscript letters; it needs the package booktabs.

        Comments in its first lines say what was tested and how.
        """

        def shown(cell: Cell) -> str:
            figure = f"\\textbf{{{cell.figure}}}" if cell.best else cell.figure
            letters = cell.letters.replace("′", "'")
            return f"{figure}\\textsuperscript{{{letters}}}" if letters else figure

        rows = self._rows(tex, shown)
        return f"% {self._tested()}\n" + "".join(latex_lines(self._scored(), ["Run"], rows))

    def to_markdown(self) -> str:
        """Return a Markdown table (GitHub's, CommonMark with tables) with superscript letters."""

        def shown(cell: Cell) -> str:
            figure = f"**{cell.figure}**" if cell.best else cell.figure
            return f"{figure}<sup>{cell.letters}</sup>" if cell.letters else figure

        lines = [
            ["run", *(_markdown(name) for name in self.measures)],
            ["---", *("---:" for _ in self.measures)],
            *self._rows(_markdown, shown),
        ]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{_markdown(self._caption())}\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the scores and the tests as plain data, ready for JSON."""
        return {
            "runs": {name: self.results[name].means for name in self.names},
            "tests": {measure: test.to_dict() for measure, test in self.items()},
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each run: scores, and letters beside each. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        rows = {}
        for name in self.names:
            row: dict[str, Any] = {}
            for measure, score in self.results[name].means.items():
                row[measure] = score
                if measure in self._tests:
                    row[f"{measure} letters"] = self._tests[measure].letters[name]
            rows[name] = row
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("run")

    def plot(self, measure: str | None = None, ax: Axes = None) -> Axes:
        """Draw the runs by one measure, with 95 % intervals: see `Results.plot`. Needs matplotlib."""
        return self.results.plot(measure, ax)

    def plot_differences(self, first: str, second: str, measure: str | None = None, ax: Axes = None) -> Axes:
        """Draw the difference of two runs in each topic: see `Results.plot_differences`. Needs matplotlib."""
        return self.results.plot_differences(first, second, measure, ax)

    def _scored(self) -> list[RunScores]:
        return [RunScores(name, name, self.results[name].scores) for name in self.names]

    def _rows(self, named: Callable[[str], str], shown: Callable[[Cell], str]) -> list[list[str]]:
        return [[named(name), *map(shown, cells)] for name, cells in self._cells.items()]

    def _caption(self) -> str:
        return f"{settings_line(self._scored())}; {self._tested()}"

    def _tested(self) -> str:
        if not self._tests:
            return "nothing tested"
        tests = [*self._tests.values()]
        reasons = dict.fromkeys(f"{test.measure}: {test.test.reason}" for test in tests if test.test.reason)
        note = "bold: best; runs that share a letter do not differ significantly"
        return "; ".join([f"{tests[0].test.name}, alpha {tests[0].test.alpha:g}", note, *reasons])

    def __repr__(self) -> str:
        head = ["run", *self.measures]
        rows = [head, *self._rows(str, lambda cell: f"{cell.figure} {cell.letters}".rstrip())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [_padded(row, widths) for row in rows]
        return "\n".join([*lines, f"({self._caption()})"])

    def _repr_html_(self) -> str:
        def shown(cell: Cell) -> str:
            figure = f"<strong>{cell.figure}</strong>" if cell.best else cell.figure
            return f"{figure}<sup>{escape(cell.letters)}</sup>" if cell.letters else figure

        return html_table(["run", *self.measures], self._rows(escape, shown), self._caption())


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _markdown(text: str) -> str:
    return text.translate(MARKDOWN_ESCAPES)
