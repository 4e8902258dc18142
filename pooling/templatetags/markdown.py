from __future__ import annotations

import nh3
from django import template
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from pooling.limits import MAX_GUIDELINES

register = template.Library()
renderer = MarkdownIt("commonmark")
# What Markdown makes, and the few that people write by hand. No pictures: fetching one tells who reads here.
TAGS = {
    "a", "b", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "small", "strong", "sub", "sup", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
MAX_TAGS = 5_000  # nh3 takes time with the square of the depth of elements: 0.2 s for so many
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}


@register.filter
def markdown(text: str) -> SafeString:
    """Render CommonMark, cleaned by an allow-list; a text beyond the limits is shown as plain text."""
    if len(text) > MAX_GUIDELINES:
        return mark_safe(linebreaks(text, autoescape=True))
    html = renderer.render(text)
    if html.count("<") > MAX_TAGS:
        return mark_safe(linebreaks(text, autoescape=True))
    return mark_safe(
        nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, url_schemes={"http", "https", "mailto"})
    )
