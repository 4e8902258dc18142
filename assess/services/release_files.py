"""Write the files of a release line by line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from assess.queries.campaign_reads import CampaignReads
from assess.queries.releases import ReleaseCutoff, pool_samples, release_lines
from assess.release.files import FileWriter, WrittenFile
from assess.release.formats import FROM_LINES, NUMBERED, PRELS, prels_line
from assess.release.lines import ReleaseCounts, with_judge_numbers
from assess.release.plan import ReleasePlan
from pooling.strategies.strata import prels_rows

Files = dict[str, WrittenFile]
"""kind -> the finished file."""

OnProgress = Callable[[int], None]
"""Called regularly with the number of lines written so far."""

REPORT_INTERVAL = 1_000


def write_line_files(
    reads: CampaignReads,
    plan: ReleasePlan,
    cutoff: ReleaseCutoff,
    counts: ReleaseCounts,
    folder: Path,
    report: OnProgress,
) -> Files:
    """Write every file that is made of lines, and count them. Return kind -> the finished file."""
    samples = pool_samples(reads, plan)
    sampled = {(t, docno) for sample in samples.values() for t, placed in sample.items() for docno in placed}
    grades: dict[str, dict[str, int]] = {}
    with ExitStack() as open_files:
        writers = {
            kind: open_files.enter_context(
                FileWriter(folder / f"{kind.name}{kind.suffix}", kind.header, kind.packed)
            )
            for kind in FROM_LINES
        }
        for line in release_lines(reads, plan, cutoff):
            counts.add(line)
            if counts.lines % REPORT_INTERVAL == 0:
                report(counts.lines)
            topic, docno = line.document.topic, line.document.docno
            if line.relevance is not None and (topic, docno) in sampled:
                grades.setdefault(topic, {})[docno] = line.relevance
            anonymous = with_judge_numbers(line, cutoff.numbers)
            for kind, writer in writers.items():
                if kind.lines and (kind.all_documents or line.relevance is not None):
                    writer.write(kind.lines(anonymous if kind.name.endswith(NUMBERED) else line))
        files = {kind.name: writer.finish() for kind, writer in writers.items()}
    for number, sample in samples.items():
        with FileWriter(folder / f"{PRELS}-{number}") as writer:
            writer.write(
                prels_line(topic, docno, stratum, grade)
                for topic, _, docno, stratum, grade in prels_rows(sample, grades)
            )
            files[f"{PRELS}-{number}"] = writer.finish()
    return files
