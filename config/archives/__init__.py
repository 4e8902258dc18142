"""An installation, or one campaign of it, in one file that any installation of the same version can read."""

from config.archives.campaigns import Arrived, export_campaign, import_campaign, people_map
from config.archives.installation import back_up, restore
from config.archives.zipped import BadArchive

__all__ = [
    "Arrived",
    "BadArchive",
    "back_up",
    "export_campaign",
    "import_campaign",
    "people_map",
    "restore",
]
