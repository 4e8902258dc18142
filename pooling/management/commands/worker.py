from __future__ import annotations

import logging
import os
import signal
import threading
import time
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, InterfaceError, OperationalError, close_old_connections
from django.utils.module_loading import autodiscover_modules
from django_tasks.signals import task_started

from pooling.services import jobs

log = logging.getLogger("jurypool.worker")

MINUTE = 60.0  # s


class Command(BaseCommand):
    help = "Do the work that happens outside a request. Any number may run, wherever the database is reached."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--batch", action="store_true", help="end when nothing is left to do")
        parser.add_argument("--interval", type=float, default=1.0, help="seconds between looks at the queue")
        parser.add_argument("--beside", action="store_true", help="end when the parent process has ended")

    def handle(self, *args: Any, **options: Any) -> None:
        autodiscover_modules("tasks")  # registers the tasks that jobs may name
        call_command("prune_db_task_results", queue_name="*", min_age_days=14, verbosity=0)
        parent = os.getppid() if options["beside"] else None
        threading.Thread(target=look_after_jobs, args=[parent], daemon=True).start()
        if options["beside"]:
            threading.Thread(target=work_every_minute, daemon=True).start()
        while True:
            task_started.connect(shut_down_between_chunks)
            try:
                call_command(
                    "db_worker",
                    queue_name="*",
                    interval=options["interval"],
                    batch=options["batch"],
                    startup_delay=False,
                    reload=False,
                    verbosity=options["verbosity"],
                )
                return
            except (OperationalError, InterfaceError) as error:
                if options["batch"]:
                    raise
                log.warning("the database does not answer, trying again: %s", error)
                close_old_connections()
                time.sleep(options["interval"])


def shut_down_between_chunks(**kwargs: Any) -> None:
    """With the first task, put our signal handler in front of those that `db_worker` installed at its start.

    `db_worker` completes the task in hand before it ends, which may take an hour. `jobs.SHUTDOWN` stops the
    job after the chunk in hand, so that it is requeued at once.
    """
    task_started.disconnect(shut_down_between_chunks)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        _shut_down_on(number)


def _shut_down_on(number: signal.Signals) -> None:
    installed = signal.getsignal(number)

    def handle(signum: int, frame: FrameType | None) -> None:
        jobs.SHUTDOWN.set()
        if callable(installed):
            installed(signum, frame)

    signal.signal(number, handle)


def look_after_jobs(parent: int | None) -> None:
    """Send heartbeats, requeue abandoned jobs and delete uploads for as long as the process lives.

    parent: the process whose end ends this one.
    """
    pause = min(settings.JOB_LEASE / 10, 2.0)
    looked = 0.0
    while parent is None or os.getppid() == parent:
        try:
            jobs.send_heartbeats()
            if time.monotonic() > looked + settings.JOB_LEASE / 4:
                looked = time.monotonic()
                jobs.requeue_abandoned()
                jobs.delete_uploads()
            close_old_connections()
        except Error as error:  # without the database, no lease can be taken over either
            log.warning("no heartbeat: %s", error)
        except Exception:  # such as a storage that fails: without heartbeats this worker would lose its jobs
            log.exception("the heartbeat failed; it is tried again")
        time.sleep(pause)
    os._exit(0)  # the jobs in hand are requeued when their lease has expired


def work_every_minute() -> None:
    """Do what features do regularly: the worker of `serve` does it, because its machine may have no cron.

    Cron may do it as well: an unfinished job is not started again, and an event keeps its webhook-id.
    """
    while True:
        time.sleep(MINUTE)
        try:
            call_command("run_every_minute")
        except Exception:  # a failure of one minute must not end the next ones
            log.exception("the work of this minute failed; it is tried again")
        finally:
            close_old_connections()
