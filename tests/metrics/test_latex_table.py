"""The table of a paper: best in bold, a dagger where scipy's test and Holm's correction say so."""

from __future__ import annotations

import re

import numpy as np
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from metrics.engine.evaluate import Scores
from metrics.measures.names import parse_measures
from metrics.score_formats import MARK, RunScores, latex_table
from pooling.arrays import Matrix

MEASURES = tuple(parse_measures("nDCG@10 AP NumRelRet"))


def scored(tag: str, values: Matrix) -> RunScores:
    topics = tuple(str(n) for n in range(len(values)))
    return RunScores(tag, tag, Scores(topics, MEASURES, values, values.mean(axis=0), "trec_eval-9", "all", 1))


def test_marks_are_those_of_scipy_and_statsmodels() -> None:
    random = np.random.default_rng(7)
    base = random.random((30, 3))
    runs = [scored(f"run_{n}", base - n * 0.02 + random.normal(0, 0.1, (30, 3))) for n in range(6)]
    text = "".join(latex_table(runs))
    rows = [line.split(" & ") for line in text.splitlines() if line.startswith("run")]
    for column in (0, 1):
        means = [run.scores.means[column] for run in runs]
        best = int(np.argmax(means))
        others = [n for n in range(6) if n != best]
        p = [
            ttest_rel(runs[n].scores.values[:, column], runs[best].scores.values[:, column]).pvalue
            for n in others
        ]
        below = {others[n] for n in np.flatnonzero(multipletests(p, 0.05, "holm")[0])}
        assert 0 < len(below) < 5
        assert {n for n, row in enumerate(rows) if MARK in row[column + 1]} == below
        assert [n for n, row in enumerate(rows) if "\\textbf" in row[column + 1]] == [best]
    assert all(MARK not in row[3] for row in rows)  # a count is no mean


def test_one_topic_or_one_run_has_no_mark() -> None:
    for runs in (
        [scored("a", np.full((1, 3), 0.5)), scored("b", np.zeros((1, 3)))],
        [scored("a", np.random.default_rng(1).random((9, 3)))],
    ):
        body = [line for line in "".join(latex_table(runs)).splitlines() if re.match(r"[ab] &", line)]
        assert len(body) == len(runs) and not any(MARK in line for line in body)


def test_a_tag_is_no_command_of_tex() -> None:
    text = "".join(latex_table([scored("a_b&\\input{x}%", np.zeros((2, 3)))]))
    assert "a\\_b\\&\\textbackslash{}input\\{x\\}\\% & " in text


def test_means_that_differ_by_rounding_are_both_the_best() -> None:
    text = "".join(latex_table([scored("a", np.full((1, 3), 0.1 + 0.2)), scored("b", np.full((1, 3), 0.3))]))
    assert all(line.count("textbf") == 3 for line in text.splitlines() if re.match(r"[ab] &", line))
