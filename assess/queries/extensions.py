"""Extension points: what feature packages add to the pages, checks and refusals of the core.

The core imports no feature package. `AppConfig.ready` of an app calls `register` in the `apps.py` of each of
its packages, and that fills these lists. A package that is not there adds nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from accounts.models import User
from assess.models import Source
from assess.queries.campaign_reads import CampaignReads
from assess.release.machine_use import MachineUse
from assess.release.plan import ReleasePlan
from assess.release.propagated import Propagation
from pooling.integrity import Check
from pooling.models import Campaign, Run
from pooling.strategies.strata import SamplePlace

if TYPE_CHECKING:
    from assess.queries.judged_sets import JudgedKind
    from assess.queries.judging import Card


class PagePart(NamedTuple):
    """A part of a page. context: for the template, beside the context of the page."""

    template: str
    context: Mapping[str, Any] = {}


page_parts: defaultdict[str, list[Callable[[User, Campaign], PagePart | None]]] = defaultdict(list)
"""Place in a page -> functions that return its parts for a person and a campaign, or None for no part."""


judged_kinds: list[JudgedKind] = []
"""Kinds of sets of work for judges, beside the documents of their topics."""

card_parts: list[Callable[[Sequence[Card]], Mapping[int, PagePart]]] = []
"""Functions that return key of a queue entry -> a part of its card. The cards are of one judge and topic.

