"""The options of the command line: those of trec_eval, and --profile."""

from __future__ import annotations

import getopt
from collections.abc import Sequence
from dataclasses import dataclass, field

from metrics.engine.hits import PROFILES
from metrics.measures.names import nearest_name
from metrics.trec_eval.names import NICKNAMES, ONLY_10, ORDER, measures_of_nickname

PROGRAM = "python -m metrics.trec_eval"  # in the help text; `cli.main` may replace it
USAGE = f"Usage: {PROGRAM} [-h] [-q] [-c] [-m measure]... [--profile NAME] qrels run [run...]\n"
HELP = (
    USAGE
    + """
Score retrieval runs against relevance judgments, and print the same digits as trec_eval.

  qrels   lines of four columns: topic, iteration (ignored), docno, grade
  run     lines of six columns: topic, a word (ignored), docno, rank (ignored), score, tag
Both may be compressed (gz, bz2, xz); - is standard input. For several runs, the qrels are read once.
A docno has at most 200 bytes; trec_eval accepts longer ones.

  -m measure    a measure; may be repeated. A name may have parameters: -m P.5,10 -m ndcg_cut.10
                Nicknames: official (the default), all_trec, set, prefs, all_prefs, qrels_jg
  -q            print the values of every topic before the means
  -n            print no means
  -c            average over all topics of the qrels: one that the run lacks scores 0
                (without -c, both profiles average over the topics that the run has)
  -l grade      the lowest grade of a relevant document (1). The total num_rel uses this grade, too;
                trec_eval counts from grade 1 there
  -M rank       use only the first documents of each topic
  -J            ignore documents that were not judged
  -N number     number of documents in the collection, for utility
  -R format     format of the first file: qrels; qrels_jg (the second column is a judge);
                prefs (topic, judge, subgroup, docno, level); qrels_prefs (qrels read as preferences)
  -D level.topic   score one topic only
  -Z file       print z-scores: lines of topic, measure, mean, standard deviation
  --profile trec_eval-9 | trec_eval-10
                the version to reproduce: 9 (default; NIST's published scores, pytrec_eval) compares scores as
                32-bit numbers; 10 as 64-bit numbers, and rounds to the nearest count of documents at a recall
                level
  -h, --help    this page        -v   the version

Invalid input is reported with the file, the line and what was expected; the exit code is 2 (1: wrong options,
7: no topic in both files). Where trec_eval would stop or print -nan, 0 is printed. A note lists the topics
without a judgment of 0 or more, and those for which -J or -M leaves no document; there is no note for other
such values.

Examples:
  python -m metrics.trec_eval qrels.txt my.run
  python -m metrics.trec_eval -q -c -M 1000 -m map -m ndcg_cut.10 qrels.txt.gz runs/*.gz
"""
)
LONG = [
    "help", "version", "query_eval_wanted", "measure=", "complete_rel_info_wanted", "level_for_rel=",
    "nosummary", "Debug_level=", "Judged_docs_only", "Number_docs_in_coll=", "Max_retrieved_per_topic=",
    "Rel_info_format=", "Results_format=", "Zscore=", "profile=",
]  # fmt: skip
SHORT = dict(
    zip(
        LONG,
        ["-h", "-v", "-q", "-m", "-c", "-l", "-n", "-D", "-J", "-N", "-M", "-R", "-T", "-Z", "-P"],
        strict=True,
    )
)


class Stop(Exception):
    """The end of the program, with a message and the exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.message, self.code = message, code


@dataclass
class Options:
    """The options of the command line. measures: name -> parameters, "" for the defaults."""

    profile: str = PROFILES[0]
    by_topic: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    relevance: int = 1
    depth: int | None = None
    collection: int = 0
    topic: str | None = None
    format: str = "qrels"
    zscores: str = ""
    measures: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    @property
    def comments(self) -> bool:
        """Whether lines that begin with `#` are comments: in trec_eval 10 only."""
        return self.profile == "trec_eval-10"


def read_options(arguments: Sequence[str]) -> Options:
    """Return the parsed options. Raises Stop for help, the version and wrong options."""
    try:
        flags, files = getopt.gnu_getopt(list(arguments), "hvqm:cl:nD:JN:M:R:T:oZ:", LONG)
    except getopt.GetoptError as error:
        raise Stop(f"trec_eval: {error}\n{USAGE}", 1) from error
    options, requested = Options(files=files), []
    for flag, value in flags:
        short = next((SHORT[name] for name in LONG if flag == "--" + name.rstrip("=")), flag)
        if short == "-m":
            requested.append(value)
        else:
            _set(options, short, value)
    for value in requested or ["official"]:
        _add_measure(options, value)
    if len(files) < 2:
        raise Stop(USAGE, 1)
    return options


def _set(options: Options, flag: str, value: str) -> None:
    """Set one option other than -m."""
    if flag in ("-h", "-v"):
        raise Stop(
            HELP
            if flag == "-h"
            else f"trec_eval as Jurypool computes it, profiles {' and '.join(PROFILES)}\n",
            0,
        )
    for name, letter, set_to in (
        ("by_topic", "-q", True),
        ("summary", "-n", False),
        ("complete", "-c", True),
        ("judged_only", "-J", True),
    ):
        if flag == letter:
            setattr(options, name, set_to)
    for name, letter, low in (("relevance", "-l", 0), ("depth", "-M", 0), ("collection", "-N", 0)):
        if flag == letter:
            setattr(options, name, _whole(flag, value, low))
    if flag == "-P":
        options.profile = _one_of("--profile", value, PROFILES)
    elif flag == "-R":
        options.format = _one_of(flag, value, ("qrels", "qrels_jg", "prefs", "qrels_prefs"))
    elif flag == "-T":
        _one_of(flag, value, ("trec_results",))
    elif flag == "-D" and "." in value:
        options.topic = value.partition(".")[2]
    elif flag == "-Z":
        options.zscores = value


def _whole(flag: str, value: str, low: int) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 18) or int(value) < low:
        raise Stop(f"trec_eval: {flag} {value}: expected a whole number of {low} or more\n", 1)
    return int(value)


def _one_of(flag: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise Stop(
            f"trec_eval: {flag} {value}: expected {' or '.join(known)}\n", 2 if flag in ("-R", "-T") else 1
        )
    return value


def _add_measure(options: Options, text: str) -> None:
    """Add the measures of one -m. The first parameters of a measure are used, as in trec_eval."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        raise Stop(
            f"trec_eval: improper measure in parameter '{name}'\ntrec_eval: illegal measure '{name}'\n", 1
        )
    known = name in NICKNAMES or (
        name in ORDER and (options.profile == "trec_eval-10" or name not in ONLY_10)
    )
    if not known:
        raise Stop(f"trec_eval: illegal measure '{name}'{_suggestion(name, options.profile)}\n", 1)
    for part in measures_of_nickname(name, options.profile) if name in NICKNAMES else (name,):
        if part == name and not options.measures.get(part):
            options.measures[part] = parameters
        else:
            options.measures.setdefault(part, "")


def _suggestion(name: str, profile: str) -> str:
    """Return the end of the message for a measure that the profile does not know: a similar name."""
    if name in ONLY_10:
        return f", which {profile} does not have"
    near = nearest_name(name)
    return f"; did you mean {near}?" if near else ""
