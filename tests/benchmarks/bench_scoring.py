"""How fast runs are scored, beside trec_eval, pytrec-eval-terrier, ir_measures and ranx, where they are
installed.

python -m tests.benchmarks.bench_scoring [S] [M] [L] [real] [processes] [--repeat N]

Generates the collections in a temporary folder, unpacks the runs of a track where they lie beside the
repository (`collections.TRACK`), runs all contenders one after the other in one loop, checks
that they find the same MAP, and prints medians and ratios. What was not measured is not printed.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metrics.engine.evaluate import evaluate, score
from metrics.engine.qrels_index import index_qrels
from metrics.engine.stored_runs import NumberedIndex, find_stored_hits, stored_run
from metrics.measures.names import parse_measures
from pooling.formats.docnos import DocnoTable
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run

from .collections import REAL, Collection, newswire, passages, track

Contender = Callable[[], float | None]  # does the work once and returns MAP
OFFICIAL = {
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
    "num_ret",
    "num_rel",
    "num_rel_ret",
}
RANX = [
    "map",
    "precision@5",
    "precision@10",
    "precision@20",
    "precision@100",
    "precision@1000",
    "r-precision",
    "mrr",
]
IR_MEASURES = "AP Rprec Bpref RR P@5 P@10 P@15 P@20 P@30 P@100 P@200 P@500 P@1000"
GOALS = {
    ("S text", "pytrec_eval"): 3.4, ("S text", "trec_eval"): 5.0, ("S stored", "pytrec_eval"): 25.0,
    ("L text", "pytrec_eval"): 5.8, ("L text", "trec_eval"): 6.0, ("20 runs, process", "pytrec_eval"): 2.5,
    ("real scores text", "pytrec_eval"): 1.7, ("real scores text", "trec_eval"): 2.5,
    ("track's runs text", "pytrec_eval"): 1.7, ("track's runs text", "trec_eval"): 2.5,
    ("100 of them, process", "pytrec_eval"): 1.7, ("100 of them, process", "trec_eval"): 2.0,
}  # fmt: skip
MAP_AT = 4  # the place of map in `official`


def peers(collection: Collection) -> dict[str, Contender]:
    """Return what stands beside ours: each reads every run's text and computes about the official
    measures."""
    found: dict[str, Contender] = {}
    if shutil.which("trec_eval"):
        found["trec_eval"] = lambda: _trec_eval(collection)
    if importlib.util.find_spec("pytrec_eval"):
        found["pytrec_eval"] = _pytrec_eval(collection)
    if importlib.util.find_spec("ir_measures"):
        found["ir_measures"] = _ir_measures(collection)
    if importlib.util.find_spec("ranx"):
        found["ranx"] = _ranx(collection)
    return found


def _trec_eval(collection: Collection) -> float:
    outputs = [
        subprocess.run(
            ["trec_eval", collection.qrels, run], capture_output=True, text=True, check=True
        ).stdout
        for run in collection.runs
    ]
    return float(outputs[-1].split("map")[1].split()[1])


def _pytrec_eval(collection: Collection) -> Contender:
    pytrec_eval: Any = importlib.import_module("pytrec_eval")
    with collection.qrels.open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), OFFICIAL)

    def once() -> float:
        for run in collection.runs:
            with run.open() as lines:
                scores = evaluator.evaluate(pytrec_eval.parse_run(lines))
        return statistics.fmean(topic["map"] for topic in scores.values())

    return once


def _ir_measures(collection: Collection) -> Contender:
    ir_measures: Any = importlib.import_module("ir_measures")
    measures = [ir_measures.parse_measure(name) for name in IR_MEASURES.split()]
    evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(str(collection.qrels))))

    def once() -> float:
        for run in collection.runs:
            means = evaluator.calc_aggregate(ir_measures.read_trec_run(str(run)))
        return float(means[measures[0]])

    return once


def _ranx(collection: Collection) -> Contender:
    ranx: Any = importlib.import_module("ranx")
    qrels = ranx.Qrels.from_file(str(collection.qrels), kind="trec")

    def once() -> float:
        for path in collection.runs:
            run = ranx.Run.from_file(str(path), kind="trec")
            means = ranx.evaluate(qrels, run, RANX, make_comparable=True)
        return float(means["map"])

    once()  # compiles
    return once


def ours_from_text(collection: Collection) -> Contender:
    """Read every run's text and score it; the qrels are indexed before."""
    index, measures = index_qrels(parse_qrels(collection.qrels.read_bytes())), parse_measures("official")

    def once() -> float:
        for path in collection.runs:
            scores = evaluate(parse_run(path.read_bytes()), index, measures, missing="intersection")
        return float(scores.means[MAP_AT])

    return once


def ours_stored(collection: Collection) -> Contender:
    """Score runs that were read and numbered before."""
    documents, qrels = DocnoTable(), parse_qrels(collection.qrels.read_bytes())
    runs = [stored_run(parse_run(path.read_bytes()), documents) for path in collection.runs]
    documents.add(qrels.docnos)
    index, measures = NumberedIndex(qrels, documents), parse_measures("official")

    def once() -> float:
        for run in runs:
            scores = score(find_stored_hits(run, index), measures, missing="intersection")
        return float(scores.means[MAP_AT])

    return once


PYTREC_EVAL_SCRIPT = """
import sys, pytrec_eval
with open(sys.argv[1]) as lines:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), set(sys.argv[2].split(",")))
for path in sys.argv[3:]:
    with open(path) as lines:
        scores = evaluator.evaluate(pytrec_eval.parse_run(lines))
    for name in next(iter(scores.values())):
        print(name, pytrec_eval.compute_aggregated_measure(name, [topic[name] for topic in scores.values()]))
"""


