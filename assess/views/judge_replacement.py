"""Give all topics of a judge who leaves to others, in one step."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from assess.forms.judge_shares import ReplaceJudgeForm
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_replacement import leaving_judge
from assess.services.assignments import MoveRefused
from assess.services.people import replace_judge
from pooling.models import Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import MemberRefused

PREVIEW = "preview"


@get_or_post
def judge_replace(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show what a judge has to do and who would take it over. A POST moves the topics, or shows a preview."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    judges = User.objects.filter(memberships__campaign=campaign, memberships__role=Role.JUDGE)
    judge = get_object_or_404(judges, pk=pk)
    reads = CampaignReads(campaign)
    leaving = leaving_judge(reads, judge)
    form = ReplaceJudgeForm(request.POST or None, colleagues=leaving.colleagues)
    valid = form.is_valid()
    if valid and PREVIEW not in request.POST:
        try:
            moved = replace_judge(
                campaign, judge, leaving.plan(form.shares()), form.cleaned_data["leaves"], request.user
            )
        except (MoveRefused, MemberRefused) as error:
            messages.warning(request, str(error))
            return redirect("assess:judge_replace", slug, pk)
        takers = len(moved.taken)
        finished = moved.topics - len(leaving.open_topics)
        words = (
            f"{moved.topics:,} topic{pluralize(moved.topics)} of {judge}"
            f"{f', {finished:,} of them finished,' if finished else ''} went to {takers:,}"
            f" judge{pluralize(takers)}, {moved.documents:,} open document{pluralize(moved.documents)}."
        )
        messages.success(request, f"{words} Every label stays.")
        return redirect("assess:people", slug)
    shows_plan = leaving.documents and leaving.colleagues and (valid or not form.is_bound)
    plan = leaving.plan(form.shares()) if shows_plan else {}
    context = {
        "campaign": campaign,
        "reads": reads,
        "leaving": leaving,
        "open_topics": len(leaving.open_topics),
        "left": sum(leaving.documents.values()),
        "form": form,
        "plan": topics_by_judge(
            {topic: taker for topic, taker in plan.items() if leaving.documents[topic]}, leaving.moving(plan)
        ),
        "finished": leaving.finished_in(plan) if plan else [],
        "left_out": leaving.left_out(plan) if plan else [],
    }
    return render(request, "assess/judge_replace.html", context)


def topics_by_judge(
    plan: Mapping[Topic, User], documents: Mapping[Topic, int]
) -> list[tuple[User, list[str], int]]:
    """Return judge, numbers of topics and documents of what each judge would get, by name."""
    by_judge: dict[User, list[Topic]] = {}
    for topic, judge in plan.items():
        by_judge.setdefault(judge, []).append(topic)
    return [
        (judge, [topic.number for topic in topics], sum(documents[topic] for topic in topics))
        for judge, topics in sorted(by_judge.items(), key=lambda each: str(each[0]).lower())
    ]
