"""Send the stored images of documents and topics."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.documents import image_with, visible_images
from assess.views.downloads import with_cache_headers
from pooling.models import Image
from pooling.queries.campaigns import campaign_or_404

POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""Content-Security-Policy of an image that is opened in a tab of its own."""


@require_GET
def image(request: UserRequest, slug: str, sha256: str) -> HttpResponse:
    """Send an image of a topic, or of a document that the user may see."""
    campaign = campaign_or_404(request.user, slug)
    return image_response(request, image_with(visible_images(request.user, campaign), sha256))


def image_response(request: UserRequest, image: Image | None) -> HttpResponse:
    """Send an image, or 304 if the browser has it. Raises Http404 for none and for a file that is missing.

    The media type is one of four; the browser must not guess another one.
    """
    if image is None:
        raise Http404
    etag = f'"{image.sha256}"'
    if unmodified := get_conditional_response(request, etag=etag):
        return with_cache_headers(unmodified, etag)
    try:
        with image.file.open("rb") as file:
            content = file.read()
    except FileNotFoundError as error:
        raise Http404 from error
    headers = {
        "Content-Disposition": "inline",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": POLICY,
    }
    response = HttpResponse(content, Image.MediaType(image.media_type).value, headers=headers)
    return with_cache_headers(response, etag)
