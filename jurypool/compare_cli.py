"""The command line `jurypool compare`: whether two runs differ, by any measures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from metrics.engine.reading import RELEVANCE_HELP, threshold_and_note
from pooling.refusals import Refused

from .comparing import compare
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
    options = parser.parse_args(arguments)
    try:
        measures = measures_of(options.measures)
        index = index_of(options.qrels, measures)
        threshold, note = threshold_and_note(options.relevance, index, measures)
        if note:
            sys.stderr.write(f"note: {note}\n")
        first = evaluate(options.first, options.qrels, options.measures, relevance=threshold)
        second = evaluate(options.second, options.qrels, options.measures, relevance=threshold)
        for path, result in ((options.first, first), (options.second, second)):
            sys.stderr.writelines(f"note: {path}: {note}\n" for note in result.notes)
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
