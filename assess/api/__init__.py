"""The API of assess: settings, runs, people, assignments, judging, labels, sources, agreement, releases."""

from ninja import Router

from assess.answers.api import router as answers
from assess.api.agreement import router as agreement
from assess.api.assignments import router as assignments
from assess.api.judging import router as judging
from assess.api.labels import router as labels
from assess.api.people import router as people
from assess.api.releases import router as releases
from assess.api.runs import router as runs
from assess.api.settings import router as settings
from assess.api.sources import router as sources
from assess.judge_runs.api import router as judge_runs
from assess.nuggets.api import router as nuggets

router = Router()
for noun in (settings, runs, people, assignments, judging, labels, sources, agreement, releases):
    router.add_router("", noun)
router.add_router("", answers)
router.add_router("", judge_runs)
router.add_router("", nuggets)

__all__ = ["router"]
