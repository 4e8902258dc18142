from __future__ import annotations

import json
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.services.counters import repair_counters
from assess.services.unfinished_loads import remove_abandoned_loads
from metrics.queries.integrity import every_fault
from pooling.models import Campaign
from pooling.queries.installation import describe_installation
from pooling.queries.snapshots import snapshot


class Command(BaseCommand):
    help = (
        "Check the integrity of stored data: labels against events, releases against labels, scores against"
        " files, and every checksum. Prints one line per fault; exit code 1 if there is one. Judges can work"
        " meanwhile."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", nargs="?", help="short name of the campaign")
        parser.add_argument("--all", action="store_true", help="every campaign")
        parser.add_argument(
            "--json", action="store_true", help="print JSON Lines: one fault per line, then a summary"
        )
        parser.add_argument(
            "--repair",
            action="store_true",
            help="first remove unfinished loads and recompute the counters from events and labels",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["campaign"]
        if bool(slug) == options["all"]:
            raise CommandError("Name one campaign, or use --all.")
        campaigns = Campaign.objects.order_by("slug")
        if slug and not campaigns.filter(slug=slug).exists():
            raise CommandError(f"There is no campaign {slug}.")
        chosen = campaigns.filter(slug=slug) if slug else campaigns
        if not options["json"]:
            self.stdout.write(f"Checked: {describe_installation()}")
        if options["repair"]:
            for campaign in chosen:
                if removed := remove_abandoned_loads(campaign):
                    self.stdout.write(f"{campaign.slug}: {removed:,} unfinished loads removed")
                self.stdout.write(f"{campaign.slug}: {repair_counters(campaign):,} counters repaired")
        if options["all"] and not campaigns.exists():
            self.stdout.write("There is no campaign.")
        with snapshot():
            faults = sum(self.audit(campaign, options["json"]) for campaign in chosen)
        if faults:
            raise CommandError(f"{faults:,} {'fault' if faults == 1 else 'faults'} found.")

    def audit(self, campaign: Campaign, as_json: bool) -> int:
        """Print every fault of a campaign and a summary; return the number of faults."""
        start, checked, faults, notes = time.perf_counter(), dict[str, int](), 0, 0
        for fault in every_fault(campaign, checked):
            notes, faults = notes + fault.note, faults + (not fault.note)
            entry = fault.as_json() | {"campaign": campaign.slug}
            self.stdout.write(
                json.dumps(entry) if as_json else f"{'note' if fault.note else 'FAULT'}: {fault}"
            )
        seconds = time.perf_counter() - start
        if as_json:
            summary = {"campaign": campaign.slug, "looked_at": checked, "faults": faults, "notes": notes}
            self.stdout.write(json.dumps(summary | {"seconds": round(seconds, 3)}))
        else:
            counts = ", ".join(f"{count:,} {name}" for name, count in checked.items())
            self.stdout.write(
                f"{campaign.slug}: {counts}; {faults:,} faults, {notes:,} notes; {seconds:.2f} s"
            )
        return faults
