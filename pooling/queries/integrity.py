"""Integrity checks of documents, docnos, runs, pools and the audit log, from what they derive from."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pooling.audit_log import chain_hash
from pooling.checksum import sha256_of, text_hash
from pooling.formats.docnos import UNKNOWN, DocnoTable
from pooling.formats.files import BadFile
from pooling.formats.images import read_image_header
from pooling.formats.run_columns import column_arrays, pack_columns
from pooling.formats.runs import RunFile
from pooling.integrity import Check, Fault, Faults, differing
from pooling.limits import MAX_IMAGE_BYTES
from pooling.manifest import PoolPlan, chosen_topics, manifest_of, pairs_text, pool_plan_of
from pooling.models import Campaign, Pool, PooledDocument, Run, RunColumns
from pooling.quality.coverage import complete_depth
from pooling.queries.drafts import candidates_by_plan
from pooling.queries.reads import PoolingReads
from pooling.queries.runs import read_submitted
from pooling.strategies.candidates import Pooled

ARRAYS = ("topics", "offsets", "ids", "scores", "scoring")
STRATEGIES_WITHOUT_RUNS = ("judged elsewhere", Pool.PROBES, Pool.HIGH_RECALL)  # from files and from labels


def document_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every document: its checksum against its title, its text and its images."""
    images: dict[str, list[str]] = {}
    of_documents = campaign.images.filter(topic=None).order_by("place")
    for docno, sha256 in of_documents.values_list("docno", "sha256"):
        images.setdefault(docno, []).append(sha256)
    rows = campaign.documents.values_list("docno", "title", "text", "text_hash")
    for docno, title, text, stored in rows.iterator(chunk_size=200):
        expected = text_hash(title, text, images.get(docno, ()))
        yield differing("document", docno, {"checksum": (expected, stored)})


def image_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every image: its file against the stored values."""
    for image in campaign.images.order_by("pk").iterator(chunk_size=200):
        try:
            with image.file.open("rb") as file:
                content = file.read(MAX_IMAGE_BYTES + 1)
            header = read_image_header(content)
        except (OSError, BadFile) as error:
            yield [Fault("image", str(image), "a file with a PNG, JPEG, GIF or WebP image", str(error))]
            continue
        yield differing(
            "image",
            str(image),
            {
                "checksum": (sha256_of(content), image.sha256),
                "header": (header, (image.media_type, image.width, image.height)),
            },
        )


def docno_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every block of the docno dictionary: its checksum, its position, and that no docno repeats."""
    table = DocnoTable()
    for start, packed, checksum in _blocks(campaign):
        where = f"block from {start:,}"
        sides: dict[str, tuple[object, object]] = {
            "checksum": (sha256_of(packed), checksum),
            "place": (len(table), start),
        }
        try:
            docnos = _docnos_of(packed)
        except zlib.error as error:
            yield [*differing("docnos", where, sides), Fault("docnos", where, "zlib data", str(error))]
            continue
        before = len(table)
        table.add(docnos)
        sides["number of new docnos"] = len(docnos), len(table) - before
        yield differing("docnos", where, sides)


def run_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every run: its file against the stored values."""
    table = _dictionary(campaign)
    for run in campaign.runs.iterator(chunk_size=20):
        try:
            text, columns = read_submitted(run)
        except (OSError, BadFile) as error:
            yield [Fault("run original", run.tag, f"the file {run.original.name}", str(error))]
            continue
        about: dict[str, tuple[object, object]] = {
            "checksum": (sha256_of(text), run.sha256),
            "line count": (len(columns.docnos), run.line_count),
            "topic count": (len(columns.topics), run.topic_count),
            "tag in the file": (columns.tag[:255], run.file_tag),
        }
        yield [*differing("run", run.tag, about), *_column_faults(run, columns, table)]


def _column_faults(run: Run, columns: RunFile, table: DocnoTable) -> Faults:
    stored = RunColumns.objects.filter(run=run).values(*ARRAYS).first()
    if stored is None:
        return [Fault("run columns", run.tag, "the columns of the file", "none")]
    ids = table.find(columns.docnos)
    if (ids == UNKNOWN).any():
        docno = columns.docnos[ids == UNKNOWN][0].decode()
        return [Fault("run docnos", run.tag, "every docno to have a number", f"{docno} without one")]
    anew = pack_columns(column_arrays(columns, ids))
    sides = {
        f"column {name}": (f"sha256 {sha256_of(anew[name])}", f"sha256 {sha256_of(bytes(stored[name]))}")
        for name in ARRAYS
    }
    return differing("run", run.tag, sides)


def pool_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every pool: its manifest against the stored documents and against the pool built again."""
    before: dict[str, set[str]] = {}
    earlier: list[str] = []
    for pool in campaign.pools.order_by("number"):
        stored = _pooled(pool)
        yield [
            *differing("pool", str(pool), _manifest_sides(pool, stored, earlier)),
            *_rebuilding_faults(pool, stored, before),
        ]
        earlier.append(pool.manifest.get("sha256", ""))
        for topic, documents in stored.items():
            before.setdefault(topic, set()).update(documents)


