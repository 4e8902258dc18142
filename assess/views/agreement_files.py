"""Downloads of the agreement page: labels, coefficients and pairs of judges."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from io import StringIO
from itertools import islice
from typing import Any

from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS
from assess.kappa.label_file import COLUMNS, MORE_COLUMNS
from assess.kappa.pairs import PAIR_COEFFICIENTS
from assess.kappa.report import report_to_json
from assess.queries.agreement import AgreementScope, agreement_report, overall_agreement
from assess.queries.agreement_pairs import PairRows
from assess.queries.independence import hidden_keys
from assess.queries.labels import LabelRecord, count_suggested, label_records
from assess.views.agreement import READERS, agreement_request
from assess.views.downloads import with_hidden_count
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.spreadsheet import BYTE_ORDER_MARK, Table, escape_formula

ROWS_AT_ONCE = 2_000
OVERALL = (
    "key", "name", "n", "judges", "value", "low", "high", "standard_error", "observed", "expected", "reason",
    "no_interval",
)  # fmt: skip
PAIR = (
    "first",
    "second",
    "n",
    "first_relevant_rate",
    "second_relevant_rate",
    "second_lower",
    "second_higher",
)


@require_GET
def labels(request: UserRequest, slug: str) -> StreamingHttpResponse:
    """Send every current label as TSV, also of programs, with comments and evidence."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    hidden = hidden_keys(request.user, campaign)
    response = StreamingHttpResponse(
        label_lines(campaign, hidden),
        content_type="text/tab-separated-values; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-labels.tsv"'},
    )
    return with_hidden_count(response, request.user, campaign)


def label_lines(campaign: Campaign, hidden: Collection[int]) -> Iterator[str]:
    """Yield the label file in blocks of many lines."""
    yield "\t".join((*COLUMNS, *MORE_COLUMNS)) + "\n"
    remaining = label_records(campaign, hidden)
    while records := list(islice(remaining, ROWS_AT_ONCE)):
        block = StringIO()
        csv.writer(block, delimiter="\t", lineterminator="\n").writerows(map(_label_row, records))
        yield block.getvalue()


def _label_row(label: LabelRecord) -> tuple[object, ...]:
    """Return the cells of a label. Docnos stay as they are, because programs join the file with qrels."""
    grade = label.reason if label.relevance is None else label.relevance
    quote = (label.evidence or {}).get("quote", "")
    words = [escape_formula(" ".join(text.split())) for text in (label.comment, quote)]
    return label.topic, label.docno, label.judge, grade, label.source, label.suggested, *words


@require_GET
def agreement_csv(request: UserRequest, slug: str) -> HttpResponse:
    """Send every coefficient of all judges as CSV, one per line, with bootstrap intervals over topics."""
    options = agreement_request(request, campaign_or_404(request.user, slug, *READERS))
    response = HttpResponse(BYTE_ORDER_MARK, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-agreement.csv"'
    rows = Table(response)
    rows.writerow(OVERALL)
    coefficients = overall_agreement(options.scope).coefficients
    for definition in ALL_JUDGE_COEFFICIENTS:
        coefficient = coefficients[definition.key]
        low, high = coefficient.interval or (None, None)
        rows.writerow([
            definition.key, coefficient.name, coefficient.n, coefficient.judges, coefficient.value, low, high,
            coefficient.standard_error, coefficient.observed, coefficient.expected, coefficient.reason,
            coefficient.no_interval,
        ])  # fmt: skip
    return response


@require_GET
def agreement_json(request: UserRequest, slug: str) -> JsonResponse:
    """Send the whole report as JSON: overall, by topic, by pair with confusion matrices, and by judge."""
    options = agreement_request(request, campaign_or_404(request.user, slug, *READERS))
    report: dict[str, Any] = {
        "machines": sorted(options.scope.matrix.machines),
        "labels_with_machine_on_screen": count_suggested(options.scope.reads, options.scope.topic),
    }
    report |= report_to_json(agreement_report(options.scope))
    response = JsonResponse(report, json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{slug}-agreement.json"'
    return response


@require_GET
def agreement_pairs_tsv(request: UserRequest, slug: str) -> StreamingHttpResponse:
    """Every pair of judges who share a document, those who share most first; an undefined value is empty."""
    options = agreement_request(request, campaign_or_404(request.user, slug, *READERS))
    return StreamingHttpResponse(
        pair_lines(options.scope),
        content_type="text/tab-separated-values; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-pairs.tsv"'},
    )


def pair_lines(scope: AgreementScope) -> Iterator[str]:
    """Yield the lines of the table of pairs, with the values and standard errors of the coefficients."""
    keys = [each.key for each in PAIR_COEFFICIENTS]
    yield "\t".join((*PAIR, *keys, *(f"{key}_standard_error" for key in keys))) + "\n"
    for row in PairRows(scope):
        coefficients = [row.coefficients[key] for key in keys]
        cells = [
            row.first, row.second, row.n, row.first_rate, row.second_rate, row.lower, row.higher,
            *(each.value for each in coefficients), *(each.standard_error for each in coefficients),
        ]  # fmt: skip
        yield "\t".join("" if cell is None else str(cell) for cell in cells) + "\n"
