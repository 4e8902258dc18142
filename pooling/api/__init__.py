"""The API of pooling: campaigns, topics, documents, runs, pools and background jobs."""

from ninja import Router

from pooling.api.campaigns import router as campaigns
from pooling.api.documents import router as documents
from pooling.api.jobs import router as jobs
from pooling.api.pools import router as pools
from pooling.api.runs import router as runs
from pooling.api.topics import router as topics

router = Router()
for noun in (campaigns, topics, documents, runs, pools, jobs):
    router.add_router("", noun)

__all__ = ["router"]
