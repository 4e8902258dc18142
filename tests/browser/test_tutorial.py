"""The first tutorial leads to scores if its sentences are followed literally, with the words of the pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from assess.models import Judgment
from metrics.models import Score
from pooling.services.first_organiser import create_link
from tests.browser.tutorial import Tutorial

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_first_campaign_is_made_by_the_sentences_of_its_tutorial(
    transactional_db: None, open_page: Callable[..., Page]
) -> None:
    pictures: list[Path] = []
    organiser, judge = open_page(), open_page()
    organiser.goto(create_link(""))
    Tutorial("first-campaign.md", organiser, judge, lambda page, path: pictures.append(path)).follow()
    assert Judgment.objects.count() == 40
    assert set(Score.objects.values_list("run__tag", flat=True)) == {"bm25", "titles"}
    assert len(pictures) > 5 and all(path.is_file() for path in pictures)
