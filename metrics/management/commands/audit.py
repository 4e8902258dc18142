from __future__ import annotations

import json
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.services.progress import repair_counters
from metrics.queries.audits import every_fault
from pooling.models import Campaign
from pooling.queries.snapshots import snapshot


class Command(BaseCommand):
    help = (
        "Derive anew what is stored: labels from events, releases from labels, scores from files, and every"
        " checksum. One line a fault; exit code 1 when there is one. Judges may work meanwhile."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", nargs="?", help="short name of the campaign")
        parser.add_argument("--all", action="store_true", help="every campaign")
        parser.add_argument("--json", action="store_true", help="JSON Lines: a fault each, then a summary")
        parser.add_argument(
            "--repair", action="store_true", help="first set counters to what events and labels come to"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["campaign"]
        if bool(slug) == options["all"]:
            raise CommandError("Name one campaign, or say --all.")
        campaigns = Campaign.objects.order_by("slug")
        if slug and not campaigns.filter(slug=slug).exists():
            raise CommandError(f"There is no campaign {slug}.")
        chosen = campaigns.filter(slug=slug) if slug else campaigns
        if options["repair"]:
            for campaign in chosen:
                self.stdout.write(f"{campaign.slug}: {repair_counters(campaign):,} counters repaired")
        with snapshot():
            faults = sum(self.audit(campaign, options["json"]) for campaign in chosen)
        if faults:
            raise CommandError(f"{faults:,} {'fault' if faults == 1 else 'faults'} found.")

    def audit(self, campaign: Campaign, as_json: bool) -> int:
        """Tell every fault of a campaign and a summary; return how many faults there are."""
        begun, looked, faults, notes = time.perf_counter(), dict[str, int](), 0, 0
        for fault in every_fault(campaign, looked):
            notes, faults = notes + fault.note, faults + (not fault.note)
            told = fault._asdict() | {"campaign": campaign.slug}
            self.stdout.write(
                json.dumps(told) if as_json else f"{'note' if fault.note else 'FAULT'}: {fault}"
            )
        seconds = time.perf_counter() - begun
        if as_json:
            summary = {"campaign": campaign.slug, "looked_at": looked, "faults": faults, "notes": notes}
            self.stdout.write(json.dumps(summary | {"seconds": round(seconds, 3)}))
        else:
            counts = ", ".join(f"{count:,} {name}" for name, count in looked.items())
            self.stdout.write(
                f"{campaign.slug}: {counts}; {faults:,} faults, {notes:,} notes; {seconds:.2f} s"
            )
        return faults
