"""The API of metrics: scores, a release's archive, and results of battles."""

from ninja import Router

from metrics.api.scores import router as scores
from metrics.battles.api import router as battles

router = Router()
router.add_router("", scores)
router.add_router("", battles)

__all__ = ["router"]
