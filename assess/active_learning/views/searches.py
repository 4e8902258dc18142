"""Search while judging: a judge looks for documents of the collection, and adds them to the own queue."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from accounts.requests import UserRequest, get_or_post
from assess.active_learning.forms import FoundForm, SearchForm
from assess.active_learning.queries.searches import search, searchable_reviews
from assess.active_learning.services.reviews import ReviewRefused
from assess.active_learning.services.searches import add_found_documents
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.words import counted


@never_cache
@get_or_post
def review_search(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show what a search finds. A POST adds chosen documents of it to the judge's own queue."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    review = get_object_or_404(searchable_reviews(request.user, campaign), topic__number=number)
    review.campaign = campaign
    given = request.POST if request.method == "POST" else request.GET
    form, results = SearchForm(given if "words" in given else None), None
    if form.is_valid():
        words = form.cleaned_data["words"]
        results = search(review, request.user, words)
        if request.method == "POST":
            chosen = FoundForm(request.POST, found=results.free)
            if chosen.is_valid():
                try:
                    added = add_found_documents(review, request.user, chosen.cleaned_data["rows"], words)
                except ReviewRefused as error:
                    messages.warning(request, str(error))
                    return redirect("assess:my_topics", slug)
                messages.success(request, f"{counted(added, 'document')} added: next in your queue.")
                page = reverse("assess:review_search", args=[slug, number])
                return redirect(f"{page}?{urlencode({'words': words})}")
            form.add_error(None, "Choose documents that are not in your queue yet.")
    context = {"campaign": campaign, "topic": review.topic, "review": review, "form": form, "found": results}
    return render(request, "assess/active_learning/review_search.html", context)
