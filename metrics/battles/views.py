"""The results of battles, for organisers and adjudicators, and their files, for organisers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, post_from, request_key
from assess.models import BattleSet
from metrics.battles.queries import (
    RESULT_COLUMNS,
    VOTE_COLUMNS,
    measures_seen_by,
    result_json,
    result_rows,
    results_of,
    set_result,
    vote_rows,
)
from metrics.battles.services import release_battles
from metrics.text_files import indented_json
from metrics.views.file_responses import text_file, tsv_file
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed


def set_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> BattleSet:
    campaign = campaign_or_404(request.user, slug, *roles)
    battle_set = get_object_or_404(campaign.battle_sets, number=number)
    battle_set.campaign = campaign
    return battle_set


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
    battle_set = set_or_404(request, slug, number, Role.ADJUDICATOR)
    shown = set_result(battle_set, battle_set.campaign, wants_prior(request))
    others = measures_seen_by(request.user, battle_set)
    orders = others.orders(shown.result)
    context = {
        "campaign": battle_set.campaign,
        "set": battle_set,
        "found": shown,
        "others": others,
        "orders": orders,
        "order_rows": [(row, [order.cell(row.system) for order in orders]) for row in shown.result.rows],
        "is_organiser": is_organiser(battle_set.campaign.my_roles),
        "prior": wants_prior(request),
        "query": "?prior=on" if wants_prior(request) else "",
        "releases": battle_set.releases.select_related("released_by"),
    }
    return render(request, "metrics/battles/battle_result.html", context)


def is_organiser(roles: Iterable[str]) -> bool:
    return Role.ORGANISER in roles


def wants_prior(request: UserRequest) -> bool:
    return request.GET.get("prior") == "on"


@require_GET
def battle_votes_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the standing votes, a line each."""
    battle_set = set_or_404(request, slug, number, Role.ORGANISER)
    return tsv_file(VOTE_COLUMNS, vote_rows(battle_set), f"{slug}-battles-{number}-votes.tsv")


@require_GET
def battle_votes_json(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the standing votes as a list."""
    battle_set = set_or_404(request, slug, number, Role.ORGANISER)
    return json_response(list(vote_rows(battle_set)), f"{slug}-battles-{number}-votes.json")


@require_GET
def battle_result_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the table of systems, best first."""
    battle_set = set_or_404(request, slug, number, Role.ORGANISER)
    result = set_result(battle_set, battle_set.campaign, wants_prior(request)).result
    rows = result_rows(result, measures_seen_by(request.user, battle_set))
    return tsv_file(RESULT_COLUMNS, rows, f"{slug}-battles-{number}-results.tsv")


@require_GET
def battle_result_json(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send all figures of the result."""
    battle_set = set_or_404(request, slug, number, Role.ORGANISER)
    result = set_result(battle_set, battle_set.campaign, wants_prior(request)).result
    content = result_json(battle_set, result, measures_seen_by(request.user, battle_set))
    return json_response(content, f"{slug}-battles-{number}-results.json")


def json_response(content: Any, name: str) -> HttpResponse:
    return text_file(indented_json(content), name, "application/json")


@post_from("metrics:battle_result", "number")
def battle_release(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then release the result as it is now."""
    battle_set = set_or_404(request, slug, number, Role.ORGANISER)
    if not is_confirmed(request):
        result = set_result(battle_set, battle_set.campaign).result
        page = "metrics/battles/confirm/battle_release.html"
        return confirmation_page(request, battle_set.campaign, page, set=battle_set, result=result)
    try:
        stored = release_battles(battle_set, request.user, request_key(request))
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{stored} is stored. It never changes.")
    return redirect("metrics:battle_result", slug, number)


@require_GET
def battle_release_file(request: UserRequest, slug: str, number: int, version: int) -> HttpResponseBase:
    """Send the archive of a release."""
    battle_set = set_or_404(request, slug, number, Role.ORGANISER)
    stored = get_object_or_404(battle_set.releases, number=version)
    name = f"{slug}-battles-{number}-v{version}.zip"
    return FileResponse(
        stored.file.open("rb"), as_attachment=True, filename=name, content_type="application/zip"
    )
