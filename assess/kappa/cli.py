"""The command line `python -m assess.kappa`: the agreement of a file of labels."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from assess.kappa.bootstrap import Bootstrap
from assess.kappa.label_file import LabelFile, parse_labels, scale_in
from assess.kappa.labels import Labels, checked_scale, labels_of_records
from assess.kappa.report import MOST_PAIRS, report_lines, report_of, report_to_json
from pooling.formats.files import BadFile
from pooling.intake.fields import LABELS
from pooling.intake.options import add_map_option, add_word_option, reading_of
from pooling.refusals import Refused
from pooling.words import counted

PROGRAM = "python -m assess.kappa"
DESCRIPTION = """\
Print the agreement of judges: all coefficients over all judges, every pair, and each judge against the rest.

LABELS  lines of four columns: topic, docno, judge, label, separated by tabs, commas or blanks; or a table
        with a header, or JSON, with a row for every label or a column for every judge.
        Plain or compressed (gz, bz2, xz); - is standard input. A label is a grade of
        the scale, or the reason why a judge could not judge (broken, language, expertise, scale); such
        lines are counted and left out. In "All labels, TSV" of the agreement page, a column `source`
        tells labels of programs, which are left out as well."""
EPILOG = """\
examples:
  %(prog)s labels.tsv --scale 0,1,2,3 --threshold 2
  %(prog)s labels.tsv.gz --by-topic --draws 0
  %(prog)s labels.tsv --json | python -m json.tool

Invalid input: every invalid line is reported with what was expected there; the exit code is 2."""


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """Return the argument parser. program: how the command is called, for its help."""
    arguments = argparse.ArgumentParser(
        program,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawTextHelpFormatter,
        allow_abbrev=False,
    )
    add, standard = arguments.add_argument, Bootstrap()
    add("labels", metavar="LABELS", help="file of labels")
    add("--scale", type=_scale, metavar="GRADES", help="all grades of the scale, for example 0,1,2,3")
    add(
        "--threshold",
        type=int,
        metavar="GRADE",
        help="lowest relevant grade (default: the second grade of the scale)",
    )
    add("--by-topic", action="store_true", help="also print the coefficients of every topic")
    add("--every-pair", action="store_true", help=f"list all pairs of judges, also more than {MOST_PAIRS:,}")
    add("--json", action="store_true", help="print JSON with all decimals")
    add(
        "--draws",
        type=int,
        default=standard.draws,
        metavar="N",
        help="number of bootstrap draws (default: 2000; 0: no intervals)",
    )
    add_map_option(arguments, LABELS)
    add_word_option(arguments)
    add("--seed", type=int, default=standard.seed, metavar="N", help="seed of the bootstrap (default: 0)")
    return arguments


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Print the report. Return the exit code: 0, or 2 for invalid input."""
    call = parser(program).parse_args(arguments)
    try:
        reading = reading_of(LABELS, call.map, call.word)
        file = parse_labels(_content(call.labels), call.scale, call.labels, reading)
        labels = _labels(file, call.scale, call.threshold)
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stderr.writelines(f"note: {call.labels}: {note}\n" for note in file.notes)
    if file.programs:
        sys.stderr.write(f"note: {file.without_programs}\n")
    bootstrap = Bootstrap(call.seed, call.draws) if call.draws > 0 else None
    report = report_of(labels, bootstrap, call.by_topic, call.every_pair)
    if call.json:
        left_out = {"cannot_judge": file.cannot_judge, "programs": dict(file.programs)}
        fields = {"file": call.labels} | left_out | report_to_json(report)
        _write([json.dumps(fields, ensure_ascii=False, allow_nan=False), "\n"])
        return 0
    if call.scale is None:
        sys.stderr.write("note: the scale was derived from the labels; set it with --scale\n")
    if file.cannot_judge:
        sys.stderr.write(
            f"note: left out: {counted(file.cannot_judge, 'line')} with a reason instead of a grade\n"
        )
    _write(f"{line}\n" for line in report_lines(report))
    return 0


def _write(lines: Iterable[str]) -> None:
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _scale(text: str) -> tuple[int, ...]:
    try:
        return checked_scale([int(grade) for grade in text.split(",")], None)[0]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected ascending grades like 0,1,2,3, found {text!r}") from error


def _content(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise BadFile(f"expected a file that can be read, found: {error.strerror}", name=path) from error


def _labels(file: LabelFile, scale: tuple[int, ...] | None, threshold: int | None) -> Labels:
    return labels_of_records(file.records, scale or scale_in(file.records), threshold)


if __name__ == "__main__":
    sys.exit(main())
