"""Change a run and replace it by a newer file, unless what was published or is judged depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.models import User
from assess.queries.extensions import replacement_obstacles
from pooling.models import Run
from pooling.queries.runs import submitted_text
from pooling.services.run_changes import RunLocked, describe_run, rename_run, why_tag_is_fixed
from pooling.services.runs import Submission, submit_run


@transaction.atomic
def change_run(run: Run, by: User, tag: str, **fields: Any) -> None:
    """Change the tag, description, kind and priority of a run. Raises RunLocked for what is fixed.

    If the tag is refused, nothing is changed.
    """
    describe_run(run, by, **fields)
    if tag != run.tag:
        if why := why_not_renamed(run):
            raise RunLocked(why)
        rename_run(run, by, tag)


def why_not_renamed(run: Run) -> str:
    """Return why the tag of a run cannot change; "" if nothing that is frozen or judged goes by it."""
    if why := why_tag_is_fixed(run):
        return why
    release = run.campaign.releases.filter(released_at__gte=run.submitted_at).first()
    if release:
        return f"The scores of {release} name the run {run.tag}, so its tag cannot change."
    if any(obstacle(run) for obstacle in replacement_obstacles):
        return f"Judges compare the run {run.tag} with another, so its tag cannot change."
    return ""


def reorder_run(run: Run, by: User, order: str) -> Run:
    """Store the file of a run again, with its documents in another order, as `replace_run` does.

    A run never changes, so scores, panels and comparisons that used the former order stay what they were.
    Raises RunLocked where the run has this order, and what `replace_run` raises.
    """
    if order == run.order:
        raise RunLocked(f"The run {run.tag} has this order already.")
    return replace_run(run, by, submitted_text(run), run.file_name, order, run.fields)


def replace_run(
    run: Run, by: User, content: bytes, name: str, order: str = "", fields: Mapping[str, str] | None = None
) -> Run:
    """Store a newer file under the tag of a run, which is withdrawn. Group, kind and the rest stay.

    order: of the documents; "" for that of the run. fields: field -> meaning of a table, where chosen.
    Topics are matched again if those of the run were. Raises BadFile and StateRefused as `submit_run`, and
    RunLocked for a run in a frozen pool or in a panel, and for the file that the run has already.
    """
    for obstacle in replacement_obstacles:
        if why := obstacle(run):
            raise RunLocked(why)
    about = Submission(
        run.tag,
        run.group,
        run.kind,
        run.priority,
        run.description,
        order or run.order,
        fields or {},
        match_topics=bool(run.topic_numbers),
    )
    return submit_run(run.campaign, by, content, name, about, replaced=run)
