"""A measure of a run on a topic, step by step: the values of the pages of scores, and long rankings."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from assess.services.imports import load_judgments
from metrics.lecture_examples import LECTURE_EXAMPLES, LECTURE_MEASURES
from metrics.measures.names import parse_measure, parse_measures
from metrics.measures.registry import KINDS
from metrics.queries.scores import measure_for, score_table
from metrics.queries.topic_steps import topic_steps, values_after
from metrics.worked_example import read_example, usual_measure, worked_example
from pooling.models import Campaign
from tests.flows.test_lectures import TABLES
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/1/runs/run/topics/1/measure/"
GRADES = {1: 3, 2: 0, 5: 1, 40: 2, 41: 3, 300: 1}  # rank -> grade; other documents are not judged
LONG = 400


def build_campaign(make: Factory) -> Campaign:
    """A run of 400 documents with judged ones at GRADES, and two relevant documents that it lacks."""
    campaign = make.make_campaign()
    campaign.collection_size = 1000
    campaign.save()
    for number in ("1", "2"):
        make.make_topic(campaign, number)
    lines = [f"1 D{rank} {LONG - rank}" for rank in range(1, LONG + 1)] + ["2 D1 1"]
    make.make_run(campaign, "\n".join(lines), tag="run", group="carolab")
    make.make_run(campaign, "1 D7 1", tag="other", group="davelab")
    make.make_pool(campaign, depth=1)
    graded = {**{f"D{rank}": grade for rank, grade in GRADES.items()}, "X1": 2, "X2": 1}
    qrels = "".join(f"1 0 {docno} {grade}\n" for docno, grade in graded.items()) + "2 0 D1 3\n"
    load_judgments(campaign, make.make_user("carol"), qrels.encode(), "q.qrels", "expert", extend_pool=True)
    make.make_release(campaign)
    return campaign


def shown(make: Factory, query: str = "", page: str = PAGE, name: str = "carol") -> str:
    client = Client()
    client.force_login(make.make_user(name))
    response = client.get(f"{page}?{query}")
    assert response.status_code == 200
    return markup(response)


def rows(page: str) -> list[list[str]]:
    table = page[page.index('id="steps"') : page.index('id="worked-example"')]
    found = re.findall(r"<tr>(.*?)</tr>", table[: table.index("<tfoot")], re.DOTALL)[1:]
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)
        ]
        for row in found
    ]


def test_every_measure_has_the_value_of_the_leaderboard_and_ends_with_it(campaign: Campaign) -> None:
    release, run = campaign.releases.get(), campaign.runs.get(tag="run")
    kinds = [kind for kind in KINDS.values() if kind.needs == "qrels"]
    measures = [measure_for(release, usual_measure(kind)) for kind in kinds] + parse_measures(
        "nDCG@10 AP(rel=2) P(judged_only=True)@5 R@1000"
    )
    measures += [measure_for(release, measure) for measure in parse_measures(LECTURE_MEASURES)]
    table = score_table(release, [run], measures)
    for measure in measures:
        found = topic_steps(release, run, "1", measure)
        last = values_after(release, run, "1", measure, found.stretches[-1:])[0]
        assert found.value == table.of(measure.name)[0][0][table.topics.index("1")], measure.name
        if measure.cutoff is None:
            assert last.value == pytest.approx(found.value), measure.name


def test_the_values_of_steps_are_those_of_the_worked_example(campaign: Campaign) -> None:
    release, run = campaign.releases.get(), campaign.runs.get(tag="run")
    ranking = " ".join(str(GRADES.get(rank, "-")) for rank in range(1, 21))
    documents = read_example(ranking, "2 3 1 2 1")
    for name in ("AP(rel=2)", "nDCG@20", "RR(rel=2)", "CG@20", "Rprec(rel=2)"):
        measure = parse_measure(name)
        steps = values_after(
            release, run, "1", measure, topic_steps(release, run, "1", measure, every=True).stretches[:20]
        )
        assert [step.value for step in steps] == pytest.approx(worked_example(measure, documents).steps), name


def test_a_long_ranking_is_short_on_the_page(campaign: Campaign, make: Factory) -> None:
    page = shown(make, "measure=AP(rel=1)")
    found = rows(page)
    assert [row[0] for row in found] == [
        *map(str, range(1, 11)), "11–39", "40", "41", "42–299", "300", "301–400",
    ]  # fmt: skip
    # seven relevant documents are known, five retrieved at ranks 1 5 40 41 300
    assert found[0][3:] == ["0.1429", "+0.1429", "D1"] and found[1][3:] == ["0.1429", "", "D2"]
    assert found[2] == ["3", "", "no", "0.1429", "", "D3 not judged"]
    assert found[10][2:] == ["no", "0.2000", "", "29 documents, 29 not judged"]
    assert found[14][:4] == ["300", "1", "yes", f"{(1 + 2 / 5 + 3 / 40 + 4 / 41 + 5 / 300) / 7:.4f}"]
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "7 relevant documents are known (from grade 1), 5 of them are among the 400 documents" in text
    assert "394 there are not judged" in text
    assert re.search(r"X1 \( ?2 ?\), X2 \( ?1 ?\) ?\.", text)


def test_every_document_has_a_row_on_pages_whose_values_go_on(campaign: Campaign, make: Factory) -> None:
    first, fourth = (
        shown(make, "measure=AP(rel=1)&every=on"),
        shown(make, "measure=AP(rel=1)&every=on&page=3"),
    )
    assert len(rows(first)) == 100 and [row[0] for row in rows(fourth)] == [str(n) for n in range(201, 301)]
    assert rows(fourth)[0][4] == "" and rows(fourth)[-1][4] == f"+{5 / 300 / 7:.4f}"
    assert "measure=AP%28rel%3D1%29&amp;every=on&amp;page=4" in fourth


def test_a_cut_off_ends_the_steps(campaign: Campaign, make: Factory) -> None:
    page = shown(make, "measure=nDCG@5")
    assert [row[0] for row in rows(page)] == ["1", "2", "3", "4", "5"] and "(to rank 5)" in page
    assert rows(page)[4][3] in page and "or has them below rank 5" in " ".join(page.split())


def test_a_measure_that_cannot_be_computed_says_why_and_shows_another(
    campaign: Campaign, make: Factory
) -> None:
    for query in ("measure=nDGC@10", "other=alpha_nDCG@10", "measure=AP(rel=x)", "measure=P@5+AP"):
        page = shown(make, query)
        assert 'role="alert"' in page and "The page shows AP instead." in page
    assert "<h1>nDCG@7" in shown(make, "measure=AP&other=nDCG@7")


def test_a_run_without_the_topic_has_no_steps(campaign: Campaign, make: Factory) -> None:
    page = shown(make, page="/campaigns/tiny/scores/1/runs/other/topics/2/measure/")
    assert "The run has no documents for this topic." in page and "AP 0.0000" in page


def test_a_topic_page_leads_to_each_measure_and_to_no_other_runs(campaign: Campaign, make: Factory) -> None:
    page = shown(make, page=PAGE.removesuffix("measure/"))
    assert f"{PAGE}?measure=AP" in page and f"{PAGE}?measure=nDCG%4010" in page
    client = Client()
    client.force_login(make.make_user("dave"))
    assert client.get(PAGE).status_code == 404  # a run of another group
    client.force_login(make.make_user("carol"))
    assert client.get(PAGE.replace("topics/1", "topics/9")).status_code == 404


@pytest.mark.parametrize("kind", LECTURE_EXAMPLES)
def test_the_examples_are_those_of_the_documentation(kind: str) -> None:
    example = LECTURE_EXAMPLES[kind]
    worked = worked_example(parse_measure(example.measure), read_example(example.ranking, example.missed))
    address = rf"/measures/{kind}/\?(?:measure=[^&]+&)?ranking={example.ranking}&missed={example.missed}`"
    row = re.search(rf"{address} \| {re.escape(example.measure)} (\d+\.\d+)", TABLES)
    assert row and f"{worked.value:.4f}" == row[1]
