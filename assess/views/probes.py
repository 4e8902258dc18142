from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.requests import UserRequest, get_or_post
from assess.forms.plans import ProbesForm
from assess.queries.probes import probes_of
from assess.services.probe_sets import LoadedProbes, load_probes, withdraw_probes
from pooling.formats.files import BadFile
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload


@get_or_post
def probes(request: UserRequest, slug: str) -> HttpResponse:
    """Training and gold documents; a POST loads more."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, refused = ProbesForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file, kind = form.cleaned_data["file"], form.cleaned_data["kind"]
        try:
            content = read_upload(file) if file else form.cleaned_data["lines"].encode()
            loaded = load_probes(campaign, request.user, kind, content, file.name if file else "")
        except BadFile as error:
            refused = error
        else:
            messages.success(request, words_of(loaded))
            return redirect("assess:probes", slug)
    context = {"campaign": campaign, "form": form, "refused": refused, "probes": probes_of(campaign)}
    return render(request, "assess/probes.html", context)


def words_of(loaded: LoadedProbes) -> str:
    """Return what an organiser reads after loading."""
    words = f"{loaded.loaded:,} probes loaded."
    if loaded.new_documents:
        words += f" {loaded.new_documents:,} were in no pool: load their text under Documents."
    if loaded.from_pools:
        words += f" {loaded.from_pools:,} were pooled to be judged; they count no more and leave the qrels."
    return words


@require_POST
def probes_withdraw(request: UserRequest, slug: str) -> HttpResponse:
    """Give the chosen probes to nobody any more."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    chosen = [pk for pk in request.POST.getlist("probe") if pk.isdecimal() and len(pk) < 19]
    count = withdraw_probes(campaign, probes_of(campaign).filter(pk__in=chosen), request.user)
    if count:
        messages.success(request, f"{count:,} withdrawn. Labels on them stay, apart from the qrels.")
    else:
        messages.warning(request, "Nothing was withdrawn: choose at least one probe.")
    return redirect("assess:probes", slug)
