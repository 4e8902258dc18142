"""The command line `python -m metrics.evaluate`: any measures of any runs, in any of five formats."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

from metrics.engine.evaluate import evaluate
from metrics.engine.hits import PROFILES
from metrics.engine.qrels_index import QrelsIndex
from metrics.engine.reading import (
    RELEVANCE_HELP,
    BadArguments,
    check_measures,
    common_topics,
    read_index,
    threshold_and_note,
)
from metrics.measures.base import Measure, MeasureKind
from metrics.measures.names import parse_measures, signature
from metrics.measures.registry import KINDS
from metrics.score_formats import FORMATS, RunScores
from pooling.formats.files import read_file, unpack
from pooling.formats.runs import RunFile, parse_run
from pooling.intake.fields import QRELS, RUN
from pooling.intake.options import add_map_option, add_word_option, reading_of
from pooling.intake.tables import AS_IT_IS, Reading
from pooling.progress import progress
from pooling.refusals import Refused
from pooling.words import counted

PROGRAM = "python -m metrics.evaluate"
DESCRIPTION = """\
Score retrieval runs against relevance judgments.

QRELS  lines of four columns: topic, iteration, docno, grade
RUN    lines of six columns: topic, a word (ignored), docno, rank (ignored), score, tag
Both may also be tables with a header (CSV, TSV) or JSON (topic -> docno -> number, or rows), as BEIR, ranx,
Quepid and others write them; notes say how a file was read.
Both may be packed (gz, bz2, xz); - is standard input. Of several runs, the qrels are read once.

Documents are ranked by score, highest first, equal scores by docno in descending order, as trec_eval does;
the rank column is never read."""
EPILOG = """\
measures:
  Written as in ir_measures (nDCG@10, AP(rel=2)@100, RBP(p=0.8), ERR(max_rel=4)@20) or as in trec_eval
  (map, P.5,10, ndcg_cut.10, official). Separate them by blanks. --list shows every one, with its parameters.
  Measures of subtopics (alpha_nDCG, ERR_IA ...) read the subtopic from the qrels' iteration column.
  Measures of judges (AP_avgjg ...) read the judge from there. Beside measures of documents, both need qrels
  that have each document once in a topic.
  xinfAP and infNDCG read sampled judgments of five columns: topic, 0, docno, stratum, grade.
  prefs_simp and its like read preferences of five columns: topic, judge, subgroup, docno, level.
  SetAccuracy, Fallout, AUC and their like need --collection-size, or N: Fallout(N=100000).

