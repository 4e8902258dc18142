"""Topics without a judge are given away in shares of documents, or up to a number of them."""

from __future__ import annotations

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.allocation import fill_quotas
from assess.models import Assignment
from assess.services.assignments import assign, assign_as_planned
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/distribute/"
CONFIRM = {"topics": "all", "counts": "shares"}


def build_campaign(make: Factory) -> Campaign:
    """Nine topics of five documents; topic 1 is alice's already."""
    campaign = make.make_campaign()
    add_member(campaign, make.make_user("eve"), Role.JUDGE)
    numbers = "123456789"
    for number in numbers:
        make.make_topic(campaign, number, f"topic {number}")
    make.make_run(
        campaign, "\n".join(f"{number} D{rank} {9 - rank}" for number in numbers for rank in range(5))
    )
    make.make_pool(campaign)
    assign([make.make_user("alice")], campaign.topics.filter(number="1"))
    return campaign


@pytest.fixture
def organiser(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def numbers(make: Factory, **by_name: float) -> dict[str, float]:
    return {f"share_{make.make_user(name).pk}": number for name, number in by_name.items()}


def topics_of(campaign: Campaign, *names: str) -> list[int]:
    rows = Assignment.objects.filter(topic__campaign=campaign)
    return [rows.filter(judge__username=name).count() for name in names]


@given(
    st.dictionaries(st.text("123", min_size=1, max_size=3), st.integers(1, 50), max_size=20),
    st.dictionaries(st.sampled_from(["ada", "ben", "chi"]), st.integers(0, 200)),
)
def test_nobody_begins_a_topic_after_the_quota(sizes: dict[str, int], quotas: dict[str, int]) -> None:
    plan = fill_quotas(sizes, quotas)
    for judge, quota in quotas.items():
        own = sorted((sizes[topic] for topic, who in plan.items() if who == judge), reverse=True)
        assert not own or sum(own[:-1]) < quota
    if plan.keys() != sizes.keys():  # something is left: every quota is reached
        for judge, quota in quotas.items():
            assert sum(sizes[topic] for topic, who in plan.items() if who == judge) >= quota


def test_all_topics_without_a_judge_are_given_in_shares(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    assert f'href="{URL}"' in markup(organiser.get("/campaigns/tiny/judging/"))
    page = markup(organiser.get(URL))
    assert "Topics without a judge" in page and "2, 5, 8" in page
    data = CONFIRM | numbers(make, alice=0, bob=3, eve=1)
    assert "8 new assignments." in markup(organiser.post(URL, data, follow=True))
    assert topics_of(campaign, "alice", "bob", "eve") == [1, 6, 2]
    assert "Every topic has a judge" in markup(organiser.get(URL))


def test_numbers_of_documents_leave_what_is_over(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    data = CONFIRM | numbers(make, alice=0, bob=10, eve=12) | {"counts": "documents"}
    page = " ".join(markup(organiser.post(URL, data | {"preview": "1"})).split())
    assert "3 topics stay without a judge." in page and topics_of(campaign, "bob") == [0]
    organiser.post(URL, data)
    assert topics_of(campaign, "alice", "bob", "eve") == [1, 2, 3]


def test_a_topic_that_got_a_judge_meanwhile_is_left_out(campaign: Campaign, make: Factory) -> None:
    bob, eve = make.make_user("bob"), make.make_user("eve")
    plan = dict.fromkeys(campaign.topics.filter(number__in="23"), bob)
    assign([eve], campaign.topics.filter(number="2"))
    assert assign_as_planned(plan) == 1
    assert topics_of(campaign, "bob", "eve") == [1, 1]


@pytest.mark.parametrize(
    "wrong", [{"topics": "1"}, {"topics": "99"}, {"counts": "dice"}, {"topics": ""}, {"counts": ""}]
)
def test_wrong_choices_assign_nothing(
    campaign: Campaign, organiser: Client, make: Factory, wrong: dict[str, str]
) -> None:
    response = organiser.post(URL, CONFIRM | numbers(make, alice=1, bob=1, eve=1) | wrong)
    assert response.status_code == 200
    assert topics_of(campaign, "alice", "bob", "eve") == [1, 0, 0]
