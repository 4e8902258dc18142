"""Pools on the command line: `python -m pooling.pool --strategy depth --k 7 RUN...`.

Prints lines `topic docno`, or the manifest from which the same pool can be made again (`--rebuild`).
Runs are plain, gz, bz2 or xz. Whatever is wrong is said on standard error, with file and line, and exits 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, BadLine, decode, unpack
from pooling.formats.qrels import parse_qrels
from pooling.formats.run_order import ASCENDING, DESCENDING
from pooling.formats.runs import BY_SCORE, parse_run
from pooling.intake.fields import QRELS, RUN
from pooling.intake.options import add_map_option, add_word_option, reading_of
from pooling.intake.tables import AS_IT_IS, Reading
from pooling.manifest import PoolPlan, manifest_of, pairs_text, pool_plan_of
from pooling.progress import progress
from pooling.quality.coverage import complete_depth
from pooling.refusals import Refused
from pooling.strategies.build import candidates_for
from pooling.strategies.candidates import Pooled
from pooling.strategies.rankings import RunRankings, rank_run
from pooling.strategies.registry import STRATEGIES, strategy_of
from pooling.strategies.strategy import Parameter

PROGRAM = "python -m pooling.pool"
TIES = {"ascending": ASCENDING, "descending": DESCENDING}
KINDS = ("automatic", "manual")
RECORDED_FIELDS = ("tag", "group", "kind", "priority")
EXIT_REFUSED = 2  # the exit code for whatever the caller can put right
PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter for strategy in STRATEGIES.values() for parameter in strategy.parameters
}


@dataclass(frozen=True)
class InputRun:
    """A run and the SHA-256 of its unpacked text."""

    run: RunRankings
    sha256: str

    def named(self, **about: Any) -> InputRun:
        """Return the run with another tag, group, kind or priority."""
        return replace(self, run=replace(self.run, **about))


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Print what the arguments ask for; return the exit code. program: how the command is called."""
    options = _parser(program).parse_args(arguments)
    try:
        print(_answer(options), end="")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Refused as error:
        print(f"pool: {error}", file=sys.stderr)
        return EXIT_REFUSED
    return 0


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Print the pool of some runs as lines `topic docno`. A docno has at most 200 bytes.",
        allow_abbrev=False,
    )
    parser.add_argument("runs", nargs="*", metavar="RUN", help="a run file; plain, gz, bz2 or xz")
    parser.add_argument("--strategy", default="depth", help=f"{', '.join(STRATEGIES)} (default: depth)")
    parser.add_argument("--strategies", action="store_true", help="list the strategies with their parameters")
    parser.add_argument("--manifest", action="store_true", help="print the manifest instead, as JSON")
    parser.add_argument("--rebuild", metavar="FILE", help="make the pool of a manifest again, and compare")
    parser.add_argument("--about", metavar="FILE", help="lines of tag, group, kind, priority; tabs between")
    parser.add_argument("--qrels", metavar="FILE", help="the labels by which a live strategy is played")
    add_map_option(parser, QRELS)
    add_word_option(parser)
    add_map_option(parser, RUN, "--map-run")
    parser.add_argument("--threshold", type=int, default=1, help="the lowest relevant grade (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="what chance depends on (default: 0)")
    parser.add_argument("--ties", choices=TIES, default="ascending", help="docnos of equal score")
    setting = parser.add_argument_group("parameters of strategies, see --strategies")
    for parameter in PARAMETERS.values():
        setting.add_argument(
            _option(parameter), dest=f"set_{parameter.name}", metavar="X", help=parameter.meaning
        )
    return parser


def _option(parameter: Parameter) -> str:
    return "--" + parameter.name.replace("_", "-")


def _answer(options: argparse.Namespace) -> str:
    """Return what is to be printed. Raises Refused, of which BadFile and BadLine are kinds."""
    if options.strategies:
        return "".join(f"{line}\n" for line in _listing())
    if not options.runs:
        raise Refused("expected at least one run file, found none")
    if options.rebuild:
        return _rebuilt(options)
    plan = PoolPlan(options.strategy, _parameters(options), options.seed, TIES[options.ties])
    submitted = _read_runs(options.runs, plan.ties, reading_of(RUN, options.map_run, option="--map-run"))
    if options.about:
        submitted = _described(submitted, _read_about(options.about))
    pooled, labels = _pooled(plan, submitted, options)
    return _manifest(plan, submitted, pooled, labels) if options.manifest else pairs_text(pooled)


def _parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that were set. Raises Refused for an unknown strategy and for wrong values."""
    strategy = strategy_of(options.strategy)
    texts = {name: getattr(options, f"set_{name}") for name in PARAMETERS}
    given = {name: PARAMETERS[name].parse(text) for name, text in texts.items() if text is not None}
    return strategy.checked(given)


def _listing() -> Iterator[str]:
    """Yield the lines that tell the strategies."""
    for strategy in STRATEGIES.values():
        live = " (live: needs labels)" if strategy.live else ""
        yield f"{strategy.name}: {strategy.title}{live}"
        yield f"    {strategy.meaning}; {strategy.citation}"
        for parameter in strategy.parameters:
            default = "none" if parameter.default is None else parameter.default
            yield f"    {_option(parameter)}: {parameter.meaning}; {parameter.expected} (default: {default})"


# what is read


def _content(path: str) -> bytes:
    """Return a file's unpacked bytes. Raises BadFile."""
    try:
        packed = Path(path).read_bytes()
    except OSError as error:
        raise BadFile(f"cannot be read ({error.strerror})", name=path) from None
    return unpack(packed, path)


def _read_runs(paths: Sequence[str], ties: str, reading: Reading) -> list[InputRun]:
    """Return the runs; where two carry the same tag, all go by their file names."""
    submitted = [_read_run(_content(path), path, ties, reading=reading) for path in progress(paths, "runs")]
    if len({input_run.run.tag for input_run in submitted}) == len(submitted):
        return submitted
    names = [Path(path).name.removesuffix(".gz") for path in paths]
    return [input_run.named(tag=name) for input_run, name in zip(submitted, names, strict=True)]


def _read_run(
    content: bytes, path: str, ties: str, order: str = BY_SCORE, reading: Reading = AS_IT_IS
) -> InputRun:
    run = parse_run(content, path, comments=True, order=order, reading=reading)
    _note(path, run.notes)
    ranked = rank_run(run, ties)
    return InputRun(replace(ranked, order=order), sha256_of(content))


def _described(submitted: Sequence[InputRun], about: Mapping[str, Mapping[str, Any]]) -> list[InputRun]:
    """Return the runs with what is known about their tags. Raises Refused for a tag that no run has."""
    if unknown := about.keys() - {input_run.run.tag for input_run in submitted}:
        raise Refused(f"expected only tags of the runs to be described, found {min(unknown)}")
    return [input_run.named(**about.get(input_run.run.tag, {})) for input_run in submitted]


def _read_about(path: str) -> dict[str, dict[str, Any]]:
    """Return tag -> group, kind and priority of the run. Raises BadLine."""
    about = {}
    for number, line in enumerate(decode(_content(path), path).splitlines(), start=1):
        fields = line.split("\t")
        if len(fields) != 4:
            message = "expected 4 fields between tabs (tag, group, kind, priority)"
            raise BadLine(number, f"{message}, found {len(fields)}", path)
        tag, group, kind, priority = fields
        if kind not in KINDS:
            raise BadLine(number, f"expected a kind ({' or '.join(KINDS)}), found {kind!r}", path)
        if not (priority.isascii() and priority.isdigit()):
            raise BadLine(number, f"expected a whole number as priority, found {priority!r}", path)
        about[tag] = {"group": group, "kind": kind, "priority": int(priority)}
    return about


def _note(path: str, notes: Iterable[str]) -> None:
    for note in notes:
        print(f"note: {path}: {note}", file=sys.stderr)


def _read_relevant(path: str, threshold: int, reading: Reading = AS_IT_IS) -> tuple[dict[str, set[str]], str]:
    """Return topic -> relevant docnos, and the SHA-256 of the qrels."""
    content = _content(path)
    qrels = parse_qrels(content, path, reading=reading)
    _note(path, qrels.notes)
    relevant: dict[str, set[str]] = {topic: set() for topic in qrels.topics}
    rows = zip(qrels.topic_of_rows().tolist(), qrels.docnos.tolist(), qrels.grades.tolist(), strict=True)
    for topic, docno, grade in rows:
        if grade >= threshold:
            relevant[qrels.topics[topic]].add(docno.decode())
    return relevant, sha256_of(content)


# what is made


def _pooled(
    plan: PoolPlan, submitted: Sequence[InputRun], options: argparse.Namespace
) -> tuple[Pooled, dict[str, Any]]:
    """Return the pool, and the manifest entry on the labels used to simulate a live strategy."""
    runs = [input_run.run for input_run in submitted]
    if not options.qrels:
        if strategy_of(plan.strategy).live:
            raise Refused(f"{plan.strategy} is live: expected labels to play it by (--qrels FILE)")
        return plan.pool(runs), {}
    relevant, checksum = _read_relevant(
        options.qrels, options.threshold, reading_of(QRELS, options.map, options.word)
    )
    return plan.pool(runs, relevant), {"qrels": checksum, "threshold": options.threshold}


def _manifest(
    plan: PoolPlan, submitted: Sequence[InputRun], pooled: Pooled, labels: Mapping[str, Any]
) -> str:
    checksums = {input_run.run.tag: input_run.sha256 for input_run in submitted}
    runs = [input_run.run for input_run in submitted]
    candidates = candidates_for(plan.strategy, runs, plan.parameters)
    depth = complete_depth(candidates, candidates.among(pooled))
    manifest = manifest_of(plan, runs, checksums, pooled, depth) | dict(labels)
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def _rebuilt(options: argparse.Namespace) -> str:
    """Return the pool of a manifest. Raises Refused when runs, labels or the pool are not the same."""
    manifest = _read_manifest(options.rebuild)
    plan = pool_plan_of(manifest)
    submitted = _recorded(manifest, options.runs, plan.ties)
    options.threshold = manifest.get("threshold", options.threshold)
    pooled, labels = _pooled(plan, submitted, options)
    if labels.get("qrels") != manifest.get("qrels"):
        raise BadFile("the labels are not those of the manifest", name=str(options.qrels))
    checksum = sha256_of(pairs_text(pooled))
    if checksum != manifest.get("sha256"):
        raise Refused(f"expected the pool {manifest.get('sha256')}, found {checksum}")
    return pairs_text(pooled)


def _read_manifest(path: str) -> dict[str, Any]:
    try:
        manifest = json.loads(decode(_content(path), path))
    except json.JSONDecodeError as error:
        raise BadLine(error.lineno, f"expected JSON ({error.msg})", path) from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("runs"), list):
        raise BadFile("expected a manifest with the runs of a pool", name=path)
    return manifest


def _recorded(manifest: Mapping[str, Any], paths: Sequence[str], ties: str) -> list[InputRun]:
    """Return a manifest's runs from files, which their checksums tell apart. Raises Refused."""
    files = {sha256_of(content): (content, path) for path in paths for content in [_content(path)]}
    try:
        return [
            _read_run(*files[record["sha256"]], ties, record.get("order", BY_SCORE)).named(
                **{name: record[name] for name in RECORDED_FIELDS}
            )
            for record in manifest["runs"]
        ]
    except (KeyError, TypeError) as error:
        raise Refused(f"expected every run of the manifest among the files, found none for {error}") from None


if __name__ == "__main__":
    sys.exit(main())
