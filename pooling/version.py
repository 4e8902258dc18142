"""The version of Jurypool, for the site, the library and the package."""

from __future__ import annotations

VERSION = "0.1.0"
