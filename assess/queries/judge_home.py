"""Where documents are left for a judge, across campaigns."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import User
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_progress import MyTopic, my_topics, pace_of, topic_to_continue
from pooling.models import Campaign, Membership, Role


class JudgeCampaign(NamedTuple):
    """The work of a judge in a campaign. hours: at the judge's pace; None before it is known."""

    campaign: Campaign
    left: int = 0
    topics: int = 0
    hours: float | None = None
    next_topic: MyTopic | None = None


def judge_home(user: User) -> list[JudgeCampaign]:
    """Return the campaigns that are not archived, of a person who is only a judge; none for others."""
    memberships = list(Membership.objects.filter(user=user).exclude(campaign__state=Campaign.State.ARCHIVED))
    if any(membership.role != Role.JUDGE for membership in memberships):
        return []
    campaigns = Campaign.objects.filter(pk__in=[membership.campaign_id for membership in memberships])
    return [_work_in(user, campaign) for campaign in campaigns.order_by("-created_at")]


def _work_in(judge: User, campaign: Campaign) -> JudgeCampaign:
    if not campaign.is_open:
        return JudgeCampaign(campaign)
    with_work = [mine for mine in my_topics(judge, CampaignReads(campaign)) if mine.left]
    left, seconds = sum(mine.left for mine in with_work), pace_of(judge, campaign).seconds
    hours = left * seconds / 3600 if seconds else None
    return JudgeCampaign(campaign, left, len(with_work), hours, topic_to_continue(with_work))
