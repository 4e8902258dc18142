"""Store figures of runs from tables and headers, and remove them."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from metrics.models import SystemFigures
from metrics.system_quality.files import read_system_figures
from metrics.system_quality.header import read_header_figures
from metrics.system_quality.quantities import RunFigures
from metrics.system_quality.queries import figures_of
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, open_unpacked, unpack
from pooling.formats.run_header import MAX_HEADER_BYTES
from pooling.models import Campaign, Run
from pooling.refusals import Refused
from pooling.services.audit_log import log_change

Origin = SystemFigures.Origin


class FiguresRefused(Refused):
    """Figures of a run cannot be removed; the message says why."""


class LoadedFigures(NamedTuple):
    """What a table changed. runs: with figures in it. changed: whose figures are others than before."""

    runs: int
    changed: int
    note: str


def load_figures(campaign: Campaign, organiser: User, content: bytes, name: str) -> LoadedFigures:
    """Store the figures of a table; those that its runs had before are replaced.

    The table is read before the transaction. Raises BadFile, and then nothing is stored, and StateRefused.
    """
    check_writable(campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    runs = {run.tag: run for run in campaign.runs.active()}
    table = read_system_figures(text, runs.keys(), name)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        stored = {row.run_id: row for row in SystemFigures.objects.filter(run__campaign=campaign)}
        changed = {}
        for tag, figures in table.figures.items():
            former = stored.get(runs[tag].pk)
            if former is None or figures_of(former) != figures:
                changed[tag] = {"was": former.figures if former else None, "is": dict(figures.values)}
                _store(runs[tag], organiser, figures, origin=Origin.TABLE, file_name=name[-255:])
        if changed:
            summary = f"{len(changed)} run{'s' * (len(changed) != 1)}, from {name or 'a table'}"
            about = {"sha256": sha256_of(text), "changes": changed}
            log_change(campaign, organiser, "loaded system figures", summary, **about)
    return LoadedFigures(len(table.figures), len(changed), table.note)


def take_header_figures(run: Run) -> None:
    """Store the figures of the header of a run, or why they cannot be read; nothing if it has none.

    Raises OSError, BadFile and StateRefused.
    """
    with run.original.open("rb") as file:
        start = open_unpacked(file, run.file_name).read(2 * MAX_HEADER_BYTES)
    figures, problem = RunFigures({}), ""
    try:
        figures = read_header_figures(start, run.file_name)
    except BadFile as error:
        problem = str(error)
    if not figures.values and not problem:
        return
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=run.campaign_id)
        if SystemFigures.objects.filter(run=run).exists():
            return
        _store(run, run.submitted_by, figures, origin=Origin.HEADER, problem=problem)
        summary = f"{run.tag}: {problem or ', '.join(figures.values)}"
        about = {"tag": run.tag, "figures": dict(figures.values)}
        log_change(run.campaign, run.submitted_by, "took system figures of a run", summary, **about)


@transaction.atomic
def remove_figures(run: Run, organiser: User) -> None:
    """Remove the figures of a run. Raises FiguresRefused if it has none."""
    Campaign.objects.select_for_update(no_key=True).get(pk=run.campaign_id)
    stored = SystemFigures.objects.filter(run=run).first()
    if stored is None:
        raise FiguresRefused(f"The run {run.tag} has no system figures.")
    about = {"tag": run.tag, "figures": stored.figures, "origin": stored.origin}
    stored.delete()
    log_change(run.campaign, organiser, "removed system figures", run.tag, **about)


def _store(run: Run, by: User, figures: RunFigures, **about: str) -> None:
    values = {
        "figures": dict(figures.values),
        "currency": figures.currency,
        "hardware": figures.hardware,
        "file_name": "",
        "problem": "",
        "loaded_by": by,
        "loaded_at": timezone.now(),
    }
    SystemFigures.objects.update_or_create(run=run, defaults=values | about)
