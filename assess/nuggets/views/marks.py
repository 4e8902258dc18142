"""The marks in answers as a file, for organisers and adjudicators, who see the names of runs."""

from __future__ import annotations

import io

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.nuggets.queries.marks import COLUMNS, mark_rows
from assess.nuggets.views.banks import bank_or_404
from pooling.spreadsheet import Table


@require_GET
def nugget_bank_marks(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the marks of a version as TSV, without those in answers of withdrawn runs."""
    stream = io.StringIO()
    table = Table(stream, delimiter="\t", lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(row.values() for row in mark_rows(bank_or_404(request, slug, number)))
    name = f"{slug}-nuggets-v{number}-marks.tsv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(stream.getvalue(), "text/tab-separated-values; charset=utf-8", headers=headers)
