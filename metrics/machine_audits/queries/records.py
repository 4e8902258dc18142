"""The design and the figures of an audit as plain values, for JSON."""

from __future__ import annotations

from typing import Any

from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from metrics.machine_audits.queries.figures import audit_report, counts_of, probe_rows
from metrics.machine_audits.queries.runs import run_difference
from metrics.machine_audits.queries.samples import audited_sample
from metrics.machine_audits.report import AuditReport, RunDifference


def chosen_difference(
    reads: CampaignReads,
    audit: MachineAudit,
    report: AuditReport | None,
    cutoff: int,
    first: str = "",
    second: str = "",
) -> RunDifference | None:
    """Return the difference of two runs by tag; where a tag is of no run, that of the best by machine labels.

    None before there are estimates, with fewer than two runs, or if one run was asked for twice.
    """
    tags = [row.tag for row in report.runs] if report else []
    if len(tags) < 2:
        return None
    first, second = (
        tag if tag in tags else default for tag, default in zip((first, second), tags, strict=False)
    )
    return run_difference(reads, audit, cutoff, first, second) if first != second else None


def audit_record(
    reads: CampaignReads, audit: MachineAudit, cutoff: int, first: str = "", second: str = ""
) -> dict[str, Any]:
    """Return the design, the counts and the figures of an audit. first, second: tags of two runs."""
    report = audit_report(reads, audit, cutoff)
    difference = chosen_difference(reads, audit, report, cutoff, first, second)
    return {
        "audit": audit.number,
        "machine": audit.machine.user.username,
        "model": audit.machine.model,
        "design": audit.design,
        "counts": counts_of(audit, audited_sample(reads, audit))._asdict(),
        "intervals": "95 %, for these topics: other topics can differ more",
        "figures": plain(report) if report else None,
        "difference": plain(difference) | {"finding": difference.sentence} if difference else None,
        "probes": plain(probe_rows(audit)),
    }


def plain(value: Any) -> Any:
    """Return named tuples as dictionaries, at every depth."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
