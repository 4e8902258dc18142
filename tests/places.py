"""Every place of the site, as the URL configuration tells."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def every_url(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield (name, the parts that its URL asks for)."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from every_url(pattern.url_patterns, pattern.namespace or space)
        else:
            yield f"{space}:{pattern.name}", list(pattern.pattern.regex.groupindex)


URLS = dict(every_url(get_resolver().url_patterns))
