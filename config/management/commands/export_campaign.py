from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from config.archives.campaigns import export_campaign
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.words import counted


class Command(CampaignCommand):
    help = "Write one campaign into a zip archive, to be brought to another server with `import_campaign`."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="a new name, such as boats.zip")

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        manifest = export_campaign(campaign, options["file"])
        rows = sum(table["rows"] for table in manifest["tables"].values())
        self.write(f"{options['file']}: {counted(rows, 'row')}, {counted(len(manifest['files']), 'file')}.")
        for each in manifest["left_out"]:
            self.write(
                f"{each['row']}: its files have {counted(each['bytes'], 'byte')} and are left out;"
                " everything else of it is in the archive."
            )
        if missing_files := manifest["lost"]:
            raise Refused(
                f"the storage lacks {counted(len(missing_files), 'file')}, the first is {missing_files[0]};"
                " the archive has everything else."
            )
