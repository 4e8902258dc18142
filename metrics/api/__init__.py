"""The API of metrics: scores, a release's archive, results of answers and of experiments with users."""

from ninja import Router

from metrics.ab_tests.api import router as ab_tests
from metrics.answer_releases.api import router as answer_releases
from metrics.api.judge_swap import router as judge_swap
from metrics.api.scores import router as scores
from metrics.argue.api import router as argue
from metrics.battles.api import router as battles
from metrics.confusion.api import router as confusion
from metrics.generalisability.api import router as generalisability
from metrics.gradings.api import router as gradings
from metrics.interleaving.api import router as interleaving
from metrics.machine_audits.api import router as machine_audits
from metrics.magnitudes.api import router as magnitudes
from metrics.matchings.api import router as matchings
from metrics.panels.api import router as panels
from metrics.preferences.api import router as preferences
from metrics.pyramids.api import router as pyramids
from metrics.reproducibility.api import router as reproducibility
from metrics.snippets.api import router as snippets
from metrics.support.api import router as support
from metrics.system_quality.api import router as system_quality

router = Router()
router.add_router("", scores)
router.add_router("", judge_swap)
router.add_router("", ab_tests)
router.add_router("", answer_releases)
router.add_router("", argue)
router.add_router("", battles)
router.add_router("", confusion)
router.add_router("", generalisability)
router.add_router("", gradings)
router.add_router("", interleaving)
router.add_router("", machine_audits)
router.add_router("", magnitudes)
router.add_router("", matchings)
router.add_router("", panels)
router.add_router("", preferences)
router.add_router("", pyramids)
router.add_router("", reproducibility)
router.add_router("", snippets)
router.add_router("", support)
router.add_router("", system_quality)

__all__ = ["router"]