examples:
  %(prog)s --qrels qrels.txt --measures "nDCG@10 AP RBP(p=0.8)" my.run
  %(prog)s --qrels qrels.txt.gz --measures "map P.5,10" --by-topic --format csv runs/*.gz
  %(prog)s --list

Bad input ends with the file, the line and what was expected, and the exit code 2."""


PROFILE = """\
version of trec_eval to follow: trec_eval-9 (default; NIST's published scores)
compares scores as 32-bit numbers, trec_eval-10 as 64-bit numbers"""
MISSING = """\
average over all topics of the qrels, one that the run lacks scoring 0 (default),
or over the topics that both files have"""


IDENTICAL = "leave out a retrieved document whose docno is the topic, as BEIR does"


class Arguments(NamedTuple):
    """The arguments of the command line."""

    qrels: str
    measures: list[Measure]
    runs: list[str]
    by_topic: bool
    format: str
    profile: str
    missing: str
    relevance: int | None
    collection: int | None
    of_qrels: Reading = AS_IT_IS
    of_runs: Reading = AS_IT_IS
    ignore_identical_ids: bool = False


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """Return the argument parser. program: how the command is called, for its help."""
    argument_parser = argparse.ArgumentParser(
        program,
        usage=f'{program} --qrels QRELS --measures "nDCG@10 AP ..." [options] RUN [RUN ...]',
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawTextHelpFormatter,
        allow_abbrev=False,
    )
    add = argument_parser.add_argument
    add("runs", nargs="*", metavar="RUN", help="run files")
    add("--qrels", metavar="QRELS", help="the file of judgments")
    add("--measures", action="append", default=[], metavar="NAMES", help="what to compute")
    add("--by-topic", action="store_true", help="every topic as well as the mean over topics")
    add("--format", choices=FORMATS, default="table", help="how to print (default: table, to 4 decimals)")
    add("--profile", choices=PROFILES, default=PROFILES[0], help=PROFILE)
    add("--missing", choices=("all", "intersection"), default="all", help=MISSING)
    add("--relevance", type=int, metavar="GRADE", help=RELEVANCE_HELP)
    add("--collection-size", type=int, metavar="N", help="how many documents the collection has")
    add("--ignore-identical-ids", action="store_true", help=IDENTICAL)
    add_map_option(argument_parser, QRELS)
    add_word_option(argument_parser)
    add_map_option(argument_parser, RUN, "--map-run")
    add("--list", action="store_true", help="list all measures, and exit")
    return argument_parser


def read_arguments(arguments: argparse.Namespace) -> Arguments:
    """Return the checked arguments. Raises BadArguments, BadMeasure and UnknownMeasure."""
    if not arguments.qrels:
        raise BadArguments("expected --qrels with the file of judgments; --help explains")
    if not arguments.measures:
        raise BadArguments("expected --measures with at least one measure; --list shows all")
    if not arguments.runs:
        raise BadArguments("expected at least one run file; --help explains")
    if [*arguments.runs, arguments.qrels].count("-") > 1:
        raise BadArguments("expected standard input (-) once")
    measures = list(dict.fromkeys(parse_measures(" ".join(arguments.measures))))
    check_measures(measures, arguments.collection_size)
    return Arguments(
        arguments.qrels, measures, arguments.runs, arguments.by_topic, arguments.format, arguments.profile,
        arguments.missing, arguments.relevance, arguments.collection_size,
        reading_of(QRELS, arguments.map, arguments.word),
        reading_of(RUN, arguments.map_run, option="--map-run"),
        arguments.ignore_identical_ids,
    )  # fmt: skip


def file_content(path: str) -> bytes:
    """Return a file's bytes, unpacked; `-` is standard input. Raises BadFile when it cannot be read."""
    return unpack(sys.stdin.buffer.read(), path) if path == "-" else read_file(path)


def score_runs(call: Arguments, index: QrelsIndex) -> Iterator[RunScores]:
    """Yield each run's scores; notes go to standard error. Raises BadFile, BadMeasure, BadArguments."""
    threshold, note = threshold_and_note(call.relevance, index, call.measures)
    if note:
        _note(note)
    for name in progress(run_names(call.runs), "runs"):
        run = parse_run(file_content(name.path), name.path, comments=True, reading=call.of_runs)
        note_topics(name.path, run, index, call.missing)
        scores = evaluate(
            run, index, call.measures, call.profile, call.missing, threshold, call.collection,
            call.ignore_identical_ids,
        )  # fmt: skip
        for note in (*run.notes, *scores.notes):
            _note(f"{name.path}: {note}")
        yield RunScores(run.tag if name.path == "-" else name.shown, run.tag, scores)


class RunName(NamedTuple):
    """The file of a run, and the run's name in the output."""

    path: str
    shown: str


def run_names(paths: Sequence[str]) -> list[RunName]:
    """Name runs by file name, without .gz, .bz2 or .xz; by path if two files have the same name.

    The tag inside is not used, because the runs of a group often share it.
    """
    short = [re.sub(r"\.(gz|bz2|xz)$", "", Path(path).name) for path in paths]
    unique = len(set(short)) == len(short)
    return [RunName(path, name if unique else path) for path, name in zip(paths, short, strict=True)]


def note_topics(name: str, run: RunFile, index: QrelsIndex, missing: str) -> None:
    """Note on standard error which topics are not in both files. Raises BadArguments if none is in both."""
    common = common_topics(name, run, index)
    lacking, unknown = len(index.topics) - common, len(run.topics) - common
    if lacking:
        how = "they score 0" if missing == "all" else "they are left out"
        _note(f"{name}: {lacking} of {len(index.topics)} topics of the qrels are not in the run; {how}")
    if unknown:
        _note(f"{name}: left out: {counted(unknown, 'topic')} of the run that the qrels do not have")


def _note(text: str) -> None:
    sys.stderr.write(f"note: {text}\n")


def measure_listing() -> Iterator[str]:
    """Yield the entry of every measure in the list: signature, meaning, range, use of grades, source."""
    for kind in sorted(KINDS.values(), key=lambda kind: kind.name.lower()):
        span = f"{_number(kind.low)} to {_number(kind.high)}"
        yield f"{signature(kind)}\n    {kind.meaning} [{span}; {_uses(kind)}]\n    {kind.citation}\n"


def _number(limit: float) -> str:
    return "any" if abs(limit) == inf else f"{limit:g}"


def _uses(kind: MeasureKind) -> str:
    words = {"grades": "grades", "threshold": "relevant or not", "neither": "no grades"}
    return words[kind.uses] + ("" if kind.needs == "qrels" else f"; needs {kind.needs}")


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line; return the exit code: 0, or 2 for whatever cannot be read or computed."""
    try:
        options = parser(program).parse_args(arguments)
        if options.list:
            sys.stdout.writelines(measure_listing())
            return 0
        call = read_arguments(options)
        index = read_index(file_content(call.qrels), call.qrels, call.measures, call.of_qrels, _note)
        scored = list(score_runs(call, index))
        sys.stdout.writelines(FORMATS[call.format](scored, call.by_topic))
    except Refused as error:
        sys.stderr.write(f"{program}: {error}\n")
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    return 0