def processes(collection: Collection) -> dict[str, Contender]:
    """Return whole processes: start, read the qrels and the runs, print, end; trec_eval takes one for each
    run."""
    paths = [str(path) for path in (collection.qrels, *collection.runs)]
    ours = [sys.executable, "-m", "metrics.trec_eval", *paths]
    found: dict[str, Contender] = {"ours": lambda: _process(ours)}
    if importlib.util.find_spec("pytrec_eval"):
        theirs = [sys.executable, "-c", PYTREC_EVAL_SCRIPT, paths[0], ",".join(sorted(OFFICIAL)), *paths[1:]]
        found["pytrec_eval"] = lambda: _process(theirs)
    if shutil.which("trec_eval"):
        found["trec_eval"] = lambda: _trec_eval(collection)
    return found


def _process(command: list[str]) -> None:
    # an installed package is compiled; the first round compiles ours, wherever it may leave what it compiled
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)


def measured(contenders: dict[str, Contender], repeat: int) -> dict[str, float]:
    """Return each contender's median seconds over `repeat` rounds, in each of which all of them run once."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    found: dict[str, float | None] = {}
    gc.collect()
    gc.freeze()  # so that what one contender holds does not slow the others, which make many objects
    for _ in range(repeat + 1):  # the first round warms up
        for name, once in contenders.items():
            start = time.perf_counter()
            found[name] = once()
            times[name].append(time.perf_counter() - start)
    gc.unfreeze()
    maps = {name: round(value, 3) for name, value in found.items() if value is not None}
    if len(set(maps.values())) > 1:
        print(f"    MAP differs, so these do not measure the same work: {maps}")
    return {name: statistics.median(values[1:]) for name, values in times.items()}


def report(title: str, medians: dict[str, float]) -> None:
    """Print one case: milliseconds, and how many times ours goes into each."""
    ours = medians["ours"]
    for name, seconds in medians.items():
        ratio, goal = seconds / ours, GOALS.get((title, name))
        verdict = "" if goal is None else f"  goal {goal:g}x: {'reached' if ratio >= goal else 'MISSED'}"
        factor = "" if name == "ours" else f"{ratio:8.1f}x"
        print(f"{title:<20} {name:<12} {1000 * seconds:10.2f} ms {factor}{verdict}", flush=True)


def bench_newswire(name: str, collection: Collection, repeat: int) -> None:
    """Measure S or M: text and stored."""
    beside = peers(collection)
    report(f"{name} text", measured({"ours": ours_from_text(collection), **beside}, repeat))
    report(f"{name} stored", measured({"ours": ours_stored(collection), **beside}, repeat))


def bench_real(folder: Path, repeat: int) -> None:
    """Measure scores as systems write them, of 17 digits or with an exponent: generated, and of a track's
    runs."""
    bench_newswire("real scores", newswire(folder, 2 * len(REAL), REAL), repeat)
    collection = track(folder)
    if collection is None:
        print("the track's runs do not lie beside the repository: left out")
        return
    bench_newswire("track's runs", collection, repeat)
    hundred = collection._replace(runs=(collection.runs * 7)[:100])
    report("100 of them, process", measured(processes(hundred), repeat))


def bench_passages(folder: Path, repeat: int) -> None:
    """Measure L, each contender in this process; ranx and ir_measures are left out, for they need many GB."""
    collection = passages(folder)
    beside = {name: once for name, once in peers(collection).items() if name in ("trec_eval", "pytrec_eval")}
    report("L text", measured({"ours": ours_from_text(collection), **beside}, repeat))
    report("L stored", measured({"ours": ours_stored(collection), **beside}, repeat))
    paths = [str(collection.qrels), str(collection.runs[0])]
    if Path("/proc/self/status").exists():
        print(
            f"{'L memory':<20} {'ours':<12} {peak_memory(paths):10.0f} MB  whole process, goal under 500 MB"
        )


def peak_memory(paths: list[str]) -> float:
    """Return the largest resident memory of `python -m metrics.trec_eval` on these files, in MB (Linux).

    Not by getrusage, whose figure a new process inherits from the one that starts it.
    """
    script = (
        "import sys; from metrics.trec_eval.cli import main; main(sys.argv[1:]);"
        "print(*[line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, *paths], capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1]) / 1024


def main() -> None:
    """Measure what the arguments name; S and M without any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*", default=["S", "M", "real"], metavar="S|M|L|real|processes")
    parser.add_argument("--repeat", type=int, default=11, help="rounds for S; M and L take 3 (default 11)")
    options = parser.parse_args()
    few = min(options.repeat, 3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "S" in options.cases:
            bench_newswire("S", newswire(folder, 1, [".6f"]), options.repeat)
            bench_newswire("S with ties", newswire(folder, 1, [".2f"]), options.repeat)
        if "processes" in options.cases or "S" in options.cases:
            collection = newswire(folder, 20)
            one = collection._replace(runs=collection.runs[:1])
            report("1 run, process", measured(processes(one), options.repeat))
            report("20 runs, process", measured(processes(collection), few))
        if "real" in options.cases:
            bench_real(folder, few)
        if "M" in options.cases:
            bench_newswire("M", newswire(folder, 100), few)
        if "L" in options.cases:
            bench_passages(folder, few)


if __name__ == "__main__":
    main()
