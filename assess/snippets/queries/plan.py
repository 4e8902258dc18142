"""Sets of snippets before they are made: the results of a run, and which judge gets which, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from accounts.models import User
from assess.document.highlighting import Term, topic_terms
from assess.models import RunSnippet, SnippetSet, SnippetTask
from assess.queries.documents import text_in
from assess.snippets.context import has_term, keyword_in_context
from assess.topic_judges import judges_of_topics
from pooling.models import Campaign, Run, Topic
from pooling.queries.runs import top_docnos
from pooling.strategies.draws import draw_source, shuffle

Origin = SnippetSet.Origin


class PlannedSnippets(NamedTuple):
    """What an organiser asks for. depth, origin: as of a SnippetSet. double: per cent of the topics."""

    campaign: Campaign
    run: Run
    judges: Sequence[User]
    topics: Sequence[Topic]
    origin: str
    depth: int
    double: int
    seed: int
    instructions: str = ""


class PlannedResult(NamedTuple):
    """A result as its judges will see it. topic: its key. has_term: whether the text has a word of it."""

    topic: int
    rank: int
    docno: str
    title: str
    address: str
    snippet: str
    text_hash: str
    has_term: bool


class SnippetLoad(NamedTuple):
    """What a judge gets."""

    judge: User
    topics: int
    results: int


class SnippetPreview(NamedTuple):
    """A set in numbers. rows: (judge, place, number of the result, step); judges by keys.

    double: topics with two judges. without: topics without a result. without_text: results that were left
    out, because their document has no text here; without_snippet: because the run brought none for them.
    without_term: results whose snippet is the beginning of the text.
    """

    results: list[PlannedResult]
    rows: list[tuple[int, int, int, str]]
    loads: list[SnippetLoad]
    topics: int
    double: int
    without: list[str]
    without_text: int
    without_snippet: int
    without_term: int


def snippet_terms(topic: Topic) -> list[Term]:
    """Return the words of a topic around which snippets are cut, and which are bold in them."""
    return topic_terms(topic.title, more=topic.terms.splitlines())


def own_snippets(run: Run, topic: Topic, docnos: Iterable[str]) -> dict[str, str]:
    """Return docno -> the snippet that the run brought for the topic, else its one for every topic."""
    stored = RunSnippet.objects.filter(run=run, docno__in=list(docnos))
    rows = list(stored.values_list("topic", "docno", "text"))
    static = {docno: text for of_topic, docno, text in rows if of_topic is None}
    return static | {docno: text for of_topic, docno, text in rows if of_topic == topic.pk}


def results_of(campaign: Campaign, run: Run, topic: Topic, origin: str, depth: int) -> list[PlannedResult]:
    """Return the first results of a run for a topic, in scoring order.

    The snippet is "" where the run brought none, and the text_hash where the document has no text here.
    """
    docnos = top_docnos(run, topic.number, depth)
    own = own_snippets(run, topic, docnos) if origin == Origin.RUN else None
    return laid_out(campaign, topic, docnos, own)


def laid_out(
    campaign: Campaign, topic: Topic, docnos: Sequence[str], own: Mapping[str, str] | None, first: int = 1
) -> list[PlannedResult]:
    """Return results with their titles, addresses and snippets.

    own: docno -> the snippet that the run brought; None to cut snippets from the texts. first: rank of the
    first docno.
    """
    terms = snippet_terms(topic)
    documents = {each.docno: each for each in campaign.documents.filter(docno__in=docnos)}
    results = []
    for rank, docno in enumerate(docnos, start=first):
        document = documents.get(docno)
        text = text_in(campaign, document) if document else ""
        snippet = keyword_in_context(text, terms) if own is None else own.get(docno, "")
        results.append(
            PlannedResult(
                topic.pk,
                rank,
                docno,
                document.title if document else "",
                document.url if document else "",
                snippet,
                document.text_hash if document and text else "",
                has_term(text, terms),
            )
        )
    return results


def preview_of(asked: PlannedSnippets) -> SnippetPreview:
    """Return what `create_snippets` would store.

    A judge gets all results of a topic in an order of this judge, each as its snippet and then its document,
    so that nothing of the rank shows.
    """
    kept: dict[str, list[PlannedResult]] = {}
    without_text = without_snippet = 0
    asked.run.campaign = asked.campaign
    for topic in asked.topics:
        results = results_of(asked.campaign, asked.run, topic, asked.origin, asked.depth)
        with_text = [each for each in results if each.text_hash]
        own = [each for each in with_text if each.snippet]
        without_text += len(results) - len(with_text)
        without_snippet += len(with_text) - len(own)
        if own:
            kept[topic.number] = own
    results = [each for own in kept.values() for each in own]
    judges = {judge.username: judge for judge in asked.judges}
    work = {topic: len(own) for topic, own in kept.items()}
    judges_of = judges_of_topics(work, list(judges), asked.double / 100, asked.seed, "snippets")
    rows, topics_of, results_of_judge = _rows(kept, judges, judges_of, asked.seed)
    return SnippetPreview(
        results,
        rows,
        [SnippetLoad(judge, topics_of[name], results_of_judge[name]) for name, judge in judges.items()],
        len(kept),
        sum(len(names) > 1 for names in judges_of.values()),
        [topic.number for topic in asked.topics if topic.number not in kept],
        without_text,
        without_snippet,
        0 if asked.origin == Origin.RUN else sum(not each.has_term for each in results),
    )


def _rows(
    kept: Mapping[str, Sequence[PlannedResult]],
    judges: Mapping[str, User],
    judges_of: Mapping[str, Sequence[str]],
    seed: int,
) -> tuple[list[tuple[int, int, int, str]], Counter[str], Counter[str]]:
    """Return the tasks, and the numbers of topics and of results of each judge."""
    rows, topics_of, results_of_judge, first = [], Counter[str](), Counter[str](), 0
    for number, own in kept.items():
        places = {each.docno: first + place for place, each in enumerate(own)}
        for name in judges_of[number]:
            topics_of[name] += 1
            for docno in shuffle(list(places), draw_source(seed, name), number):
                for step in (SnippetTask.Step.SNIPPET, SnippetTask.Step.DOCUMENT):
                    place = 2 * results_of_judge[name] + (1 if step == SnippetTask.Step.SNIPPET else 2)
                    rows.append((judges[name].pk, place, places[docno], step.value))
                results_of_judge[name] += 1
        first += len(own)
    return rows, topics_of, results_of_judge
