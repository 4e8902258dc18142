"""The manifest of a release for readers who may not see the names of judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assess.release.judge_counts import judged_elsewhere, labels_of_judges

PUBLIC_FIELDS = (
    "campaign", "title", "organisers", "rule", "scale", "threshold", "judgments", "topics", "relevant",
    "grades", "judged_by_several", "without_a_line", "pooled_without_a_grade", "pools", "release",
    "released_at", "sha256", "software", "sources", "propagated",
    "selection",
)  # fmt: skip
PUBLIC_PLAN_FIELDS = ("topics", "pools", "cannot", "threshold", "machine_use", "propagated")
PUBLIC_KINDS = ("qrels", "beir", "sources", "propagated", "prels", "citation")
"""Kinds of release files that everybody may download. The others contain labels of single judges."""


def is_public(kind: str) -> bool:
    """Return whether everybody may download files of this kind; `prels-2` is of the kind prels."""
    return kind.partition("-")[0] in PUBLIC_KINDS


def public_manifest(manifest: Mapping[str, Any], numbers: Mapping[str, str]) -> dict[str, Any]:
    """Return the manifest that everybody may read: numbers instead of judges' names, public files only.

    numbers: username -> number, as `judge_numbers`.
    """
    return numbered_manifest(manifest, numbers, is_public)


def numbered_manifest(
    manifest: Mapping[str, Any], numbers: Mapping[str, str], has_file: Callable[[str], bool]
) -> dict[str, Any]:
    """Return a manifest with numbers for judges, and with the files of the kinds that `has_file` allows.

    It contains only fields that are known to name nobody: a new field of manifests is private until it is
    added here. Organisers are named, because they are the authors.
    """
    counts, plan = labels_of_judges(manifest), manifest.get("plan", {})
    elsewhere = judged_elsewhere(counts)
    unknown = sorted(counts.keys() - numbers.keys(), key=lambda judge: -counts[judge])  # renamed since
    numbers = {**numbers, **{judge: f"other judge {place}" for place, judge in enumerate(unknown, start=1)}}
    return {
        **{name: manifest[name] for name in PUBLIC_FIELDS if name in manifest},
        "plan": {name: plan[name] for name in PUBLIC_PLAN_FIELDS if name in plan},
        "judges": {number: counts[judge] for judge, number in numbers.items() if judge in counts},
        "judged_elsewhere": [number for judge, number in numbers.items() if judge in elsewhere],
        "machines": [
            machine | {"judge": numbers.get(machine["judge"], "machine")}
            for machine in manifest.get("machines", [])
        ],
        "files": {kind: file for kind, file in manifest.get("files", {}).items() if has_file(kind)},
    }
