"""The results of battles, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import BattleSet
from metrics.battles.queries import (
    RESULT_COLUMNS,
    VOTE_COLUMNS,
    result_json,
    result_rows,
    results_of,
    set_result,
    vote_rows,
)
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.spreadsheet import Table


def set_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> BattleSet:
    campaign = campaign_or_404(request.user, slug, *roles)
    found = get_object_or_404(campaign.battle_sets, number=number)
    found.campaign = campaign
    return found


@require_GET
def battle_result_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of battles with how far they are."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    context = {
        "campaign": campaign,
        "sets": results_of(campaign),
        "is_organiser": is_organiser(campaign.my_roles),
    }
    return render(request, "metrics/battles/battle_result_list.html", context)


@require_GET
def battle_result(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the result of a set of battles. With `prior=on`, strengths have a prior."""
    found = set_or_404(request, slug, number, Role.ADJUDICATOR)
    context = {
        "campaign": found.campaign,
        "set": found,
        "found": set_result(found, found.campaign, wants_prior(request)),
        "is_organiser": is_organiser(found.campaign.my_roles),
        "prior": wants_prior(request),
        "query": "?prior=on" if wants_prior(request) else "",
    }
    return render(request, "metrics/battles/battle_result.html", context)


def is_organiser(roles: Iterable[str]) -> bool:
    return Role.ORGANISER in roles


def wants_prior(request: UserRequest) -> bool:
    return request.GET.get("prior") == "on"


@require_GET
def battle_votes_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the standing votes, a line each."""
    found = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_response(VOTE_COLUMNS, vote_rows(found), f"{slug}-battles-{number}-votes.tsv")


@require_GET
def battle_votes_json(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the standing votes as a list."""
    found = set_or_404(request, slug, number, Role.ORGANISER)
    return json_response(list(vote_rows(found)), f"{slug}-battles-{number}-votes.json")


@require_GET
def battle_result_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the table of systems, best first."""
    found = set_or_404(request, slug, number, Role.ORGANISER)
    rows = result_rows(set_result(found, found.campaign, wants_prior(request)).result)
    return tsv_response(RESULT_COLUMNS, rows, f"{slug}-battles-{number}-results.tsv")


@require_GET
def battle_result_json(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send all figures of the result."""
    found = set_or_404(request, slug, number, Role.ORGANISER)
    result = set_result(found, found.campaign, wants_prior(request)).result
    return json_response(result_json(found, result), f"{slug}-battles-{number}-results.json")


def tsv_response(columns: Iterable[str], rows: Iterable[Mapping[str, Any]], name: str) -> HttpResponse:
    """Return rows as TSV with a line of column names; an undefined figure is an empty cell."""
    stream = io.StringIO()
    table, names = Table(stream, delimiter="\t", lineterminator="\n"), list(columns)
    table.writerow(names)
    table.writerows([row[column] for column in names] for row in rows)
    response = HttpResponse(stream.getvalue(), content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def json_response(content: Any, name: str) -> HttpResponse:
    response = JsonResponse(content, safe=False, json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
