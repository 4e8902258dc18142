"""The headers of files that WhiteNoise serves before the middleware that protects pages."""

from __future__ import annotations

from collections.abc import MutableMapping

from csp.utils import build_policy


def add_policy(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """Give the pages of the documentation the Content-Security-Policy of the application."""
    if url.startswith("/docs/"):
        headers["Content-Security-Policy"] = build_policy()
        headers["X-Frame-Options"] = "DENY"