Hidden repeats, gold and training documents get none that has to do with another document: what the judge
remembers would change what they measure.
"""


class NavigationPage(NamedTuple):
    """A page of the navigation; its name is the link, the title and the heading.

    url: name of the URL, whose arguments are the campaign and, if of_release, the number of a release. paths:
    what stands behind the address of the campaign, "*" for any one segment; the page is current there and
    below, unless another page has a longer path. group: the word behind which it stands with others, at the
    end of the row, which must stay one line.
    """

    name: str
    url: str
    roles: frozenset[str]
    paths: tuple[str, ...]
    of_release: bool = False
    group: str = ""

    def matching_segments(self, segments: list[str]) -> int | None:
        """Return how many segments the longest fitting path has; None if no path fits."""
        lengths = []
        for path in self.paths:
            expected = path.split("/") if path else []
            pairs = list(zip(expected, segments, strict=False))
            if len(pairs) == len(expected) and all(part in ("*", segment) for part, segment in pairs):
                lengths.append(len(expected))
        return max(lengths, default=None)


class SourceFact(NamedTuple):
    """A fact on the page of a source of labels. url: of a page that says more, if there is one."""

    name: str
    text: str
    url: str = ""


source_facts: list[Callable[[CampaignReads, Source], Iterable[SourceFact]]] = []
"""Functions that return what a package knows of a source."""


class Task(NamedTuple):
    """Something that waits for a person, on the overview of a campaign.

    link: the text of the link to the page where it can be done. since: from when on it has waited.
    """

    title: str
    detail: str
    url: str
    link: str
    urgent: bool = False
    since: datetime | None = None


tasks: list[Callable[[CampaignReads], Iterable[Task]]] = []
"""Functions that return what waits for an organiser of a campaign."""


class Propagator(NamedTuple):
    """Gives labels to documents for which others stand, in files of a release.

    is_offered: whether releases of a campaign can have them. propagate: the labels of a release by a plan,
    from its grades and the lowest relevant grade: (topic, docno) -> grade, None for a labelled document
    without a grade.
    """

    is_offered: Callable[[Campaign], bool]
    propagate: Callable[
        [CampaignReads, ReleasePlan, Mapping[tuple[str, str], int | None], int], Propagation | None
    ]


propagators: list[Propagator] = []
"""What can propagate labels in a release; the first that is offered does."""


class Selector(NamedTuple):
    """Says in releases how documents of topics came to be judged, where no run decided that.

    topics: the numbers of these topics. statement: of a topic, for the manifest: `topic`, a `sentence`, and
    figures; it names no judge. reasons: of a topic, docno -> why it was judged, for the provenance; neither.
    sample: of a topic, docno -> its stratum, if the judged documents are a sample of strata; else {}.
    """

    topics: Callable[[Campaign], Collection[str]]
    statement: Callable[[Campaign, str], Mapping[str, Any]]
    reasons: Callable[[Campaign, str], Mapping[str, Mapping[str, Any]]]
    sample: Callable[[Campaign, str], Mapping[str, SamplePlace]]


selectors: list[Selector] = []
"""What chose documents of topics to be judged; each topic has one at most."""

navigation_pages: defaultdict[str, list[NavigationPage]] = defaultdict(list)
"""Place of the navigation -> the pages that feature packages add to it."""

integrity_checks: list[Check] = []
"""Checks of `manage.py audit`."""

deletion_obstacles: list[Callable[[Campaign], str]] = []
"""Functions that return why a campaign cannot be deleted; "" if it can."""

before_deletion: list[Callable[[Campaign], object]] = []
"""Functions that delete rows that protect others, in the transaction that deletes their campaign."""

replacement_obstacles: list[Callable[[Run], str]] = []
"""Functions that return why a run cannot be replaced; "" if it can."""

restoration_obstacles: list[Callable[[Source], str]] = []
"""Functions that return why the labels of a withdrawn source cannot count again; "" if they can."""

use_verdicts: list[Callable[[CampaignReads, Source, ReleasePlan], MachineUse | None]] = []
"""Functions that return what is known of the use that a release makes of a machine judge, or None."""

growing_topics: list[Callable[[User, Campaign], Collection[str]]] = []
"""Functions that return the topics of a judge, by number, whose next documents are chosen by themselves once
most of those before are labelled."""

every_minute: list[Callable[[], Iterable[str]]] = []
"""Functions that the command `run_every_minute` calls; they yield lines of what was done."""


class SubmittedFile(NamedTuple):
    """A file for the command `submit_files`. group: who submits, "" to take it from the file."""

    content: bytes
    name: str
    group: str = ""
    match_topics: bool = False


submissions: dict[str, Callable[[Campaign, User, SubmittedFile], str]] = {}
"""Kind of file -> a function that stores one and says what was stored, or raises BadFile."""

demonstrations: list[Callable[[Campaign, User, tuple[Run, Run]], object]] = []
"""Functions that add to the demonstration campaign, as its organiser, with two runs that differ."""


def propagator_of(campaign: Campaign) -> Propagator | None:
    """Return what propagates labels in the releases of a campaign, if anything does."""
    return next((each for each in propagators if each.is_offered(campaign)), None)


def selectors_of(campaign: Campaign) -> dict[str, Selector]:
    """Return topic number -> what chose its documents, of the topics where something did."""
    return {number: selector for selector in selectors for number in selector.topics(campaign)}


def selection_statements(campaign: Campaign, topics: Iterable[str]) -> list[dict[str, Any]]:
    """Return what a release made now says of these topics: what chose their documents, where no run did."""
    chosen_by = selectors_of(campaign)
    return [dict(chosen_by[topic].statement(campaign, topic)) for topic in topics if topic in chosen_by]


def topics_that_grow(judge: User, campaign: Campaign) -> set[str]:
    """Return the topics of a judge, by number, that get more documents by themselves."""
    return {number for numbers_of in growing_topics for number in numbers_of(judge, campaign)}


def add_judged_kind(kind: JudgedKind) -> None:
    """Add a kind of sets of work for judges, and what leads a judge to them from *My topics*."""
    judged_kinds.append(kind)
    page_parts["my_topics"].append(kind.my_topics_part)


def parts_at(place: str, user: User, campaign: Campaign) -> list[PagePart]:
    """Return the parts that feature packages add at a place in a page."""
    return [part for part_of in page_parts[place] if (part := part_of(user, campaign))]
