"""The web server: `gunicorn -c config/gunicorn.py`. The environment may change what a laptop wants."""

import os

wsgi_app = "config.wsgi"
bind = os.environ.get("JURYPOOL_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("JURYPOOL_WORKERS", "2"))
worker_class = "gthread"  # a slow upload takes a thread, not a whole process
threads = 4
loglevel = os.environ.get("JURYPOOL_LOG", "warning")
