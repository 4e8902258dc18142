"""Settings of the log: lines of text, or JSON with a field for each value.

The web server's own process knows no Django and logs in the same form, so nothing here imports it.
"""

from __future__ import annotations

import logging
from typing import Any

from pooling.log_fields import log_fields

FORMATS = ("text", "json")


class LogFieldsFilter(logging.Filter):
    """Adds what is known of the request or the job to each line; `about` is the same for the text form."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in log_fields().items():
            if not hasattr(record, name):
                setattr(record, name, value)
        record.about = "".join(f" {name}={value}" for name, value in log_fields().items())
        if request := getattr(record, "request", None):
            arguments = record.args if isinstance(record.args, tuple) else ()
            record.args = tuple(shown_path(request) if arg == request.path else arg for arg in arguments)
        return True


def shown_path(request: Any) -> str:
    """Return the path of a request without the secret of a link."""
    match = getattr(request, "resolver_match", None)
    secret = match.kwargs.get("token") if match else None
    path: str = request.path
    return path.replace(secret, "...") if secret else path


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Return the settings of Python's logging. form: one of FORMATS. level: the lowest that is written."""
    if form not in FORMATS:
        raise ValueError(f"JURYPOOL_LOG_FORMAT: expected one of {', '.join(FORMATS)}, found {form!r}")
    level = level.upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"fields": {"()": "config.operations.logs.LogFieldsFilter"}},
        "formatters": {
            "text": {"format": "{asctime} {levelname} {name}: {message}{about}", "style": "{"},
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "fmt": ["timestamp", "levelname", "name", "message"],
                "rename_fields": {"timestamp": "time", "levelname": "level", "name": "logger"},
                "timestamp": True,
                "reserved_attrs": [*vars(logging.makeLogRecord({})), "message", "about", "request"],
            },
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["fields"],
                "level": level,  # `db_worker` sets the levels of its own loggers
            }
        },
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {
            "jurypool": {"level": level},
            "django": {"handlers": [], "level": level},
            "gunicorn.error": {"handlers": ["console"], "level": level, "propagate": False},
            "gunicorn.access": {
                "level": "CRITICAL",
                "propagate": False,
            },  # the application logs requests itself
            # client errors are in the request log already
            "django.request": {"level": "ERROR"},
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
    }
