"""Receipts of runs: what the campaign stored, and when."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

from django.conf import settings

from pooling.formats.files import open_unpacked
from pooling.formats.run_header import MAX_HEADER_BYTES, replace_header
from pooling.models import Run

PIECE_BYTES = 1 << 18  # bytes that are compressed at a time; more than the longest header
GZIP = 16 + zlib.MAX_WBITS
assert PIECE_BYTES > 2 * MAX_HEADER_BYTES


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
        "order": run.get_order_display(),
        "warnings": [warning["what"] for warning in run.warnings],
        "submitted_at": run.submitted_at.astimezone(UTC).isoformat(timespec="seconds"),
        "late": run.is_late,
        "software": f"Jurypool {settings.VERSION}",
    }


def receipt_text(run: Run) -> str:
    """Return the receipt as plain text."""
    return text_of_receipt(f"Receipt of a run submitted to {run.campaign.name}", receipt_of(run))


def text_of_receipt(heading: str, receipt: Mapping[str, Any]) -> str:
    """Return a receipt as plain text, one field per line; fields without a value are left out."""
    lines = [heading, ""]
    for name, value in receipt.items():
        shown = {True: "yes", False: ""}[value] if isinstance(value, bool) else value
        shown = "; ".join(shown) if isinstance(shown, list) else shown
        if shown != "" and name != "campaign_name":
            lines.append(f"{name.replace('_', ' ') + ':':<14}{shown}")
    return "\n".join(lines) + "\n"


def metadata_of(run: Run) -> dict[str, Any]:
    """Return the fields of ir_metadata that the campaign knows of a run, and a part of our own."""
    receipt = receipt_of(run)
    return {
        "tag": run.tag,
        "actor": {"team": run.group},
        "research goal": {"description": run.description},
        "method": {"automatic": "true" if run.kind == Run.Kind.AUTOMATIC else "false"},
        "jurypool": {
            name: receipt[name] for name in ("campaign", "submitted_at", "sha256", "order", "software")
        },
    }


def run_with_metadata(run: Run) -> Iterator[bytes]:
    """Yield the run file, gzip, with an ir_metadata header; the fields of its own header stay."""
    packer = zlib.compressobj(wbits=GZIP)
    with run.original.open("rb") as file:
        plain = open_unpacked(file)
        piece = replace_header(plain.read(PIECE_BYTES), metadata_of(run))
        while piece:
            yield packer.compress(piece)
            piece = plain.read(PIECE_BYTES)
    yield packer.flush()
