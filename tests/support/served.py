"""The site as a server serves it: through config.wsgi, not through Django's test client."""

from __future__ import annotations

from typing import Any

from config.wsgi import application


def read_to_the_end(environ: dict[str, Any], start: Any) -> list[bytes]:
    """Answer as the site does, and close what was sent, as servers do."""
    answer = application(environ, start)
    try:
        return [b"".join(answer)]
    finally:
        if hasattr(answer, "close"):
            answer.close()
