"""Scores that others published or printed come out, digit for digit."""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path

import pytest

from metrics.engine.evaluate import evaluate
from metrics.engine.qrels_index import QrelsIndex, index_qrels
from metrics.measures.names import parse_measures
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run

from .shared_data import DATA, needs

COVID, CRANFIELD = DATA / "trec-covid-round1", DATA / "cranfield"
COVID_RUNS, CRANFIELD_RUNS = sorted((COVID / "runs").glob("*.gz")), sorted((CRANFIELD / "runs").glob("*.gz"))


@cache
def qrels(path: Path) -> QrelsIndex:
    return index_qrels(parse_qrels(path.read_bytes()))


@needs("trec-covid-round1")
@pytest.mark.parametrize("path", COVID_RUNS, ids=lambda path: path.stem)
def test_nists_leaderboard_of_trec_covid_comes_out(path: Path) -> None:
    with (COVID / "leaderboard.csv").open() as lines:
        published = next(row for row in csv.DictReader(lines) if row["run"] == path.stem)
    run = parse_run(gzip.decompress(path.read_bytes()), path.name)
    scores = evaluate(run, qrels(COVID / "qrels-rnd1.txt"), parse_measures("AP P@5 nDCG@10 bpref"))
    found = [f"{value:.4f}" for value in scores.means]
    assert found == [published[column] for column in ("MAP", "p@5", "ndcg@10", "bpref")]


@needs("cranfield")
@pytest.mark.parametrize("path", CRANFIELD_RUNS, ids=lambda path: path.stem)
def test_what_trec_eval_printed_for_cranfield_comes_out(path: Path) -> None:
    output = path.name.replace("results", "metrics").removesuffix(".gz")
    lines = (CRANFIELD / "trec_eval-9.0.7-output" / output).read_text().splitlines()
    printed = {name.strip(): value for name, _, value in (line.split("\t") for line in lines)}
    names = "num_q num_ret num_rel num_rel_ret map Rprec bpref recip_rank P.5,10,15,20,30,100,200,500,1000"
    run = parse_run(gzip.decompress(path.read_bytes()), path.name)
    scores = evaluate(run, qrels(CRANFIELD / "qrel.trec"), parse_measures(names), missing="intersection")
    for measure, mean in zip(scores.measures, scores.means, strict=True):
        found = f"{mean:.0f}" if measure.kind.average == "sum" else f"{mean:6.4f}"
        assert found == printed[measure.trec_eval], measure.name
