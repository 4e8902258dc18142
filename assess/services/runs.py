"""Replace a run by a newer file."""

from __future__ import annotations

from django.db.models import Q

from accounts.models import User
from assess.models import Panel
from pooling.models import Run
from pooling.services.run_changes import RunLocked
from pooling.services.runs import Submission, submit_run


def replace_run(run: Run, by: User, content: bytes, name: str) -> Run:
    """Store a newer file under the tag of a run, which is withdrawn. Group, kind and the rest stay.

    Raises BadFile and StateRefused as `submit_run`, and RunLocked for a run in a frozen pool or in a panel.
    """
    if Panel.objects.filter(Q(first=run) | Q(second=run)).exists():
        raise RunLocked(f"Judges compare the run {run.tag} side by side, so it cannot be replaced.")
    about = Submission(run.tag, run.group, run.kind, run.priority, run.description)
    return submit_run(run.campaign, by, content, name, about, replaced=run)
