"""What must hold of the rows of a campaign archive, checked before a transaction begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Model

from assess.models import JudgmentEvent
from config.archives.files import check_files
from config.archives.rows import instance_of, steps
from config.archives.tables import campaign_models, label_of, links_of
from config.archives.zipped import Archive, BadArchive

Known = dict[type[Model], set[Any]]
"""model -> the numbers of its rows in the archive."""


def check_rows(archive: Archive, known: Known) -> list[str]:
    """Read every row; return the names of the files that rows refer to.

    known: the people of the archive. Raises BadArchive for a row that is not of its table, that refers to a
    row or a file which the archive lacks, or that is on this server already, and for a file of no row.
    """
    names: set[str] = set()
    for model in campaign_models():
        label, known[model] = label_of(model), set()
        if label not in archive.tables:
            raise BadArchive(f"expected a table {label}")
        for step in steps(model, (instance_of(model, row) for row in archive.rows(label))):
            for row in step:
                _check_links(row, known)
                names.update(check_files(archive, row))
                known[model].add(row.pk)
            if model is JudgmentEvent:
                _check_labels_are_new(step)
    if without := archive.files.keys() - names:
        raise BadArchive(f"files/{min(without):.200}: expected a row that refers to this file, found none")
    return sorted(names)


def _check_links(row: Model, known: Known) -> None:
    for field, target in links_of(type(row)):
        number = getattr(row, field.attname)
        if number is not None and number not in known[target]:
            raise BadArchive(f"{label_of(type(row))}: there is no {label_of(target)} {number!r:.80}")


def _check_labels_are_new(events: Iterable[Any]) -> None:
    there = JudgmentEvent.objects.filter(uuid__in=[event.uuid for event in events])
    if event := there.select_related("pooled__topic__campaign").first():
        raise BadArchive(
            f"the label {event.uuid} is here already, in the campaign {event.pooled.topic.campaign.slug}: "
            "expected an archive of a campaign that is not on this server"
        )
