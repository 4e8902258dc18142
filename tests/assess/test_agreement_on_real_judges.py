"""The agreement page of 33 language models and NIST, and of 445 workers who judged a little each."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.kappa.agreement import coefficients
from assess.queries.agreement import agreement_scope, overall_agreement
from assess.queries.agreement_pairs import MAX_JUDGES, PairRows, matrix_of_pairs
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_matrix import label_matrix
from pooling.scale import FOUR_STEPS, Grade
from tests.assess.kappa.test_real_judges import LLM, votes
from tests.assess.many_labels import llm_judges, store_labels
from tests.metrics.shared_data import BUNDLED
from tests.support.factory import Factory
from tests.support.markup import markup

pytestmark = pytest.mark.slow


def test_the_page_of_34_judges_and_4423_documents_shows_their_whole_matrix(make: Factory) -> None:
    campaign = make.make_campaign(grades=FOUR_STEPS)
    people, machines = llm_judges(BUNDLED / LLM)
    store_labels(campaign, people | machines, machines)
    carol = Client()
    carol.force_login(make.make_user("carol"))
    response = carol.get("/campaigns/tiny/agreement/", {"first": "NIST", "second": "willia-umbrela1"})
    page = markup(response)
    matrix = page.partition('<section id="agreement-matrix"')[2].partition("</section>")[0]
    assert matrix.count("<tr>") == 1 + 34 and matrix.count('class="shaded-cell shade-') == 34 * 33
    assert "NIST with willia-umbrela1 (machine): Cohen&#x27;s kappa 0.286" in matrix  # as published
    for figure in ("0.286", "0.396", "0.504", "0.399"):  # nominal, linear, quadratic, binary
        assert f"<b>{figure}</b>" in page.partition('<section id="agreement-confusion"')[2]
    assert "only one judge gave labels" in page  # of people
    everybody = markup(carol.get("/campaigns/tiny/agreement/overall/", {"machines": "on"}))
    assert "<dd>34</dd>" in everybody and "more than 100 pairs of judges" in everybody


def test_sparse_labels_of_445_workers_show_those_who_share_most(make: Factory) -> None:
    campaign = make.make_campaign(
        grades=(Grade(0, "Not relevant"), Grade(1, "Relevant", gain=1)), threshold=1
    )
    labels: dict[str, dict[tuple[str, str], int]] = {}
    for _, (topic, docno, worker, grade) in votes():
        labels.setdefault(worker, {})[topic, docno] = grade
    store_labels(campaign, labels)
    scope = agreement_scope(CampaignReads(campaign))
    matrix, pairs = matrix_of_pairs(scope, "cohen"), PairRows(scope)
    assert (len(matrix.rows), matrix.hidden, len(pairs)) == (MAX_JUDGES, 445 - MAX_JUDGES, 6404)
    assert pairs[0].n == max(pair.n for pair in pairs)
    carol = Client()
    carol.force_login(make.make_user("carol"))
    page = markup(carol.get("/campaigns/tiny/agreement/"))
    assert f"{445 - MAX_JUDGES} more are in" in page and "page 1 of 129" in page
    lines = b"".join(carol.get("/campaigns/tiny/agreement/pairs/tsv/")).splitlines()
    assert len(lines) == 1 + 6404
    light = overall_agreement(agreement_scope(CampaignReads(campaign))).coefficients["light"]
    assert light.value == coefficients(label_matrix(CampaignReads(campaign)).labels)[1].value
