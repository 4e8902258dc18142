"""The command line `jurypool compare`: whether two runs differ, by any measures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from metrics.cli import IDENTICAL, file_content
from metrics.engine.reading import RELEVANCE_HELP, reads_iterations, required_judgments, threshold_and_note
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run
from pooling.intake.fields import QRELS, RUN
from pooling.intake.options import add_map_option, add_word_option, reading_of
from pooling.refusals import Refused

from .comparing import compare
from .reading import QrelsSource
from .scoring import evaluate, index_of, measures_of

PROGRAM = "jurypool compare"
TESTS = ("randomisation", "t", "bootstrap", "wilcoxon", "sign")


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Print a line for each measure. Return the exit code: 0, or 2 for invalid input.

    program: how the command is called, for its help.
    """
    parser = argparse.ArgumentParser(
        program,
        description="Test whether two runs differ: their scores, the difference with its interval, and p.",
        allow_abbrev=False,
    )
    parser.add_argument("first", metavar="RUN")
    parser.add_argument("second", metavar="RUN", help="the difference is the first less the second")
    parser.add_argument("--qrels", required=True, metavar="QRELS")
    parser.add_argument("--measures", default="AP", metavar="NAMES", help="default: AP")
    parser.add_argument("--relevance", type=int, metavar="GRADE", help=RELEVANCE_HELP)
    parser.add_argument("--test", choices=TESTS, default=TESTS[0], help=f"default: {TESTS[0]}")
    parser.add_argument("--ignore-identical-ids", action="store_true", help=IDENTICAL)
    add_map_option(parser, QRELS)
    add_word_option(parser)
    add_map_option(parser, RUN, "--map-run")
    options = parser.parse_args(arguments)
    try:
        measures = measures_of(options.measures)
        read = reading_of(QRELS, options.map, options.word)
        by_iteration = reads_iterations(measures)
        qrels: QrelsSource = options.qrels
        if not {"preferences", "strata"} & required_judgments(measures):
            qrels = parse_qrels(
                file_content(options.qrels), options.qrels, by_iteration=by_iteration, reading=read
            )
            sys.stderr.writelines(f"note: {options.qrels}: {note}\n" for note in qrels.notes)
        of_runs = reading_of(RUN, options.map_run, option="--map-run")
        runs = [
            parse_run(file_content(path), path, comments=True, reading=of_runs)
            for path in (options.first, options.second)
        ]
        index = index_of(qrels, measures)
        threshold, note = threshold_and_note(options.relevance, index, measures)
        if note:
            sys.stderr.write(f"note: {note}\n")
        first, second = (
            evaluate(
                run, qrels, options.measures, relevance=threshold,
                ignore_identical_ids=options.ignore_identical_ids,
            )
            for run in runs
        )  # fmt: skip
        for path, run, result in zip((options.first, options.second), runs, (first, second), strict=True):
            sys.stderr.writelines(f"note: {path}: {note}\n" for note in (*run.notes, *result.notes))
        print("\t".join(("measure", "first", "second", "difference", "low", "high", "p", "test", "note")))
        for name in first:
            comparison = compare(first, second, name, options.test)
            ends = comparison.interval[:2] if comparison.interval else (None, None)
            numbers = (first[name].mean, second[name].mean, comparison.difference, *ends, comparison.p)
            cells = ["" if number is None else f"{number:.6g}" for number in numbers]
            print("\t".join((name, *cells, comparison.name, comparison.reason)))
    except Refused as error:
        sys.stderr.write(f"{program}: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
