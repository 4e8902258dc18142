from __future__ import annotations

import logging
import os
import threading
import time
from datetime import timedelta
from types import FrameType
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, close_old_connections
from django.utils import timezone
from django.utils.module_loading import autodiscover_modules
from django_tasks import DEFAULT_TASK_BACKEND_ALIAS
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from pooling.services import jobs

KEPT = timedelta(days=14)  # how long the queue remembers what it handed out

log = logging.getLogger("jurypool.worker")


class JobWorker(Worker):
    """Takes tasks from the queue in the database. Asked to end, it ends after the chunk in hand."""

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        jobs.LEAVING.set()
        super().shutdown(signum, frame)


class Command(BaseCommand):
    help = "Do the work that happens outside a request. Any number may run, wherever the database is reached."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--batch", action="store_true", help="end when nothing is left to do")
        parser.add_argument("--interval", type=float, default=1.0, help="seconds between looks at the queue")
        parser.add_argument("--beside", action="store_true", help="end when the parent process has ended")

    def handle(self, *args: Any, **options: Any) -> None:
        autodiscover_modules("tasks")  # they register what jobs may name
        DBTaskResult.objects.filter(enqueued_at__lt=timezone.now() - KEPT).delete()
        worker = JobWorker(
            queue_names=["*"],
            excluded_queue_names=[],
            interval=options["interval"],
            batch=options["batch"],
            backend_name=DEFAULT_TASK_BACKEND_ALIAS,
            startup_delay=False,
            max_tasks=None,
            worker_id=str(uuid4()),
        )
        worker.configure_signals()
        parent = os.getppid() if options["beside"] else None
        threading.Thread(target=heart, args=[parent], daemon=True).start()
        worker.run()


def heart(parent: int | None) -> None:
    """Beat for the jobs in hand, and look after those of the dead, for as long as the process lives."""
    pause = min(settings.JOB_LEASE / 10, 2.0)
    looked = 0.0
    while parent is None or os.getppid() == parent:
        try:
            jobs.beat()
            if time.monotonic() > looked + settings.JOB_LEASE / 4:
                looked = time.monotonic()
                jobs.revive()
                jobs.drop_uploads()
            close_old_connections()
        except Error as error:  # the database is away: so is everybody's lease
            log.warning("no sign of life: %s", error)
        except (
            Exception
        ):  # a storage that fails, say: without heartbeats every job of this worker would be lost
            log.exception("the heartbeat failed; it is tried again")
        time.sleep(pause)
    os._exit(0)  # the web server is gone; what is in hand goes on when its lease has run out
