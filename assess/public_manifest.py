"""What of a release's manifest may be told to everybody: no judge's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OPEN = (
    "campaign", "title", "organisers", "rule", "scale", "threshold", "judgments", "topics", "relevant",
    "grades", "judged_by_several", "without_a_line", "pooled_without_a_grade", "pools", "release",
    "released_at", "sha256", "software",
)  # fmt: skip
OPEN_PLAN = ("topics", "pools", "cannot", "threshold")
PUBLIC_KINDS = ("qrels", "beir", "prels", "citation")
"""The files of a release that everybody may have. The others name judges."""


def is_public(kind: str) -> bool:
    """Tell whether everybody may have a file of this kind; `prels-2` is of the kind prels."""
    return kind.partition("-")[0] in PUBLIC_KINDS


def public_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest in which judges are numbers: judge 1 gave the most grades.

    Only what is known to name nobody is kept, so a field that is added to manifests stays inside until
    somebody adds it here. Organisers stay: they are the authors.
    """
    counts = sorted(manifest.get("judges", {}).values(), reverse=True)
    plan = manifest.get("plan", {})
    machines = [
        {name: value for name, value in machine.items() if name != "judge"}
        for machine in manifest.get("machines", [])
    ]
    return {
        **{name: manifest[name] for name in OPEN if name in manifest},
        "plan": {name: plan[name] for name in OPEN_PLAN if name in plan},
        "judges": {f"judge {place}": count for place, count in enumerate(counts, start=1)},
        "machines": machines,
        "files": {kind: file for kind, file in manifest.get("files", {}).items() if is_public(kind)},
    }
