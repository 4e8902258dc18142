"""What gunicorn serves: `gunicorn config.wsgi`."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.charset import require_utf8

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = require_utf8(get_wsgi_application())
# With all views: otherwise the first visitor of each process waits for them.
import_module(settings.ROOT_URLCONF)
