"""The parts that feature packages add to pages."""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString, mark_safe

from assess.queries.extensions import parts_at
from pooling.models import Campaign

register = template.Library()


@register.simple_tag(takes_context=True)
def page_parts(context: Context, place: str, campaign: Campaign) -> SafeString:
    """Render the parts that feature packages add at a place of this page, with the context of the page."""
    assert context.template
    html = []
    for part in parts_at(place, context["user"], campaign):
        with context.push(**part.context):
            html.append(context.template.engine.get_template(part.template).render(context))
    return mark_safe("".join(html))
