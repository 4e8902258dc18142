"""What this package adds to pages of the core."""

from __future__ import annotations


def register() -> None:
    """Nothing yet."""
