"""Receipts of runs: what the campaign stored, and when."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from django.conf import settings

from pooling.models import Run


def receipt_of(run: Run) -> dict[str, Any]:
    """Return the receipt of a run, for JSON. Times are in UTC. sha256: of the run as text, unpacked."""
    return {
        "campaign": run.campaign.slug,
        "campaign_name": run.campaign.name,
        "group": run.group,
        "tag": run.tag,
        "former_tag": run.former_tag,
        "file_name": run.file_name,
        "sha256": run.sha256,
        "lines": run.line_count,
        "topics": run.topic_count,
        "warnings": [warning["what"] for warning in run.warnings],
        "submitted_at": run.submitted_at.astimezone(UTC).isoformat(timespec="seconds"),
        "late": run.is_late,
        "software": f"Jurypool {settings.VERSION}",
    }


def receipt_text(run: Run) -> str:
    """Return the receipt as plain text, one field per line; fields without a value are left out."""
    lines = [f"Receipt of a run submitted to {run.campaign.name}", ""]
    for name, value in receipt_of(run).items():
        shown = {True: "yes", False: ""}[value] if isinstance(value, bool) else value
        shown = "; ".join(shown) if isinstance(shown, list) else shown
        if shown != "" and name != "campaign_name":
            lines.append(f"{name.replace('_', ' ') + ':':<14}{shown}")
    return "\n".join(lines) + "\n"
