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
from assess.kappa.printout import printout
from assess.kappa.report import MOST_PAIRS, as_json, report_of
from pooling.formats.files import BadFile
from pooling.refusals import Refused

DESCRIPTION = """\
Print how far judges agree: every coefficient over all of them, every pair, and each judge beside the rest.

LABELS  lines of four columns: topic, docno, judge, label, parted by tabs or blanks; a first line with these
        names may stand above them. Plain or packed (gz, bz2, xz); - is standard input. A label is a grade of
        the scale, or the reason why a judge could not judge (broken, language, expertise, scale), which is
        left out and counted."""
EPILOG = """\
examples:
  python -m assess.kappa labels.tsv --scale 0,1,2,3 --threshold 2
  python -m assess.kappa labels.tsv.gz --by-topic --draws 0
  python -m assess.kappa labels.tsv --json | python -m json.tool

Bad input ends with every line that is wrong and what was expected there, and the exit code 2."""


def parser() -> argparse.ArgumentParser:
    """Return the reader of the command line."""
    found = argparse.ArgumentParser(
        "python -m assess.kappa",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawTextHelpFormatter,
        allow_abbrev=False,
    )
    add, standard = found.add_argument, Bootstrap()
    add("labels", metavar="LABELS", help="the file of labels")
    add("--scale", type=_scale, metavar="GRADES", help="every grade that may be given, as 0,1,2,3")
    add("--threshold", type=int, metavar="GRADE", help="the lowest relevant grade (default: the second)")
    add("--by-topic", action="store_true", help="the coefficients of every topic as well")
    add("--every-pair", action="store_true", help=f"list pairs of judges beyond {MOST_PAIRS:,} as well")
    add("--json", action="store_true", help="everything as JSON, to all decimals")
    add("--draws", type=int, default=standard.draws, metavar="N", help="of the bootstrap (2000; 0 for none)")
    add("--seed", type=int, default=standard.seed, metavar="N", help="of the bootstrap (default: 0)")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report. Returns the exit code: 0, or 2 for input that cannot be taken."""
    call = parser().parse_args(arguments)
    try:
        file = parse_labels(_content(call.labels), call.scale, call.labels)
        labels = _labels(file, call.scale, call.threshold)
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2
    bootstrap = Bootstrap(call.seed, call.draws) if call.draws > 0 else None
    report = report_of(labels, bootstrap, call.by_topic, call.every_pair)
    if call.json:
        found = {"file": call.labels, "cannot_judge": file.cannot_judge} | as_json(report)
        _write([json.dumps(found, ensure_ascii=False, allow_nan=False), "\n"])
        return 0
    if call.scale is None:
        sys.stderr.write("note: the scale is taken from the labels; name it by --scale\n")
    if file.cannot_judge:
        sys.stderr.write(f"note: {file.cannot_judge:,} lines have a reason in place of a grade; left out\n")
    _write(f"{line}\n" for line in printout(report))
    return 0


def _write(lines: Iterable[str]) -> None:
    try:
        sys.stdout.writelines(lines)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has read enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _scale(text: str) -> tuple[int, ...]:
    try:
        return checked_scale([int(grade) for grade in text.split(",")], None)[0]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected rising grades, as 0,1,2,3, found {text!r}") from error


def _content(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise BadFile(f"expected a file that can be read, found: {error.strerror}", name=path) from error


def _labels(file: LabelFile, scale: tuple[int, ...] | None, threshold: int | None) -> Labels:
    return labels_of_records(file.records, scale or scale_in(file.records), threshold)


if __name__ == "__main__":
    sys.exit(main())
