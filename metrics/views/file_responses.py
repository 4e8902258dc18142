"""HTTP responses with files that are generated while they are sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from assess.models import QrelsRelease
from metrics.queries.collections import Collection, archive_of, checksum_of, score_chunks
from metrics.queries.scores import ScoreTable
from metrics.score_formats import FILE_FORMATS, FileFormat
from metrics.text_files import tsv
from pooling.queries.campaigns import topics_jsonl


def file_response(
    request: HttpRequest, chunks: Iterable[bytes], name: str, content_type: str, state: str
) -> HttpResponseBase:
    """Return a response with a file, or 304 if the client has it.

    state: a text that changes whenever the content changes; the ETag is its hash.
    """
    etag = f'"{hashlib.sha256(state.encode()).hexdigest()}"'
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        response = StreamingHttpResponse(chunks, content_type=content_type, headers=headers)
    response["ETag"], response["Cache-Control"] = etag, "private, no-cache"
    patch_vary_headers(response, ["Cookie", "Authorization"])
    return response


def text_file(text: str, name: str, content_type: str = "text/plain; charset=utf-8") -> HttpResponse:
    """Return a response with a file that is made whole."""
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def tsv_file(columns: Iterable[str], rows: Iterable[Mapping[str, Any]], name: str) -> HttpResponse:
    return text_file(tsv(columns, rows), name, "text/tab-separated-values; charset=utf-8")


def scores_response(
    request: HttpRequest, release: QrelsRelease, table: ScoreTable, form: str
) -> HttpResponseBase:
    """Return the scores in a file format, or 501 if the package that writes it is not installed.

    Raises Http404 for an unknown form.
    """
    if form not in FILE_FORMATS:
        raise Http404("There is no such file format of scores.")
    kind = FILE_FORMATS[form]
    if not kind.is_available:
        return HttpResponse(missing_package(kind), status=501, content_type="text/plain; charset=utf-8")
    names = [measure.name for measure in table.measures]
    state = [form, release.sha256, *names, *(f"{run.tag} {run.sha256}" for run in table.runs)]
    name = f"{release.campaign.slug}-scores-v{release.number}{kind.suffix}"
    chunks = score_chunks(form, release, table)
    return file_response(request, chunks, name, kind.content_type, "\n".join(state))


def missing_package(form: FileFormat) -> str:
    """Return the error message for a format whose package is not installed."""
    return f"This server cannot write {form.suffix[1:]}: the package {form.needs} is not installed on it."


def topics_response(request: HttpRequest, release: QrelsRelease) -> HttpResponseBase:
    content = topics_jsonl(release.campaign)
    name = f"{release.campaign.slug}-topics.jsonl"
    return file_response(request, [content], name, "application/jsonl; charset=utf-8", content.decode())


def collection_response(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    chunks = archive_of(collection)
    return file_response(request, chunks, f"{collection.folder}.zip", "application/zip", collection.etag)


def checksum_response(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """Return the checksum file of the archive, for `sha256sum -c`."""
    archive = f"{collection.folder}.zip"
    line = f"{checksum_of(collection)}  {archive}\n"
    return file_response(
        request, [line.encode()], f"{archive}.sha256", "text/plain; charset=utf-8", collection.etag
    )
