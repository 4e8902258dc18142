from __future__ import annotations

import nh3
from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()
renderer = MarkdownIt("commonmark")


@register.filter
def markdown(text: str) -> SafeString:
    """Render CommonMark; whatever HTML it holds is cleaned by an allow-list."""
    return mark_safe(nh3.clean(renderer.render(text)))
