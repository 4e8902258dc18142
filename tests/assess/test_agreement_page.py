"""The agreement page: its parts, its files, and the documents behind its figures."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from sklearn.metrics import cohen_kappa_score

from assess.kappa.bootstrap import ONE_TOPIC
from assess.kappa.coefficient import Coefficient
from assess.queries.agreement import WEEKS, agreement_scope, drift_by_period, overall_agreement
from assess.queries.agreement_pairs import worst_pair
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_matrix import label_matrix
from assess.templatetags.agreements import interval, number
from pooling.models import Campaign
from tests.assess.many_labels import store_labels
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/agreement/"
PARTS = ("overall", "matrix", "pairs", "confusion", "topics", "judges", "drift")


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def shown(make: Factory, place: str = "", name: str = "carol", **query: str | int) -> str:
    """Return a page or file, without the blanks between tags."""
    response = client_of(make, name).get(HOME + place, query)
    assert response.status_code == 200
    return re.sub(r">\s+<", "><", markup(response))


def build_campaign(make: Factory) -> Campaign:
    """Alice and bob on three documents of topic 1 and one of topic 2; they differ on D3."""
    campaign = make.make_pooled_campaign()
    for topic, docno, alice, bob in (
        ("1", "D1", 3, 3),
        ("1", "D2", 0, 0),
        ("1", "D3", 0, 2),
        ("2", "D1", 1, 1),
    ):
        make.make_judgment(campaign, "alice", topic, docno, alice)
        make.make_judgment(campaign, "bob", topic, docno, bob)
    return campaign


@pytest.fixture
def judged(make: Factory) -> Campaign:
    """Twelve topics of ten documents, judged by three people who differ in every fourth one."""
    campaign = make.make_campaign()
    labels = {
        judge: {
            (f"t{topic}", f"d{place}"): (topic + place + (step if (place * topic) % 4 == step else 0)) % 4
            for topic in range(12)
            for place in range(10)
        }
        for step, judge in enumerate(("ann", "bea", "cem"))
    }
    store_labels(campaign, labels)
    return campaign


def test_labels_are_read_as_they_are_stored(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, "1 0 D1 2\n2 0 D1 3\n")
    jury = label_matrix(CampaignReads(campaign))
    assert jury.labels.judges == ("alice", "bob", "tiny/robot") and jury.machines == {"tiny/robot"}
    assert jury.labels.topics == ("1", "2")
    pks = [
        make.pooled(campaign, topic, docno).pk
        for topic, docno in (("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1"))
    ]
    assert list(jury.labels.items) == pks
    assert jury.labels.places.tolist() == [[3, 0, 0, 1], [3, 0, 2, 1], [2, -1, -1, 3]]
    assert jury.people.judges == ("alice", "bob") and jury.names["tiny/robot"] == "robot (machine)"


def test_a_refusal_is_no_grade_and_is_counted(campaign: Campaign, make: Factory) -> None:
    store_refusal(campaign, make)
    jury = label_matrix(CampaignReads(campaign))
    assert jury.refused == 1 and (jury.labels.places[0] >= 0).sum() == 3
    assert "Labels “cannot judge”" in shown(make)


def store_refusal(campaign: Campaign, make: Factory) -> None:
    client_of(make, "alice").post(
        f"/campaigns/tiny/judge/{make.entry(campaign, 'alice', '2', 'D1').pk}/",
        {"uuid": "7f1f0c60-28f0-4b2b-a9c4-3c1f9d8b8f10", "docno": "D1", "reason": "broken", "source": "key",
         "text_hash": jury_text_hash(campaign)},
    )  # fmt: skip


def jury_text_hash(campaign: Campaign) -> str:
    return campaign.pools.get().documents.filter(docno="D1").first().events.first().text_hash  # type: ignore[union-attr]


def light_kappa(campaign: Campaign) -> float | None:
    return overall_agreement(agreement_scope(CampaignReads(campaign))).coefficients["light"].value


def test_labels_are_read_once_until_one_comes_in(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    carol.get(HOME)
    with CaptureQueriesContext(connection) as queries:
        carol.get(HOME)
    assert not [q for q in queries if 'FROM "assess_judgment"' in q["sql"] and "relevance" in q["sql"]]
    before = light_kappa(campaign)
    make.make_judgment(campaign, "bob", "1", "D3", 0)
    assert before is not None and before < 1.0 and light_kappa(campaign) == 1.0


def test_a_campaign_keeps_one_reading_of_its_labels(campaign: Campaign, make: Factory) -> None:
    label_matrix(CampaignReads(campaign))
    size = len(cache._cache)  # type: ignore[attr-defined]
    make.make_judgment(campaign, "bob", "1", "D3", 0)
    assert label_matrix(CampaignReads(campaign)).labels.places[1, 2] == 0
    assert len(cache._cache) == size  # type: ignore[attr-defined]


def test_news_cost_nothing_while_nothing_changed(campaign: Campaign, make: Factory) -> None:
    carol, stamp = client_of(make, "carol"), CampaignReads(campaign).version
    assert f'/agreement/news/?at={stamp}" hx-trigger="every 15s"' in shown(make)
    with CaptureQueriesContext(connection) as queries:
        quiet = carol.get(HOME + "news/", {"at": stamp})
    assert (quiet.status_code, quiet.content, "HX-Trigger" in quiet) == (204, b"", False)
    assert len(queries) <= 6  # session, user, campaign, roles, last event, last return
    make.make_judgment(campaign, "bob", "1", "D3", 0)
    news = carol.get(HOME + "news/", {"at": stamp})
    assert news.status_code == 200 and "new-labels" in json.loads(news["HX-Trigger"])
    assert (
        f"at={CampaignReads(campaign).version}" in markup(news) and CampaignReads(campaign).version != stamp
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_the_same_on_the_page_and_by_itself(judged: Campaign, make: Factory, part: str) -> None:
    query = {"first": "ann", "second": "cem", "of": "cohen-binary"}
    page, alone = shown(make, **query), shown(make, f"{part}/", **query)
    assert alone.startswith(f'<section id="agreement-{part}"') and alone.rstrip() in page
    assert "new-labels from:body" in alone and "of=cohen-binary" in alone


def test_every_coefficient_stands_with_name_n_and_interval(judged: Campaign, make: Factory) -> None:
    page = shown(make, "overall/")
    for name in (
        "Percent agreement",
        "Light's kappa",
        "Fleiss' kappa",
        "Krippendorff's alpha",
        "Overlap of relevant sets",
    ):
        assert name.replace("'", "&#x27;") in page
    mark, table = shown(make, "csv/")[0], shown(make, "csv/")[1:]
    assert mark == "\ufeff"  # by which a spreadsheet knows UTF-8
    rows = csv.DictReader(io.StringIO(table))
    found = {row["key"]: row for row in rows}
    assert found["fleiss"]["n"] == "120" and found["fleiss"]["judges"] == "3"
    low, value, high = (float(found["fleiss"][key]) for key in ("low", "value", "high"))
    assert low < value < high
    row = page.partition("Fleiss&#x27; kappa</th>")[2].partition("</tr>")[0]
    assert row.startswith('<td class="number">120</td>')
    assert f"<b>{value:.3f}</b>" in row and f"{low:.3f} to {high:.3f}" in row


def test_fewer_than_ten_topics_have_no_interval_and_the_page_says_why(
    campaign: Campaign, make: Factory
) -> None:
    for part in ("overall/", "confusion/"):
        page = shown(make, part)
        assert "fewer than 10 topics have documents with labels of two judges" in page
        assert 'class="bounds"' not in page


def test_a_rare_grade_brings_a_warning(campaign: Campaign, make: Factory) -> None:
    for part in ("overall/", "confusion/"):
        assert "Few documents have grade 1: 1." in shown(make, part)


def test_without_a_bootstrap_a_standard_error_is_shown_and_no_interval(
    judged: Campaign, make: Factory
) -> None:
    for part in ("pairs/", "judges/"):
        page = shown(make, part)
        assert "s.e. 0." in page and "</small>" in page and " to 0." not in page


def test_the_chosen_pair_is_compared_as_scikit_learn_compares_it(judged: Campaign, make: Factory) -> None:
    labels = label_matrix(CampaignReads(judged)).labels
    expected = cohen_kappa_score(labels.places[0], labels.places[2], labels=range(4))
    page = shown(make, "confusion/", first="ann", second="cem")
    assert f'Cohen&#x27;s kappa</th><td class="number">120</td><td class="rule"><b>{expected:.3f}</b>' in page
    assert f"with cem: Cohen&#x27;s kappa {expected:.3f}" in shown(make, "matrix/")
    assert "McNemar" in page and "Stuart-Maxwell" in page and "Landis" in page


def test_an_undefined_coefficient_says_why(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2"):
        for judge in ("alice", "bob"):
            make.make_judgment(campaign, judge, "1", docno, 2)
    page = shown(make)
    assert "<i>undefined</i><small>every label is the same: chance alone could not disagree" in page
    assert not re.search(r"\bnan\b", page)


def test_where_people_share_nothing_machines_can_be_counted(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_judgment(campaign, "alice", "1", docno, 2)
    make.make_machine(campaign, "1 0 D1 2\n1 0 D2 0\n1 0 D3 3\n")
    assert "No coefficient is defined: only one judge gave labels. Machine judges are excluded" in shown(
        make, "overall/"
    )
    everybody = shown(make, "overall/", machines="on")
    assert "Human and machine judges" in everybody and "Fleiss" in everybody


def test_the_paradox_is_explained_where_it_occurs(make: Factory) -> None:
    campaign = make.make_campaign()
    rare = {
        judge: {("t", f"d{n}"): 3 if n == only else 0 for n in range(30)}
        for judge, only in (("ann", 1), ("bea", 2))
    }
    store_labels(campaign, rare)
    assert "Prevalence paradox" in shown(make, "confusion/")
    assert "Prevalence paradox" in shown(make, "overall/") and "(prevalence)" in shown(make, "pairs/")


def test_where_classes_are_even_no_paradox_is_shown(judged: Campaign, make: Factory) -> None:
    assert "paradox" not in shown(make)


def test_unknown_options_are_replaced_by_defaults(judged: Campaign, make: Factory) -> None:
    page = shown(make, first="zoe", second="ann", topic="nowhere", of="magic", page="x")
    worst = "<h2>{} and {}</h2>".format(*worst_pair(agreement_scope(CampaignReads(Campaign.objects.get()))))
    assert worst in page and worst in shown(make, first="ann", second="ann")


def test_one_topic_can_be_looked_at_alone(judged: Campaign, make: Factory) -> None:
    page = shown(make, topic="t3")
    assert "10 <small>in 1 topic</small>" in page and "topic=t3" in page
    assert "*</small>" in page  # analytic intervals: there are no topics to draw


def test_a_cell_opens_its_documents_for_those_who_may(campaign: Campaign, make: Factory) -> None:
    query = {"first": "alice", "second": "bob"}
    cell = "row=0&amp;column=2"
    assert cell in shown(make, "confusion/", **query) and cell not in shown(
        make, "confusion/", "rita", **query
    )
    listed = shown(make, "documents/", "ada", row=0, column=2, **query)
    assert "1 document to which alice gave 0 and bob gave 2" in listed
    assert ">D3</a>" in listed and ">D2</a>" not in listed
    differ = shown(make, "documents/", "ada", **query)
    assert ">D3</a>" in differ and ">D1</a>" not in differ
    assert client_of(make, "ada").get(HOME + "documents/", {"row": 9, "column": 0}).status_code == 404


def test_documents_show_comments_and_evidence_escaped(campaign: Campaign, make: Factory) -> None:
    pooled = make.pooled(campaign, "1", "D3")
    make.make_document(campaign, "D3", "The text.", title="<b>Bold</b>")
    # as the judge's page sends them
    event = pooled.judgments.get(judge__username="alice").event
    event.comment, event.evidence = "<script>x</script>", {"quote": "the <i>words</i>"}
    event.save()
    for place in ("documents/", f"documents/{pooled.pk}/"):
        page = shown(make, place, "ada")
        assert "&lt;script&gt;x" in page and "the &lt;i&gt;words" in page and "<b>Bold" not in page
    assert "The text." in page and "bob" in page


def test_a_document_of_another_campaign_is_not_there(campaign: Campaign, make: Factory) -> None:
    pk = make.pooled(campaign, "1", "D3").pk
    make.make_campaign("other")
    assert client_of(make, "carol").get(f"/campaigns/other/agreement/documents/{pk}/").status_code == 404


def test_files_hold_what_the_page_shows(judged: Campaign, make: Factory) -> None:
    everything = json.loads(shown(make, "json/"))
    assert everything["judges"] == ["ann", "bea", "cem"] and len(everything["pairs"]) == 3
    assert len(everything["by_topic"]) == 12 and everything["bootstrap"]["draws"] == 2000
    response = client_of(make, "carol").get(HOME + "pairs/tsv/")
    lines = b"".join(response).decode().splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t"))
    assert [(row["first"], row["second"], row["n"]) for row in rows] == [
        ("ann", "bea", "120"), ("ann", "cem", "120"), ("bea", "cem", "120"),
    ]  # fmt: skip
    of_json = {(p["first"], p["second"]): p["coefficients"]["cohen"]["value"] for p in everything["pairs"]}
    for row in rows:
        assert float(row["cohen"]) == of_json[row["first"], row["second"]]


def test_judging_over_time_counts_what_people_gave_here(make: Factory) -> None:
    campaign = make.make_campaign()
    early, late = datetime(2026, 3, 4, 12, tzinfo=UTC), datetime(2026, 3, 11, 9, tzinfo=UTC)
    pairs = [("t", f"d{n}") for n in range(4)]
    store_labels(campaign, {"ann": dict.fromkeys(pairs, 3)}, at=early)
    store_labels(campaign, {"bea": dict.fromkeys(pairs, 0)}, at=late)
    scope = agreement_scope(CampaignReads(campaign))
    first, second = drift_by_period(scope, WEEKS).periods
    assert (first.labels, first.rate, first.coefficients[0].n) == (4, 1.0, 0)
    assert (second.labels, second.rate, second.coefficients[0].value) == (4, 0.0, 0.0)
    assert [begin.isoweekday() for begin in drift_by_period(scope, WEEKS).begins] == [1, 1]
    page = shown(make, "drift/", by="week")
    assert "Human judges: weeks" in page and 'data-plot="drift"' in page
    store_labels(campaign, {"cem": dict.fromkeys(pairs, 0)})
    assert "Not included: 4 imported labels without a time" in shown(make, "drift/")


def test_labels_from_files_have_no_time(judged: Campaign, make: Factory) -> None:
    assert "All 360 labels of human judges were imported" in shown(make, "drift/")


def test_a_coefficient_that_rounds_to_zero_has_no_sign() -> None:
    assert (number(-0.0004), number(-0.0006), number(-0.004, 2)) == ("0.000", "−0.001", "0.00")


def test_a_reason_that_is_the_same_for_all_of_a_table_is_shown_once(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    for judge in ("alice", "bob"):
        make.make_judgment(campaign, judge, "1", "D1", 3)
        make.make_judgment(campaign, judge, "1", "D2", 0)
        make.make_judgment(campaign, judge, "2", "D1", 1)
    page = markup(client_of(make, "carol").get(f"/campaigns/{campaign.slug}/agreement/"))
    assert page.count("No intervals: fewer than 10 topics have documents with labels of two judges.") >= 1
    overall = page.partition('aria-label="Coefficients of all judges"')[2].partition("</table>")[0]
    assert "Fleiss" in overall and "fewer than 10" not in overall


def test_the_page_opens_with_lights_kappa_its_interval_and_n(judged: Campaign, make: Factory) -> None:
    light = overall_agreement(agreement_scope(CampaignReads(judged))).coefficients["light"]
    assert light.interval and light.value
    ends = " to ".join(map(number, light.interval))
    headline = re.sub(r"\s+", " ", shown(make))
    assert f"<b>Light's κ {light.value:.3f}</b>" in headline.replace("&#x27;", "'")
    assert f"(95 % interval {ends}), n = {light.n} documents, 3 judges" in headline


def test_the_page_opens_on_the_pair_that_agrees_least(make: Factory) -> None:
    """Ann and bea agree on all of 20 documents; cem differs from them; dan has two documents."""
    campaign = make.make_campaign()
    same = {("t1", f"d{place}"): place % 4 for place in range(20)}
    other = {key: (grade + (place % 3 == 0)) % 4 for place, (key, grade) in enumerate(same.items())}
    few = {("t1", "d0"): 3, ("t1", "d1"): 0}
    store_labels(campaign, {"ann": same, "bea": same, "cem": other, "dan": few})
    assert worst_pair(agreement_scope(CampaignReads(campaign))) == ("ann", "cem")
    assert "<h2>ann and cem</h2>" in shown(make)


def test_topics_are_listed_with_their_titles(campaign: Campaign, make: Factory) -> None:
    assert 'title="first things">first things</span>' in shown(make, "topics/")


def test_no_interval_leaves_the_range_of_its_coefficient() -> None:
    high = Coefficient("Cohen's kappa", 0.95, standard_error=0.1, no_interval=ONE_TOPIC)
    share = Coefficient("Percent agreement", 0.1, standard_error=0.1, no_interval=ONE_TOPIC)
    assert (interval(high), interval(share)) == ("0.754 to 1.000*", "0.000 to 0.296*")
