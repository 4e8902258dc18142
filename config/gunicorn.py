"""The web server: `gunicorn -c config/gunicorn.py`. `manage.py serve` starts it together with a worker."""

import os
import shutil
import sys
import tempfile
from typing import Any

from config.operations.logs import logging_settings

wsgi_app = "config.wsgi"
bind = os.environ.get("JURYPOOL_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("JURYPOOL_WORKERS", "2"))
worker_class = "gthread"
threads = 8  # of a process: a slow upload occupies one of them; of labels one, see assess.views.judging
# A thread that has the write lock of SQLite waits for the interpreter after each statement: 5 ms by default.
sys.setswitchinterval(0.0005)
keepalive = 75  # s; longer than nginx keeps an idle connection, so that it is never closed under a request
preload_app = True  # a process has everything imported when it is forked, and shares the memory of it
control_socket_disable = True

loglevel = os.environ.get("JURYPOOL_LOG", "warning")
logconfig_dict = logging_settings(os.environ.get("JURYPOOL_LOG_FORMAT", "text"), loglevel)

COUNTERS = (
    "PROMETHEUS_MULTIPROC_DIR"  # the folder in which processes count together; prometheus_client's name
)
if os.environ.get("JURYPOOL_METRICS_TOKEN") and COUNTERS not in os.environ:
    os.environ[COUNTERS] = tempfile.mkdtemp(prefix="jurypool-metrics-")


def on_exit(server: Any) -> None:
    if COUNTERS in os.environ:
        shutil.rmtree(os.environ[COUNTERS], ignore_errors=True)
