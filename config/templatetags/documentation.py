"""Links to the documentation, where the site was built."""

from __future__ import annotations

import os

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def documentation_link(page: str, text: str) -> SafeString:
    """Return a link to a page of the documentation, or nothing if the page was not built.

    page: such as "reference/file-formats.html"; "index.html" is the front page.
    """
    root = settings.WHITENOISE_ROOT
    if root is None or not os.path.isfile(os.path.join(root, "docs", page)):
        return SafeString("")
    return format_html('<a href="/docs/{}">{}</a>', page.removesuffix("index.html"), text)
