"""The results of programs on matchings, for organisers and adjudicators."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.matching_programs.queries.labels import programs_of
from assess.matching_programs.services import FILES
from assess.matchings.words import LABELS
from metrics.machine_audits.report import ANSWER_CLASSES
from metrics.matching_programs.queries import result_of, runs_of_its_family
from metrics.matching_programs.verdict import THRESHOLDS
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@require_GET
def matching_program_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the programs of a campaign with their labels."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    context = {
        "campaign": campaign,
        "title": "Matching program results",
        "files": FILES,
        "programs": programs_of(campaign),
        "page_url": "metrics:matching_program_result",
        "setup_url": "assess:matching_program_list",
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/matching_programs/matching_program_result_list.html", context)


@require_GET
def matching_program_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a program beside people."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    programs = campaign.matching_programs.select_related("matching__bank")
    program = get_object_or_404(programs, number=number)
    program.campaign = campaign
    result = result_of(program)
    columns = [each.runs for each in result.measures]
    context = {
        "campaign": campaign,
        "program": program,
        "result": result,
        "uses": [(use, ANSWER_CLASSES[use.answer], use.first_reason) for use in result.verdict],
        "thresholds": THRESHOLDS,
        "values": [LABELS[value] for value in result.agreement.values],
        "matrix": [(LABELS[value], cells, total) for value, cells, total in result.agreement.rows],
        "rows": [(run, own) for run, *own in zip(result.runs, *columns, strict=True)],
        "of_family": runs_of_its_family(program),
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/matching_programs/matching_program_result.html", context)
