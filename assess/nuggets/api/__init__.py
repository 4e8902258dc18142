"""Nugget banks in the API: versions and their files, and the nuggets of a draft."""

from ninja import Router

from assess.nuggets.api.banks import router as banks
from assess.nuggets.api.nuggets import router as nuggets

router = Router()
router.add_router("", banks)
router.add_router("", nuggets)

__all__ = ["router"]
