"""A/B tests: their plans, files of users, and results. For organisers only."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from metrics.ab_tests.forms import ABTestForm, SizeForm, UsersForm
from metrics.ab_tests.power import detectable
from metrics.ab_tests.queries import (
    ABTestResult,
    ab_test_result,
    ab_tests_with_files,
    other_evidence,
    result_as_json,
)
from metrics.ab_tests.result import COLUMNS, table_rows
from metrics.ab_tests.services import ABTestRefused, create_ab_test, load_users, withdraw_users
from metrics.models import ABTest
from metrics.text_files import indented_json
from metrics.views.file_responses import text_file, tsv_file
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.words import counted


def ab_test_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, ABTest]:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    test = get_object_or_404(campaign.ab_tests, number=number)
    test.campaign = campaign
    return campaign, test


@get_or_post
def ab_test_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the tests. A POST plans another one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = ABTestForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        stored = create_ab_test(campaign, request.user, form.asked(), request_key(request))
        messages.success(request, f"{stored} is planned. Its plan does not change.")
        return redirect("metrics:ab_test", slug, stored.number)
    context = {"campaign": campaign, "form": form, "tests": ab_tests_with_files(campaign)}
    return render(request, "metrics/ab_tests/ab_test_list.html", context)


@get_or_post
def ab_test(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a test. A POST loads a file of its users."""
    campaign, test = ab_test_or_404(request, slug, number)
    form, refused = UsersForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        refused = submit_users(request, test, form)
        if refused is None:
            return redirect("metrics:ab_test", slug, number)
    context = {
        "campaign": campaign,
        "test": test,
        "form": form,
        "refused": refused,
        "found": ab_test_result(test),
        "evidence": other_evidence(campaign),
    }
    return render(request, "metrics/ab_tests/ab_test.html", context)


def submit_users(request: UserRequest, test: ABTest, form: UsersForm) -> BadFile | None:
    file = form.cleaned_data["file"]
    try:
        content, name = read_upload(file), file.name or ""
        stored = load_users(test, request.user, content, name, form.cleaned_data["is_end"], form.reading())
    except BadFile as error:
        return error
    messages.success(request, f"{counted(stored.users, 'user')} counted. The file is not stored.")
    return None


@require_GET
def ab_test_size(request: UserRequest, slug: str) -> HttpResponse:
    """Show which difference a test can find; nothing is stored."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, smallest = SizeForm(request.GET or None), None
    if form.is_valid():
        given = form.cleaned_data
        treated = max(round(given["users"] * given["share"]), 1)
        users = max(given["users"] - treated, 1), treated
        deviations = given["deviation"], given["deviation"]
        smallest = detectable(users, deviations, given["alpha"], given["power"])
    context = {"campaign": campaign, "form": form, "detectable": smallest}
    return render(request, "metrics/ab_tests/ab_test_size.html", context)


def result_or_404(request: UserRequest, slug: str, number: int) -> tuple[ABTest, ABTestResult]:
    _, test = ab_test_or_404(request, slug, number)
    result = ab_test_result(test)
    if result.result is None:
        raise Http404("No file has been loaded.")
    return test, result


@require_GET
def ab_test_tsv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the outcomes with all digits."""
    _, result = result_or_404(request, slug, number)
    assert result.result
    return tsv_file(COLUMNS, table_rows(result.result), f"{slug}-ab-test-{number}.tsv")


@require_GET
def ab_test_json(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the whole result."""
    test, result = result_or_404(request, slug, number)
    text = indented_json(result_as_json(test, result))
    return text_file(text, f"{slug}-ab-test-{number}.json", "application/json")


@post_from("metrics:ab_test", "number")
def ab_test_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then take a file out of the figures of its test."""
    campaign, test = ab_test_or_404(request, slug, number)
    file = get_object_or_404(test.files, pk=pk)
    file.ab_test = test
    if not is_confirmed(request):
        template = "metrics/ab_tests/confirm/ab_test_withdraw.html"
        return confirmation_page(request, campaign, template, file=file, test=test)
    try:
        withdraw_users(file, request.user)
    except ABTestRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{file} is withdrawn.")
    return redirect("metrics:ab_test", slug, number)
