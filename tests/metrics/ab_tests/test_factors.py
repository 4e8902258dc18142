"""Several factors in one A/B test: designs, effects against statsmodels, false alarms, and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import statsmodels.api as sm
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

import jurypool as jp
from metrics.ab_tests.by_user import Population, Rows, Sample, population_of, sample_of
from metrics.ab_tests.differences import welch
from metrics.ab_tests.factors import Contrast, Design, contrast_difference, contrasts_of, design_of
from metrics.ab_tests.outcomes import outcome_of, parse_outcomes
from metrics.ab_tests.result import ABTestPlan, result_of, verdict_of
from pooling.models import Campaign
from pooling.refusals import Refused
from tests.metrics.ab_tests.simulated import events, heavy_tailed
from tests.support.factory import Factory
from tests.support.markup import markup

SQUARE = [f"ranker={ranker} + snippet={how}" for ranker in ("old", "new") for how in ("fixed", "dynamic")]
CUBE = [f"a={a} + b={b} + c={c}" for a in "12" for b in "12" for c in "12"]


def effects(variants: Sequence[str]) -> dict[str, Contrast]:
    design = design_of(variants, variants[0])
    assert design
    return {contrast.name: contrast for contrast in contrasts_of(design)}


def test_variants_that_are_no_combinations_have_no_design() -> None:
    for variants in (["A", "B"], ["a=1", "a=2"], [*SQUARE, "other"], ["a=1 + a=2", "a=1 + b=2"]):
        assert design_of(variants, variants[0]) is None


@pytest.mark.parametrize(
    ("variants", "says"),
    [
        (SQUARE[:3], "found none for 'ranker=new \\+ snippet=dynamic'"),
        ([*SQUARE, "ranker=new + page=1"], "expected the factors ranker and snippet in each variant"),
        (["a=1 + b=1", "a=1 + b=2"], "two or more levels of a, found 1 alone"),
        (["a=1 + b=1", "a=1+b=1", "a=2+b=1", "a=1+b=2", "a=2+b=2"], "once, found one twice"),
    ],
)
def test_an_incomplete_design_is_refused(variants: list[str], says: str) -> None:
    with pytest.raises(Refused, match=says):
        design_of(variants, variants[0])


def test_the_weights_of_a_square() -> None:
    found = {name: list(contrast.weights.values()) for name, contrast in effects(SQUARE).items()}
    assert found == {  # old fixed, old dynamic, new fixed, new dynamic
        "ranker=new": [-0.5, -0.5, 0.5, 0.5],
        "snippet=dynamic": [-0.5, 0.5, -0.5, 0.5],
        "ranker=new × snippet=dynamic": [1, -1, -1, 1],
    }


def test_there_is_an_effect_for_each_variant_but_one_and_the_control_gives_the_levels() -> None:
    assert len(effects(CUBE)) == 7
    design = design_of(SQUARE, SQUARE[3])
    assert isinstance(design, Design) and [factor.levels[0] for factor in design.factors] == [
        "new",
        "dynamic",
    ]
    three = [f"a={a} + b={b}" for a in "xyz" for b in "12"]
    assert [*effects(three)] == ["a=y", "a=z", "b=2", "a=y × b=2", "a=z × b=2"]
    assert effects(three)["b=2"].weights["a=z + b=1"] == pytest.approx(-1 / 3)


def test_a_contrast_of_two_variants_is_welchs_test() -> None:
    one, other = Sample(20, 2.0, 3.0), Sample(35, 2.9, 1.5)
    found, expected = contrast_difference({"A": one, "B": other}, {"A": -1, "B": 1}), welch(one, other)
    assert found[:6] == pytest.approx(expected[:6])


@pytest.mark.parametrize("variants", [SQUARE, CUBE], ids=["two factors", "three factors"])
def test_estimates_and_errors_are_those_of_statsmodels(variants: list[str]) -> None:
    """A saturated linear model with effect coding; its HC2 errors allow for other variances in each cell."""
    random = np.random.default_rng(3)
    values = {name: heavy_tailed(random, 40 + 9 * place) * (1 + place) for place, name in enumerate(variants)}
    names = [part.split("=")[0] for part in variants[0].split(" + ")]
    first = np.array(variants[0].split(" + "))
    signs = [np.where(np.array(name.split(" + ")) == first, -0.5, 0.5) for name in variants]
    coded = np.repeat(signs, [len(own) for own in values.values()], axis=0)
    samples = {name: sample_of(own) for name, own in values.items()}
    found = effects(variants)
    columns, order = [np.ones(len(coded))], []
    for contrast in found.values():
        order.append(contrast.name)
        columns.append(np.prod([coded[:, names.index(factor.name)] for factor, _ in contrast.of], axis=0))
    fit = sm.OLS(np.concatenate([*values.values()]), np.column_stack(columns)).fit(cov_type="HC2")
    for place, name in enumerate(order, start=1):
        own = contrast_difference(samples, found[name].weights)
        assert own.difference == pytest.approx(fit.params[place])
        assert own.error == pytest.approx(fit.bse[place])


def test_cells_without_users_or_variance_say_why() -> None:
    weights = effects(SQUARE)["ranker=new"].weights
    full = dict.fromkeys(SQUARE, Sample(9, 1.0, 0.0))
    assert contrast_difference(full, weights).reason == "every user has the same value"
    empty = full | {SQUARE[1]: Sample(0)}
    assert contrast_difference(empty, weights).reason == "fewer than two users of a variant have a value"


def four_cells(random: np.random.Generator, users: int) -> Rows:
    """Correlated events of heavy-tailed users in four cells of other sizes, without any effect."""
    sizes = [users, users // 2, users, 2 * users]
    user, value = events(random, sum(sizes))
    cell = np.repeat(np.arange(4), sizes)[user]
    return Rows(SQUARE, sum(sizes), cell.astype(np.int64), user, {"value": value})


@pytest.mark.parametrize("repeats", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_false_alarms_and_coverage(repeats: int) -> None:
    random, outcome = np.random.default_rng(7), outcome_of("value", "sum")
    contrasts = effects(SQUARE)
    alarms, covered = dict.fromkeys(contrasts, 0), dict.fromkeys(contrasts, 0)
    for _ in range(repeats):
        samples = population_of(four_cells(random, 800), [outcome]).samples[outcome.name]
        for name, contrast in contrasts.items():
            found = contrast_difference(samples, contrast.weights)
            assert found.p is not None and found.low is not None and found.high is not None
            alarms[name] += found.p <= 0.05
            covered[name] += found.low <= 0 <= found.high
    low, high = (0.025, 0.08) if repeats < 1000 else (0.04, 0.06)
    assert all(low <= count / repeats <= high for count in alarms.values())
    assert all(1 - high <= count / repeats <= 1 - low for count in covered.values())


def cells(means: Mapping[str, float], n: int = 2000) -> dict[str, dict[str, Sample]]:
    return {"clicks": {name: Sample(n, mean, 1.0) for name, mean in means.items()}}


def test_effects_are_corrected_with_the_comparisons_and_stand_in_the_verdict() -> None:
    plan = ABTestPlan(SQUARE[0], dict.fromkeys(SQUARE, 1.0), 8000, parse_outcomes("clicks: more, sum"))
    means = dict(zip(SQUARE, (1.0, 1.0, 1.2, 1.5), strict=True))
    users = dict.fromkeys(SQUARE, 2000)
    population = Population(users, users, 0, cells(means))
    found = result_of(plan, population, sequential=False)
    assert found.comparisons == 6 and [effect.shown for effect in found.effects] == [
        "better", "better", "depends on the other",
    ]  # fmt: skip
    main = found.effects[0]
    assert [main.low_mean, main.high_mean] == pytest.approx([1.0, 1.35]) and main.users == 8000
    assert found.effects[2].fixed.difference == pytest.approx(0.3)
    lead = verdict_of(found).lead
    assert "Over all other factors ranker=new is better in clicks than ranker=old." in lead
    assert "The effects of ranker and snippet on clicks depend on each other." in lead
    early = result_of(plan, population, sequential=True)
    for at_any_time, at_the_end in zip(early.effects, found.effects, strict=True):
        assert at_any_time.low is not None and at_the_end.low is not None
        assert at_any_time.low < at_the_end.low


def rows(n: int = 300) -> list[dict[str, object]]:
    random = np.random.default_rng(5)
    return [
        {"variant": name, "user": f"{name}{user}", "clicks": int(random.poisson(1 + 0.5 * ("new" in name)))}
        for name in SQUARE
        for user in range(n)
    ]


def test_the_library_has_the_effects() -> None:
    found = jp.ab_test(rows(), control=SQUARE[0], outcomes={"clicks": "more, sum"})
    assert [effect.contrast.name for effect in found.effects] == [*effects(SQUARE)]
    assert found.effects[0].shown == "better" and len(found.to_dicts()) == 6
    assert found.to_dicts()[3]["variant"] == "ranker=new"


def test_a_design_is_planned_loaded_and_read(make: Factory) -> None:
    campaign: Campaign = make.make_pooled_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    asked = {
        "name": "Two factors", "note": "", "planned_users": "1200", "outcomes": "clicks: more, sum",
        "shares": "\n".join(f"{name}: 25" for name in SQUARE[:3]),
    }  # fmt: skip
    refused = markup(client.post("/campaigns/tiny/ab-tests/", asked))
    assert "expected a variant for each combination" in refused and not campaign.ab_tests.exists()
    client.post("/campaigns/tiny/ab-tests/", asked | {"shares": "\n".join(f"{name}: 25" for name in SQUARE)})
    lines = ["variant,user,clicks", *(f"{r['variant']},{r['user']},{r['clicks']}" for r in rows())]
    file = SimpleUploadedFile("users.csv", "\n".join(lines).encode())
    client.post("/campaigns/tiny/ab-tests/1/", {"file": file, "is_end": "on"})
    page = " ".join(markup(client.get("/campaigns/tiny/ab-tests/1/")).split())
    assert "Factors and interactions" in page and "ranker: old, new; snippet: fixed, dynamic" in page
    assert "ranker=new × snippet=dynamic" in page and "Over all other factors ranker=new is better" in page
    text = client.get("/campaigns/tiny/ab-tests/1/tsv/").content.decode()
    assert "ranker=new × snippet=dynamic" in text and len(text.splitlines()) == 7
