"""NIST's numbers, trec_eval's and ir_measures', from files, dicts and data frames of real runs."""

from __future__ import annotations

import csv
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import jurypool as jp
from pooling.formats.files import read_file
from tests.metrics.shared_data import DATA, needs

from .forms import in_form

COVID = DATA / "trec-covid-round1"
QRELS = COVID / "qrels-rnd1.txt"
RUNS = sorted((COVID / "runs").glob("*.gz"))
SOME = RUNS[::5]
MEASURES = "AP bpref nDCG@10 P@5 RR Rprec"


@cache
def rows_of(path: Path, value: int) -> list[tuple[str, str, Any]]:
    """Return topic, docno and what stands in the column `value` of a file."""
    kind = float if path.suffix == ".gz" else int
    lines = (line.split() for line in read_file(path).decode().splitlines())
    return [(fields[0], fields[2], kind(fields[value])) for fields in lines]


@needs("trec-covid-round1")
def test_nists_map_and_bpref_come_out() -> None:
    results = jp.evaluate({path.stem: path for path in RUNS}, QRELS, MEASURES)
    with (COVID / "leaderboard.csv").open() as lines:
        published = {row["run"]: row for row in csv.DictReader(lines)}
    for name, result in results.items():
        found = f"{result['AP'].mean:.4f}", f"{result['bpref'].mean:.4f}"
        assert found == (published[name]["MAP"], published[name]["bpref"]), name
    assert len(results) == 16


@needs("trec-covid-round1")
@pytest.mark.parametrize("form", ["dict", "tuples", "pandas", "polars"])
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_a_real_run_scores_the_same_in_every_form(path: Path, form: str, tmp_path: Path) -> None:
    if form in ("pandas", "polars"):
        pytest.importorskip(form, reason=f"{form} is not here")
    run, qrels = (in_form(form, rows_of(*file), tmp_path, what) for file, what in (
        ((path, 4), "run"), ((QRELS, 3), "qrels"),
    ))  # fmt: skip
    expected = jp.evaluate(path, QRELS, MEASURES)
    found = jp.evaluate(run, qrels, MEASURES)
    assert found.means == expected.means
    assert found.scores.values.tobytes() == expected.scores.values.tobytes()


@needs("trec-covid-round1")
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_pytrec_eval_gives_the_same_from_the_same_dicts(path: Path, tmp_path: Path) -> None:
    pytrec_eval: Any = import_module("pytrec_eval")
    run = in_form("dict", rows_of(path, 4), tmp_path, "run")
    qrels = in_form("dict", rows_of(QRELS, 3), tmp_path, "qrels")
    names = ["map", "bpref", "ndcg_cut_10", "P_5", "recip_rank", "Rprec"]
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)
    ours = jp.evaluate(run, qrels, names)
    assert set(ours.topics) == set(theirs)
    for name in names:
        assert ours[name].by_topic == {topic: theirs[topic][name] for topic in ours.topics}


@needs("trec-covid-round1")
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_ir_measures_gives_the_same_from_the_same_frames(path: Path, tmp_path: Path) -> None:
    ir_measures: Any = import_module("ir_measures")
    pytest.importorskip("pandas", reason="pandas is not here")
    run = in_form("pandas", rows_of(path, 4), tmp_path, "run")
    qrels = in_form("pandas", rows_of(QRELS, 3), tmp_path, "qrels")
    names = ["AP", "nDCG@10", "P@5", "RR", "AP(rel=2)", "Rprec"]
    measures = [ir_measures.parse_measure(name) for name in names]
    ours = jp.evaluate(run, qrels, names)
    for found in ir_measures.iter_calc(measures, qrels, run):
        assert ours[str(found.measure)].by_topic[found.query_id] == pytest.approx(found.value, abs=1e-12)
