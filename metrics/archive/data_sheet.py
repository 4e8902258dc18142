"""The data sheet of a collection: its content, its origin and its uses.

After Gebru et al., Datasheets for Datasets, Communications of the ACM 64 (2021): their sections, as far as a
campaign knows the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assess.kappa.coefficient import Coefficient
from assess.release.judge_counts import JudgeCounts
from assess.release.sources import SHOWN

MISSING_WORDS = "A document that is not in the qrels was not judged; most measures count it as not relevant."


class DataSheet(NamedTuple):
    """The data of a data sheet. release: the manifest. pools: one sentence each. citation: as text."""

    description: str
    release: Mapping[str, Any]
    judges: JudgeCounts
    pools: Sequence[str]
    agreement: Sequence[Coefficient]
    runs: int
    groups: int
    originals: int
    measures: Sequence[str]
    profile: str
    citation: str
    licence: str = ""
    contact: str = ""
    home_page: str = ""


def data_sheet(sheet: DataSheet) -> str:
    """Return the sheet as Markdown."""
    manifest = sheet.release
    parts = [
        (f"{manifest['title']}, release {manifest['release']}", [one_paragraph(sheet.description)]),
        ("Composition", composition(sheet)),
        ("Collection process", collection_process(sheet)),
        ("Agreement of the judges", agreement(sheet.agreement)),
        ("Uses", uses(sheet)),
        ("Distribution and maintenance", distribution(sheet)),
    ]
    head, *others = [(title, [line for line in lines if line]) for title, lines in parts]
    text = [f"# {head[0]}", *head[1]]
    for title, lines in others:
        text += [f"## {title}", *lines]
    return "\n\n".join(text) + "\n"


def one_paragraph(text: str) -> str:
    """Return a text as one Markdown paragraph that does not start a heading or a list."""
    return " ".join(text.split()).lstrip("#>-*+ ")


def composition(sheet: DataSheet) -> Iterator[str]:
    manifest = sheet.release
    yield (
        f"{manifest['judgments']:,} judgments of {manifest['topics']:,} topics, of which "
        f"{manifest['relevant']:,} are relevant (grade {manifest['threshold']} or more). {MISSING_WORDS}"
    )
    yield grade_table(manifest)
    if sheet.runs:
        files = f"the files of {sheet.originals}" if sheet.originals else "no run files"
        groups = f" by {sheet.groups} group{'' if sheet.groups == 1 else 's'}" if sheet.groups else ""
        runs = f"{sheet.runs} run{'' if sheet.runs == 1 else 's'}"
        yield f"Scores of {runs}{groups}; {files} are in the archive."
    yield (
        "The documents themselves are not part of it. BEIR needs them, and ir_datasets reads them: put "
        "`corpus.jsonl` beside this file, one JSON object a line with `_id` (the docno), `title` and `text`."
    )


def _meaning(step: Mapping[str, Any]) -> str:
    """Return the definition of a grade and its example."""
    example = step.get("example", "")
    return (
        f"{step.get('definition', '')} Example: {example}".strip() if example else step.get("definition", "")
    )


def grade_table(manifest: Mapping[str, Any]) -> str:
    counts = {int(grade): count for grade, count in manifest.get("grades", {}).items()}
    rows = [
        (step["value"], cell(step["label"]), cell(_meaning(step)), f"{step.get('gain', 0):g}",
         f"{counts.get(int(step['value']), 0):,}")
        for step in manifest["scale"]
    ]  # fmt: skip
    table = [("Grade", "Name", "Definition", "Gain", "Judgments"), ("---",) * 5, *rows]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in table)


def cell(text: str) -> str:
    """Return a text escaped for a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def collection_process(sheet: DataSheet) -> Iterator[str]:
    manifest = sheet.release
    yield from sheet.pools
    yield from (statement["sentence"] for statement in manifest.get("selection", []))
    shown = sum(count for sources, count in manifest.get("sources", {}).items() if SHOWN in sources)
    if sheet.judges.people:
        yield (
            f"{sheet.judges.who} labelled the documents, without seeing runs, ranks or the labels of other "
            "judges."
        )
    if sheet.judges.elsewhere:
        yield sheet.judges.about_elsewhere
    yield (
        f"{manifest['judged_by_several']:,} documents have labels of several judges. "
        f"Rule by which grades became one: {manifest['rule']}."
    )
    if shown:
        yield (
            f"{shown:,} judgments have labels of people who saw a machine's grade while they judged. These "
            "labels are not independent of the machine."
        )
    for machine in manifest.get("machines", []):
        yield f"Labels of a machine took part: {cell(machine['model'])}, of {machine['made_on']}."
    if sources := manifest.get("sources"):
        counts = ", ".join(f"{source} {count:,}" for source, count in sources.items())
        yield f"Judgments by source (`sources.tsv` has the source of each): {counts}."
    if left := manifest.get("pooled_without_a_grade"):
        yield f"{left:,} pooled documents have no line in the qrels."


def agreement(coefficients: Sequence[Coefficient]) -> Iterator[str]:
    if not coefficients:
        yield "Not known for this release."
    yield "\n".join(f"- {sentence(coefficient)}" for coefficient in coefficients)


def sentence(coefficient: Coefficient) -> str:
    """Return a sentence on a coefficient: its value with n and interval, or why it is undefined.

    >>> sentence(Coefficient("Fleiss' kappa", None, "there are no labels"))
    "Fleiss' kappa: undefined, there are no labels"
    """
    if coefficient.value is None:
        return f"{coefficient.name}: undefined, {coefficient.reason}"
    ends = coefficient.interval
    interval = (
        f"95 % interval {ends[0]:.3f} to {ends[1]:.3f}" if ends else f"no interval: {coefficient.no_interval}"
    )
    return f"{coefficient.name}: {coefficient.value:.3f} ({coefficient.n:,} documents; {interval})"


def uses(sheet: DataSheet) -> Iterator[str]:
    made = (
        "Made to compare retrieval systems on these topics. Scores"
        if sheet.runs
        else "Made without runs of retrieval systems. Scores of a system that is compared on it later"
    )
    yield (
        f"{made} are means over topics in the profile {sheet.profile} ({', '.join(sheet.measures)}); "
        "a topic that a run lacks counts 0."
    )
    yield (
        "A system that was not pooled finds documents that nobody judged: report its share of unjudged "
        "documents beside its score."
    )
    yield (
        "`load/` has programs that load it with pandas, polars, ir_datasets, PyTerrier and BEIR. "
        "`ir_dataset.py` registers it with ir_datasets."
    )


def distribution(sheet: DataSheet) -> Iterator[str]:
    yield f"Cite as: {one_paragraph(sheet.citation)}"
    details = {"Licence": sheet.licence, "Contact": sheet.contact, "Home page": sheet.home_page}
    for title, value in details.items():
        if value:
            yield f"{title}: {one_paragraph(value)}"
    yield "A release never changes; a correction is the next one. `SHA256SUMS` has every file's checksum."
