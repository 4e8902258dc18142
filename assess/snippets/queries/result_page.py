"""A run as a result page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.core.paginator import Page, Paginator

from assess.snippets.queries.cards import ShownResult, shown_result
from assess.snippets.queries.plan import laid_out, own_snippets
from pooling.models import Campaign, Run, Topic
from pooling.queries.runs import run_columns, top_docnos

A_PAGE = 10  # results
DEEPEST = 50  # results that can be paged through


class PickedTopic(NamedTuple):
    """A topic of the picker. has_results: whether the run has documents for it."""

    topic: Topic
    has_results: bool


class RankedResult(NamedTuple):
    """A result with its rank. has_text: whether the document has a text here. is_own: snippet of the run."""

    rank: int
    docno: str
    shown: ShownResult
    has_text: bool
    is_own: bool


class ResultPage(NamedTuple):
    """A page of the results of a topic. page: of docnos. own, without_text: numbers of its results."""

    page: Page[str]
    results: list[RankedResult]
    own: int
    without_text: int


def topics_to_pick(campaign: Campaign, run: Run) -> list[PickedTopic]:
    """Return the topics of a campaign in its order."""
    answered = set(run_columns(run).topics)
    topics = campaign.topics.only("number", "title", "terms").order_by("place")
    return [PickedTopic(topic, topic.number in answered) for topic in topics]


def picked(topics: Sequence[PickedTopic], number: str) -> PickedTopic | None:
    """Return the topic with a number; without a number the first with results, else the first of all."""
    if number:
        return next((each for each in topics if each.topic.number == number), None)
    return next((each for each in topics if each.has_results), topics[0] if topics else None)


def result_page(campaign: Campaign, run: Run, topic: Topic, number: str) -> ResultPage:
    """Return a page of the first results of a run, in scoring order. number: of the page, as asked for.

    A snippet is the one that the run brought, else the passages of the document around words of the topic.
    """
    run.campaign = campaign
    page = Paginator(top_docnos(run, topic.number, DEEPEST), A_PAGE).get_page(number)
    docnos = list(page)
    own = own_snippets(run, topic, docnos)
    results = [
        RankedResult(
            each.rank,
            each.docno,
            shown_result(topic, each.title or each.docno, each.address, own.get(each.docno) or each.snippet),
            bool(each.text_hash),
            each.docno in own,
        )
        for each in laid_out(campaign, topic, docnos, None, page.start_index())
    ]
    return ResultPage(page, results, len(own), sum(not each.has_text for each in results))
