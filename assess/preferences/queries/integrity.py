"""The integrity check of preferences: the stored stages are those that follow from the votes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from assess.models import PreferenceSet
from assess.preferences.queries.votes import decided_pairs
from assess.preferences.stages import survivors
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def preference_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every set: documents of the topic, stages that follow from votes, and finished topics."""
    for preference_set in campaign.preference_sets.order_by("number").iterator():
        yield differing("preferences", str(preference_set), _compared(preference_set))


def _compared(about: PreferenceSet) -> dict[str, tuple[object, object]]:
    """Return name -> (what the votes give, what is stored), as numbers of topics of a judge."""
    other_topic = other_stages = other_ends = 0
    for task in about.tasks.all():
        own = task.pairs.exclude(left__topic=task.topic_id, right__topic=task.topic_id)
        other_topic += own.exists()
        *_, last = stages = [decided_pairs(task, stage) for stage in range(1, task.stage + 1)]
        other_stages += any(
            not before.is_voted
            or set(after.documents) != set(survivors(before.documents, before.preferred, about.pairings))
            for before, after in pairwise(stages)
        )
        other_ends += last.is_voted != (task.finished_at is not None)
    return {
        "with documents of another topic": (0, other_topic),
        "with a stage that does not follow from the votes": (0, other_stages),
        "finished without all votes, or open with them": (0, other_ends),
    }


CHECKS = (Check("preferences", preference_faults),)
