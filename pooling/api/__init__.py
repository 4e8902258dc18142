"""The API of pooling: campaigns, topics, runs and pools."""

from ninja import Router

from pooling.api.campaigns import router as campaigns
from pooling.api.pools import router as pools
from pooling.api.runs import router as runs
from pooling.api.topics import router as topics

router = Router()
for noun in (campaigns, topics, runs, pools):
    router.add_router("", noun)

__all__ = ["router"]
