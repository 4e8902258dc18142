"""Send immutable files, with the checksum as ETag and support for byte ranges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from accounts.models import User
from assess.byte_ranges import ByteRange, FilePart, Unsatisfiable, parse_range
from assess.models import ReleaseFile
from assess.queries.independence import count_hidden_labels
from assess.release.formats import kind_of
from pooling.models import Campaign

Response = TypeVar("Response", bound=HttpResponseBase)
IMMUTABLE_CACHE = "private, max-age=31536000, immutable"


def download(request: HttpRequest, stored: ReleaseFile, name: str) -> HttpResponseBase:
    """Return a file of a release: 200, 206 for a range, 304 if unmodified, 416 for an invalid range."""
    etag = f'"{stored.sha256}"'
    if unmodified := get_conditional_response(request, etag=etag):
        return with_cache_headers(unmodified, etag)
    try:
        span = requested_part(request, etag, stored.size)
    except Unsatisfiable:
        refused = HttpResponse(status=416, headers={"Content-Range": f"bytes */{stored.size}"})
        return with_cache_headers(refused, etag)
    kind = kind_of(stored.kind)
    if span is None:
        file = stored.file.open("rb")
        response = FileResponse(file, as_attachment=True, filename=name, content_type=kind.content_type)
        return with_cache_headers(response, etag)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Range": span.header(stored.size),
        "Content-Length": str(span.stop - span.start),
    }
    part = StreamingHttpResponse(
        part_of(stored.file, span), status=206, content_type=kind.content_type, headers=headers
    )
    return with_cache_headers(part, etag)


def requested_part(request: HttpRequest, etag: str, size: int) -> ByteRange | None:
    """Return the requested range, or None for the whole file, also if If-Range names another version."""
    header = request.headers.get("Range", "")
    if request.headers.get("If-Range", etag) != etag:
        return None
    return parse_range(header, size)


def part_of(file: FieldFile, span: ByteRange) -> Iterable[bytes]:
    """Return a range of a stored file. From a bucket only that range is fetched."""
    if hasattr(file.storage, "part"):  # a bucket
        chunks: Iterable[bytes] = file.storage.part(file.name, *span)
        return chunks
    return FilePart(file.open("rb"), span)


def with_cache_headers(response: Response, etag: str) -> Response:
    """Add the cache headers of an immutable file."""
    response["ETag"], response["Accept-Ranges"], response["Cache-Control"] = etag, "bytes", IMMUTABLE_CACHE
    # cached by the browser without limit, but not for the next user who signs in there
    patch_vary_headers(response, ["Cookie"])
    return response


def with_hidden_count(
    response: StreamingHttpResponse, user: User, campaign: Campaign
) -> StreamingHttpResponse:
    """Add a header with the number of labels that the file omits, if it omits any."""
    if count := count_hidden_labels(user, campaign):
        response["X-Labels-Left-Out"] = str(count)
    return response
