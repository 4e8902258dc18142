"""Where the data are stored if nothing else is set. Nothing here imports Django."""

from __future__ import annotations

import os
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent  # the checkout, or site-packages
CHECKOUT = (BASE_DIR / "manage.py").exists()


def usual_data_folder() -> Path:
    """Return `var/` of a checkout; of the installed package, the folder that the platform has for data."""
    if CHECKOUT:
        return BASE_DIR / "var"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "jurypool"
    named = Path(os.environ.get("XDG_DATA_HOME", ""))  # a relative one is ignored, as the convention says
    return (named if named.is_absolute() else Path.home() / ".local" / "share") / "jurypool"


def demo_data_folder() -> Path:
    """Return the folder of the demonstration, beside that of the data, so that they never mix."""
    usual = usual_data_folder()
    return usual.with_name(f"{usual.name}-demo")
