"""Send immutable files, with the checksum as ETag and support for byte ranges."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from accounts.models import User
from assess.byte_ranges import FilePart, Span, Unsatisfiable, asked_span
from assess.models import ReleaseFile
from assess.queries.independence import count_hidden_labels
from assess.release_formats.kinds import kind_of
from pooling.models import Campaign

FOR_EVER = "private, max-age=31536000, immutable"


def download(request: HttpRequest, stored: ReleaseFile, name: str) -> HttpResponseBase:
    """Return a file of a release: 200, 206 for a range, 304 if unmodified, 416 for an invalid range."""
    etag = f'"{stored.sha256}"'
    if unmodified := get_conditional_response(request, etag=etag):
        return labelled(unmodified, etag)
    try:
        span = asked_part(request, etag, stored.size)
    except Unsatisfiable:
        refused = HttpResponse(status=416, headers={"Content-Range": f"bytes */{stored.size}"})
        return labelled(refused, etag)
    kind = kind_of(stored.kind)
    if span is None:
        file = stored.file.open("rb")
        whole = FileResponse(file, as_attachment=True, filename=name, content_type=kind.content_type)
        return labelled(whole, etag)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Range": span.header(stored.size),
        "Content-Length": str(span.stop - span.start),
    }
    part = StreamingHttpResponse(
        part_of(stored.file, span), status=206, content_type=kind.content_type, headers=headers
    )
    return labelled(part, etag)


def asked_part(request: HttpRequest, etag: str, size: int) -> Span | None:
    """Return the requested range, or None for the whole file, also if If-Range names another version."""
    header = request.headers.get("Range", "")
    if request.headers.get("If-Range", etag) != etag:
        return None
    return asked_span(header, size)


def part_of(file: FieldFile, span: Span) -> Iterable[bytes]:
    """Return a range of a stored file. From a bucket only that range is fetched."""
    if hasattr(file.storage, "part"):  # a bucket
        chunks: Iterable[bytes] = file.storage.part(file.name, *span)
        return chunks
    return FilePart(file.open("rb"), span)


def labelled(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    """Add the cache headers of an immutable file."""
    response["ETag"], response["Accept-Ranges"], response["Cache-Control"] = etag, "bytes", FOR_EVER
    # cached by the browser without limit, but not for the next user who signs in there
    patch_vary_headers(response, ["Cookie"])
    return response


def with_left_out(response: StreamingHttpResponse, user: User, campaign: Campaign) -> StreamingHttpResponse:
    """Add a header with the number of labels that the file omits, if it omits any."""
    if count := count_hidden_labels(user, campaign):
        response["X-Labels-Left-Out"] = str(count)
    return response
