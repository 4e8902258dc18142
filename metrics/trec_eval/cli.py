"""The command line of trec_eval: what it reads and prints, byte for byte."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from metrics.engine.hits import Hits, Settings, find_hits
from metrics.engine.qrels_index import QrelsIndex, index_qrels
from metrics.measures.base import BadMeasure
from metrics.trec_eval.options import PROGRAM, Options, Stop, read_options
from metrics.trec_eval.printing import ZScores, printed_lines, printed_report
from pooling.formats.files import BadFile, unpack
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run


def content_of(path: str, what: str) -> bytes:
    """Return a file's bytes, unpacked; `-` is standard input. Raises Stop when it cannot be read, BadFile."""
    try:
        if path == "-":
            content = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                content = file.read()
    except OSError as error:
        raise Stop(f"trec_eval: cannot read {what} file '{path}': {error.strerror}\n", 2) from error
    return unpack(content, path)


def read_index(options: Options) -> QrelsIndex:
    """Return the judgments of the first file, in the format that -R names."""
    name = options.files[0]
    content = content_of(name, "qrels")
    if options.format in ("prefs", "qrels_prefs"):
        from metrics.trec_eval.preferences import (
            parse_preferences,  # not at the top: few command lines need it
        )

        of_qrels = options.format == "qrels_prefs"
        return parse_preferences(content, name, of_qrels=of_qrels, comments=options.comments)
    judges = options.format == "qrels_jg"
    qrels = parse_qrels(content, name, by_iteration=judges, comments=options.comments, trec_only=True)
    return index_qrels(qrels, by_iteration=judges)


def read_zscores(options: Options) -> ZScores | None:
    """Return the means and deviations of -Z, None without it."""
    zscores: ZScores = {}
    if not options.zscores:
        return None
    text = content_of(options.zscores, "zscores").decode(errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            topic, measure, average, deviation = line.split()
            zscores[topic, measure] = (float(average), float(deviation))
        except ValueError:
            message = "expected topic, measure, mean, standard deviation"
            raise Stop(f"trec_eval: {options.zscores}, line {number}: {message}\n", 2) from None
    return zscores


def report(name: str, index: QrelsIndex, options: Options, zscores: ZScores | None) -> Iterator[str]:
    """Yield what trec_eval prints for one run. Raises Stop when no topic is in both files, BadFile,
    BadMeasure."""
    content = content_of(name, "results")
    run = parse_run(content, name, as_trec_eval=True, comments=options.comments)
    del content
    hits = find_hits(run, index, Settings(options.profile, options.relevance))
    if options.depth is not None or options.judged_only:
        hits = hits.limited(options.depth, options.judged_only)
        sys.stderr.writelines(notes_on_run(name, hits))
    yield from printed_report(hits, run.tag, options, zscores)


def notes_on_run(name: str, hits: Hits) -> Iterator[str]:
    """Yield for which topics -J or -M left nothing, where trec_eval prints -nan."""
    for topic in np.flatnonzero(hits.in_run & (hits.retrieved == 0)).tolist():
        yield f"trec_eval: note: {name}: nothing is left of topic {hits.index.topics[topic]}; it scores 0\n"


def notes(index: QrelsIndex, options: Options) -> Iterator[str]:
    """Yield what trec_eval could not have printed."""
    if options.format in ("prefs", "qrels_prefs"):
        return
    for topic in np.flatnonzero(index.count(0) == 0).tolist():
        yield f"trec_eval: note: topic {index.topics[topic]} has no judgment of 0 or more; it scores 0\n"


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line; return the exit code: 0, 1 (flags), 2 (input), 4 (measure and format), 7 (no
    topic). program: how the command is called, for its help."""
    try:
        options = read_options(sys.argv[1:] if arguments is None else arguments)
        try:
            printed_lines(options)
        except BadMeasure as error:
            raise Stop(f"trec_eval: cannot initialize a measure: {error}\n", 2) from error
        index, zscores = read_index(options), read_zscores(options)
        sys.stderr.writelines(notes(index, options))
        for name in options.files[1:]:
            sys.stdout.write("".join(report(name, index, options, zscores)))
    except Stop as stop:
        (sys.stderr if stop.code else sys.stdout).write(stop.message.replace(PROGRAM, program))
        return stop.code
    except BadFile as error:
        sys.stderr.write(f"trec_eval: {error}\n")
        return 2
    except BadMeasure as error:
        sys.stderr.write(f"trec_eval: cannot calculate a measure: {error}\n")
        return 4
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return 0
