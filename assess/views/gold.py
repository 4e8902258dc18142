from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_POST

from accounts.requests import UserRequest, get_or_post
from assess.forms.plans import ProbesForm
from assess.queries.gold import gold_documents
from assess.services.gold import LoadedGold, load_gold, withdraw_gold
from pooling.formats.files import BadFile
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload


@get_or_post
def probes(request: UserRequest, slug: str) -> HttpResponse:
    """Show training and gold documents. A POST loads more of them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, refused = ProbesForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file, kind = form.cleaned_data["file"], form.cleaned_data["kind"]
        try:
            content = read_upload(file) if file else form.cleaned_data["lines"].encode()
            loaded = load_gold(campaign, request.user, kind, content, file.name if file else "")
        except BadFile as error:
            refused = error
        else:
            messages.success(request, loaded_message(loaded))
            return redirect("assess:probes", slug)
    context = {"campaign": campaign, "form": form, "refused": refused, "probes": gold_documents(campaign)}
    return render(request, "assess/probes.html", context)


def loaded_message(loaded: LoadedGold) -> str:
    """Return the message after loading."""
    words = f"{loaded.loaded:,} training or gold document{pluralize(loaded.loaded)} loaded."
    if loaded.new_documents:
        words += f" Not in a pool before: {loaded.new_documents:,}. Load their text under Documents."
    if loaded.from_pools:
        words += f" In a pool before: {loaded.from_pools:,}. They no longer count in the qrels."
    return words


@require_POST
def probes_withdraw(request: UserRequest, slug: str) -> HttpResponse:
    """Withdraw the chosen training and gold documents."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    chosen = [pk for pk in request.POST.getlist("probe") if pk.isdecimal() and len(pk) < 19]
    count = withdraw_gold(campaign, gold_documents(campaign).filter(pk__in=chosen), request.user)
    if count:
        messages.success(
            request, f"{count:,} document{pluralize(count)} withdrawn. Their labels stay, outside the qrels."
        )
    else:
        messages.warning(request, "Nothing was withdrawn. Choose at least one document.")
    return redirect("assess:probes", slug)
