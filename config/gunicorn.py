"""The web server: `gunicorn -c config/gunicorn.py`. The environment may change what a laptop wants.

It starts `manage.py worker` beside itself, for the work that happens outside a request, and starts it again
when it ends; the worker ends when the web server is gone. Where workers run on other hosts, or under a
supervisor of their own, JURYPOOL_BACKGROUND=0 leaves that out.
"""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger

from config.door import Worker
from config.operations.logs import logging_by

wsgi_app = "config.wsgi"
bind = os.environ.get("JURYPOOL_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("JURYPOOL_WORKERS", "2"))
worker_class = Worker
threads = 4  # a slow upload takes a thread, not a whole process
keepalive = 0  # every request goes through the door: a line that stays open binds its judge to one process


class Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's, silent about requests: each has a line by the application, which knows more of it."""

    def access(self, *_: object) -> None: ...


logger_class = Log
loglevel = os.environ.get("JURYPOOL_LOG", "warning")
logconfig_dict = logging_by(os.environ.get("JURYPOOL_LOG_FORMAT", "text"), loglevel)

COUNTERS = (
    "PROMETHEUS_MULTIPROC_DIR"  # the folder in which processes count together; prometheus_client's name
)
if os.environ.get("JURYPOOL_METRICS_TOKEN") and COUNTERS not in os.environ:
    os.environ[COUNTERS] = tempfile.mkdtemp(prefix="jurypool-metrics-")

LATER = 5.0  # s after its start, when a web process loads what only some pages need
MANAGE = Path(__file__).resolve().parent.parent / "manage.py"
ending = threading.Event()
beside: list[subprocess.Popen[bytes]] = []  # the worker, when there is one

# A process forked while Popen holds its pipe open would inherit the pipe, and Popen would wait for ever.
starting = threading.Lock()
os.register_at_fork(
    before=starting.acquire, after_in_parent=starting.release, after_in_child=starting.release
)


def when_ready(server: Any) -> None:
    if os.environ.get("JURYPOOL_BACKGROUND", "1") == "1":
        threading.Thread(target=_keep_a_worker, daemon=True).start()


def post_worker_init(worker: Any) -> None:
    """What is loaded stays, and what a request makes dies with it: look for cycles now and then only."""
    _load_what_every_page_needs()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    later = threading.Timer(LATER, import_module, ["scipy.stats"])  # a second, of any test's p
    later.daemon = True
    later.start()


def _load_what_every_page_needs() -> None:
    """Import every view and what templates load, which Django does at the first request: nobody waits yet."""
    import numpy.random  # noqa: F401  # NumPy leaves it out until it is asked for
    from django.template import engines
    from django.urls import reverse

    reverse("operations:ready")  # the first one looks through all patterns
    engines.all()


def on_reload(server: Any) -> None:
    """Let the worker begin anew as well, with the new code; it hands back what it has in hand."""
    for process in beside:
        process.terminate()


def on_exit(server: Any) -> None:
    ending.set()
    on_reload(server)
    if COUNTERS in os.environ:
        shutil.rmtree(os.environ[COUNTERS], ignore_errors=True)


def _keep_a_worker() -> None:
    while not ending.is_set():
        with starting:
            beside[:] = [subprocess.Popen([sys.executable, str(MANAGE), "worker", "--beside"])]
        beside[0].wait()
        ending.wait(1)
