"""What is odd about the runs and the documents of a pool, to be seen before it is frozen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from django.template.defaultfilters import pluralize

from pooling.formats.run_checks import order_warnings
from pooling.manifest import PoolPlan
from pooling.models import Run
from pooling.queries.documents import count_loaded, is_any_loaded, unfinished_imports
from pooling.queries.drafts import Draft, select_new_documents
from pooling.queries.reads import PoolingReads
from pooling.queries.runs import stored_arrays
from pooling.strategies.candidates import Ids

NO_TEXT = "none of its documents is loaded"
NO_OVERLAP = "none of its documents is in another run"


def run_warnings(reads: PoolingReads, runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return tag -> what is odd about the run, for runs of the campaign about which something is odd.

    What the upload warned of comes first, if it concerns the order. The rest is cached until a run or a
    document is added.
    """
    version = [(run.pk, run.tag, run.sha256) for run in runs], reads.docnos_version, reads.newest_document
    compared = reads.cached("run-warnings", version, lambda: _compared_warnings(reads, runs))
    warnings = {run.tag: [*order_warnings(run.warnings), *compared.get(run.tag, ())] for run in runs}
    return {tag: sentences for tag, sentences in warnings.items() if sentences}


def _compared_warnings(reads: PoolingReads, runs: Sequence[Run]) -> dict[str, list[str]]:
    warnings: dict[str, list[str]] = defaultdict(list)
    tags: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        tags[run.sha256].append(run.tag)
    for same in (same_tags for same_tags in tags.values() if len(same_tags) > 1):
        for tag in same:
            warnings[tag].append(f"the same content as {', '.join(other for other in same if other != tag)}")
    ids = [columns.ids for columns in stored_arrays(runs, "ids")]
    for index in _alone(ids) if len(runs) > 1 else ():
        warnings[runs[index].tag].append(NO_OVERLAP)
    if reads.newest_document:
        names = reads.docnos.docnos()
        for run, own in zip(runs, ids, strict=True):
            if not is_any_loaded(reads.campaign, names[own].tolist()):
                warnings[run.tag].append(NO_TEXT)
    return dict(warnings)


def _alone(ids: Sequence[Ids]) -> list[int]:
    """Return the places of the runs that have no document in common with another run, for any topic."""
    distinct = [np.unique(run_ids) for run_ids in ids]
    size = max((int(run_ids[-1]) + 1 for run_ids in distinct if len(run_ids)), default=0)
    counts = np.zeros(size, dtype=np.int64)
    for run_ids in distinct:
        counts[run_ids] += 1
    return [index for index, run_ids in enumerate(distinct) if (counts[run_ids] == 1).all()]


def pool_warnings(reads: PoolingReads, runs: Sequence[Run], plan: PoolPlan, drafted: Draft) -> list[str]:
    """Return a sentence for everything that is odd about a draft."""
    odd = run_warnings(reads, list(reads.campaign.runs.active()))
    sentences = [f"Run {run.tag}: {'; '.join(odd[run.tag])}." for run in runs if run.tag in odd]
    if empty := [topic.number for topic, count in drafted.by_topic if not count]:
        names = ", ".join(empty[:10]) + (", …" if len(empty) > 10 else "")
        sentences.append(f"{len(empty):,} topic{pluralize(len(empty))} without a new document: {names}.")
    candidates, new = select_new_documents(reads, runs, plan)
    docnos = [
        docno.decode() for docno in candidates.docnos(np.unique(candidates.documents.ids[new])).tolist()
    ]
    if missing := len(docnos) - count_loaded(reads.campaign, docnos):
        count = f"{missing:,} of the {len(docnos):,} different documents have no text"
        if files := unfinished_imports(reads.campaign).count():
            what = "the file that waits is" if files == 1 else f"the {files} files that wait are"
            sentences.append(f"{count} yet: {what} loaded when the pool is frozen.")
        else:
            sentences.append(
                f"{count}: judges would see only the docno. Load the documents before you assign topics."
            )
    return sentences
