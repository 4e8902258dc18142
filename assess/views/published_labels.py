"""The labels of a release as CSV for publication."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from itertools import islice

from django.core.exceptions import PermissionDenied
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from assess.queries.release_states import PublishedLabel, published_labels
from assess.queries.releases import why_file_is_hidden
from assess.release.formats import LABELS
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.spreadsheet import Table

ROWS_AT_ONCE = 2_000


@require_GET
def release_labels(request: UserRequest, slug: str, number: int) -> StreamingHttpResponse:
    """Send the labels of a release with numbers for judges, without comments and times of day."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    release = get_object_or_404(campaign.releases, number=number)
    if refusal := why_file_is_hidden(request.user, campaign, LABELS):
        raise PermissionDenied(refusal)
    return StreamingHttpResponse(
        csv_blocks(release),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-labels-v{number}.csv"'},
    )


def csv_blocks(release: QrelsRelease) -> Iterator[str]:
    """Yield the file in blocks of many lines. An empty grade stands beside the reason why there is none."""
    yield ",".join(PublishedLabel._fields) + "\r\n"
    remaining = published_labels(release)
    while rows := list(islice(remaining, ROWS_AT_ONCE)):
        block = StringIO()
        Table(block).writerows(rows)
        yield block.getvalue()
