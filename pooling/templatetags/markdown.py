from __future__ import annotations

import nh3
from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()
renderer = MarkdownIt("commonmark")
# What Markdown makes, and the few that people write by hand. No pictures: fetching one tells who reads here.
TAGS = {
    "a", "b", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "small", "strong", "sub", "sup", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}


@register.filter
def markdown(text: str) -> SafeString:
    """Render CommonMark; whatever HTML it holds is cleaned by an allow-list."""
    return mark_safe(
        nh3.clean(
            renderer.render(text),
            tags=TAGS,
            attributes=ATTRIBUTES,
            url_schemes={"http", "https", "mailto"},
        )
    )
