"""The API of assess: settings, people, judging, labels, adjudication, releases; and that of its features."""

from ninja import Router

from assess.active_learning.api import router as active_learning
from assess.answers.api import router as answers
from assess.api.adjudication import router as adjudication
from assess.api.agreement import router as agreement
from assess.api.assignments import router as assignments
from assess.api.clones import router as clones
from assess.api.cost import router as cost
from assess.api.gold import router as gold
from assess.api.judging import router as judging
from assess.api.labels import router as labels
from assess.api.people import router as people
from assess.api.plans import router as plans
from assess.api.releases import router as releases
from assess.api.runs import router as runs
from assess.api.settings import router as settings
from assess.api.sources import router as sources
from assess.clicks.api import router as clicks
from assess.judge_runs.api import router as judge_runs
from assess.machines.api import router as machines
from assess.near_duplicates.api import router as near_duplicates
from assess.nuggets.api import router as nuggets
from assess.panels.api import router as panels

router = Router()
for noun in (
    settings, runs, people, assignments, judging, labels, sources, agreement, adjudication, releases,
    clones, plans, gold, cost,
):  # fmt: skip
    router.add_router("", noun)
router.add_router("", active_learning)
router.add_router("", answers)
router.add_router("", clicks)
router.add_router("", judge_runs)
router.add_router("", machines)
router.add_router("", near_duplicates)
router.add_router("", nuggets)
router.add_router("", panels)

__all__ = ["router"]