def _manifest_sides(
    pool: Pool, stored: Mapping[str, Mapping[str, Any]], earlier: list[str]
) -> dict[str, tuple[object, object]]:
    manifest = pool.manifest
    return {
        "checksum of pairs": (sha256_of(pairs_text(stored)), manifest.get("sha256")),
        "number of documents": (sum(map(len, stored.values())), manifest.get("documents")),
        "number of topics": (len(stored), manifest.get("topics")),
        "earlier pools": (earlier, manifest.get("leaves_out")),
        "strategy": (manifest.get("strategy"), pool.strategy),
        "parameters": (manifest.get("parameters"), pool.parameters),
    }


StoredRanks = dict[str, dict[str, tuple[int | None, int]]]


def _pooled(pool: Pool) -> StoredRanks:
    """Return topic -> docno -> best rank and number of runs, as stored."""
    rows = PooledDocument.objects.filter(pool=pool).order_by("pk")
    stored: StoredRanks = {}
    fields = rows.values_list("topic__number", "docno", "best_rank", "run_count")
    for topic, docno, best_rank, run_count in fields.iterator():
        stored.setdefault(topic, {})[docno] = best_rank, run_count
    return stored


def _rebuilding_faults(pool: Pool, stored: StoredRanks, before: Mapping[str, set[str]]) -> Faults:
    if pool.strategy in STRATEGIES_WITHOUT_RUNS:
        return []
    named = {entry["tag"]: entry["sha256"] for entry in pool.manifest["runs"]}
    runs = list(pool.campaign.runs.filter(tag__in=named).order_by("tag"))
    sha256_by_tag = {run.tag: run.sha256 for run in runs}
    if faults := differing(
        "pool", str(pool), {f"run {tag}": (sha256_by_tag.get(tag), named[tag]) for tag in named}
    ):
        return faults
    try:
        anew, manifest = _rebuilt(pool, runs, before)
    except (ValueError, LookupError, AttributeError, zlib.error) as error:
        return [Fault("pool re-built", str(pool), "a pool from its manifest", str(error))]
    again = {t: {docno: (how.best_rank, how.run_count) for docno, how in anew[t].items()} for t in anew}
    computed_and_stored = {
        side: (value, pool.manifest.get(side)) for side, value in manifest.items() if side != "runs"
    }
    return [
        *differing("pool re-built", str(pool), computed_and_stored),
        *_pair_faults(f"{pool}", again, stored),
    ]


def _rebuilt(pool: Pool, runs: list[Run], before: Mapping[str, set[str]]) -> tuple[Pooled, dict[str, Any]]:
    """Return the pool built again from the runs, and its manifest as plain JSON values."""
    is_unjudged = pool.strategy == Pool.UNJUDGED
    topics = chosen_topics(pool.manifest)
    depth = PoolPlan("depth", pool.manifest["parameters"], topics=topics)
    plan = depth if is_unjudged else pool_plan_of(pool.manifest)
    candidates = candidates_by_plan(PoolingReads(pool.campaign), runs)(plan)
    new = plan.choose(candidates) & ~candidates.among(before)
    pooled = candidates.pooled(new)
    if is_unjudged:
        return pooled, {"sha256": sha256_of(pairs_text(pooled))}
    checksums = {run.tag: run.sha256 for run in runs}
    manifest = manifest_of(plan, runs, checksums, pooled, complete_depth(candidates, new))
    return pooled, json.loads(json.dumps(manifest))


def _pair_faults(where: str, anew: StoredRanks, stored: StoredRanks) -> Faults:
    """Return a fault for the first document of each topic that differs."""
    faults = []
    for topic in sorted({*anew, *stored}):
        new, old = anew.get(topic, {}), stored.get(topic, {})
        differ = sorted(docno for docno in {*new, *old} if new.get(docno) != old.get(docno))
        if differ:
            others = f" ({len(differ) - 1:,} more in this topic)" if len(differ) > 1 else ""
            location = f"{where}, topic {topic}, {differ[0]}{others}"
            pair = (_place(new.get(differ[0])), _place(old.get(differ[0])))
            faults.append(Fault("pooled document", location, *pair))
    return faults


def _place(how: tuple[int | None, int] | None) -> str:
    return f"best rank {how[0]} in {how[1]} runs" if how else "not pooled"


def _blocks(campaign: Campaign) -> Iterator[tuple[int, bytes, str]]:
    rows = campaign.docno_blocks.order_by("start").values_list("start", "docnos", "checksum")
    for start, packed, checksum in rows.iterator(chunk_size=20):
        yield start, bytes(packed), checksum


def _docnos_of(packed: bytes) -> Any:
    return np.array(zlib.decompress(packed).split(b"\n"))


def _dictionary(campaign: Campaign) -> DocnoTable:
    """Return the docnos from the database, without the cache; damaged blocks are left out."""
    table = DocnoTable()
    for _, packed, _ in _blocks(campaign):
        try:
            table.add(_docnos_of(packed))
        except zlib.error:
            continue
    return table


def audit_log_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every entry of the audit log: its number, and its hash."""
    number, before = 0, ""
    for entry in campaign.audit_log.order_by("number").iterator():
        number += 1
        sides = {
            "number": (number, entry.number),
            "chain_hash": (chain_hash(before, entry.record), entry.chain_hash),
        }
        yield differing("trail", f"entry {entry.number}", sides)
        number, before = entry.number, entry.chain_hash


CHECKS = (
    Check("documents", document_faults),
    Check("images", image_faults),
    Check("blocks of docnos", docno_faults),
    Check("runs", run_faults),
    Check("pools", pool_faults),
    Check("entries of the audit log", audit_log_faults),
)
