"""All settings, in one file that reads the environment. docs/reference/settings.md lists the variables."""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote, urlsplit

import dj_database_url
from csp.constants import NONE, SELF

from assess.endpoints import read_endpoints, read_private_places
from config.data_folder import BASE_DIR as BASE_DIR
from config.data_folder import usual_data_folder
from config.operations.logs import logging_settings
from config.operations.policy import add_policy
from pooling.version import VERSION as VERSION


def data_folder(named: str) -> Path:
    """Return the folder of the database, the runs and the releases; make it, for its owner only.

    Ends the process where the folder is the checkout: what lies there is easily committed or published.
    """
    folder = Path(named)
    if folder == Path() or (folder / "manage.py").exists():
        sys.exit(
            "JURYPOOL_DATA: expected a folder for the data that is not the checkout itself,"
            f" such as {usual_data_folder()}, the default; found {named!r}"
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def stored_secret(path: Path) -> str:
    """Return the secret in a file, made at the first start. It appears only when it is complete."""
    if not path.exists():
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}-")  # mode 0600
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        with suppress(FileExistsError):  # another process was first
            os.link(temporary, path)
        os.unlink(temporary)
    return path.read_text() or sys.exit(f"{path}: expected a secret, found an empty file; delete it")


def provider_address(issuer: str) -> str:
    """Return the address of the provider; end the process if its answers could be changed on their way."""
    url = urlsplit(issuer)
    if issuer and url.scheme != "https" and url.hostname not in ("127.0.0.1", "localhost", "::1"):
        sys.exit(f"JURYPOOL_OIDC_ISSUER: expected an address with https, found {issuer!r}")
    return issuer


def site_address(named: str) -> tuple[str, str]:
    """Return the origin of the site and the folder of its pages: https://example.org:8443 and /pool.

    Ends the process where the address is not one of the web.
    """
    url = urlsplit(named.rstrip("/"))
    if named and (url.scheme not in ("http", "https") or not url.netloc or url.query or url.fragment):
        sys.exit(f"JURYPOOL_SITE: expected an address such as https://pool.example.org, found {named!r}")
    return f"{url.scheme}://{url.netloc}" if named else "", url.path


DATA_DIR = data_folder(os.environ.get("JURYPOOL_DATA", str(usual_data_folder())))
SECRET_KEY = os.environ.get("JURYPOOL_SECRET_KEY") or stored_secret(DATA_DIR / "secret-key")
DEBUG = os.environ.get("JURYPOOL_DEBUG") == "1"
ALLOWED_HOSTS = os.environ.get("JURYPOOL_HOSTS", "127.0.0.1,localhost,[::1]").split(",")
HTTPS = os.environ.get("JURYPOOL_HTTPS") == "1"  # set behind a proxy that speaks HTTPS
PROXIES = int(os.environ.get("JURYPOOL_PROXIES", HTTPS))  # how many, each adding to X-Forwarded-For
WEBHOOK_HOSTS = os.environ.get("JURYPOOL_WEBHOOK_HOSTS", "").split()  # to which events may be sent
SITE, SITE_FOLDER = site_address(os.environ.get("JURYPOOL_SITE", ""))  # without: the name asked for
FORCE_SCRIPT_NAME = SITE_FOLDER or None  # the proxy strips the folder from the addresses that it passes on
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if HTTPS else []
CSRF_TRUSTED_ORIGINS += [SITE] if SITE else []  # with its port, which a proxy may not pass on
CSRF_FAILURE_VIEW = "config.operations.views.csrf_failure"

INSTALLED_APPS = [
    "config.apps.Administration",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "csp",
    "ninja",
    "django_tasks",
    "django_tasks_db",
    "accounts",
    "pooling",
    "assess",
    "metrics",
    "config",
]

MIDDLEWARE = [
    "config.operations.middleware.answer_probes",  # first: a probe has no host name, HTTPS or session
    "config.operations.middleware.request_id",
    "config.operations.middleware.request_metrics",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.operations.middleware.BusyDatabase",
    "config.operations.middleware.RefusedByState",
    "axes.middleware.AxesMiddleware",  # it answers a sign-in that is shut
    "config.operations.middleware.OneState",  # last: what the others write is not in its transaction
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# One file until it is not enough. FULL: an acknowledged label survives a power cut. IMMEDIATE: a transaction
# waits for the write lock when it begins, up to `timeout` seconds, instead of failing half-way.
SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": DATA_DIR / "jurypool.sqlite3",
    "CONN_MAX_AGE": 60,
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;"
        " PRAGMA cache_size=-20000; PRAGMA wal_autocheckpoint=4000;",  # pages: the log is emptied at 16 MB
    },
}
if DATABASE_URL := os.environ.get("DATABASE_URL"):
    POSTGRES = dj_database_url.parse(DATABASE_URL)
    POOL = {"min_size": 1, "max_size": 8, "timeout": 5}
    DATABASES = {
        "default": {
            **POSTGRES,
            "CONN_HEALTH_CHECKS": True,  # a connection that a restart of the database ended is not handed out
            "OPTIONS": {**POSTGRES.get("OPTIONS", {}), "pool": POOL},
        }
    }
else:
    os.close(
        os.open(DATA_DIR / "jurypool.sqlite3", os.O_RDONLY | os.O_CREAT, 0o600)
    )  # SQLite would create it readable for all users
    DATABASES = {"default": SQLITE}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Results that pages compute from labels and runs, for an hour at most; each process has its own. Django
# bounds the entries, not their bytes. A campaign of 100 runs, 50 topics and 300,000 labels has 43 entries of
# 60 MB in all once every page was opened, the largest of 13 MB; a small campaign takes less than 1 MB. So 150
# entries are about 200 MB in a process that serves three such campaigns. Of a full cache, the tenth that was
# not used for longest goes. docs/how-to/operations.md says how processes share one cache.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 150, "CULL_FREQUENCY": 10},
    }
}

AUTH_USER_MODEL = "accounts.User"
API_REQUESTS = int(os.environ.get("JURYPOOL_API_REQUESTS", "1000"))  # of a token in a minute; 0: no limit
CAMPAIGN_CREATORS = os.environ.get("JURYPOOL_CAMPAIGN_CREATORS", "permitted")  # or: everyone
GRANTED_BY_ADMINISTRATORS = [
    "pooling.add_campaign",
    "assess.ask_endpoint",
]  # the permissions that the page of a person offers
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "assess:home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it asks whether sign-in is shut
    "django.contrib.auth.backends.ModelBackend",
]
SESSION_ENGINE = "accounts.sessions"
PASSWORD_RESET_TIMEOUT = 24 * 3600  # seconds that a link for a new password works
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "name", "email")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Five wrong passwords for a name from an address, or fifty from the address: shut for a while. Not for the
# name from all addresses: a stranger could lock out a judge that way.
AXES_HANDLER = "accounts.lockout.LockoutHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # the page says when: it must stay true
AXES_DISABLE_ACCESS_LOG = True  # sign-ins are not logged, for privacy
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "accounts.lockout.client_address"
AXES_LOCKOUT_CALLABLE = "accounts.lockout.locked_out_response"

# Sign-in at an OpenID Connect provider, beside passwords. Without an issuer there is none.
OIDC_ISSUER = provider_address(os.environ.get("JURYPOOL_OIDC_ISSUER", ""))
OIDC_CLIENT_ID = os.environ.get("JURYPOOL_OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = os.environ.get("JURYPOOL_OIDC_CLIENT_SECRET", "")
OIDC_NAME = os.environ.get("JURYPOOL_OIDC_NAME") or urlsplit(OIDC_ISSUER).hostname or ""
OIDC_CREATES_ACCOUNTS = os.environ.get("JURYPOOL_OIDC_CREATES_ACCOUNTS") == "1"
if OIDC_ISSUER and not (OIDC_CLIENT_ID and OIDC_CLIENT_SECRET):
    sys.exit("JURYPOOL_OIDC_ISSUER: expected JURYPOOL_OIDC_CLIENT_ID and JURYPOOL_OIDC_CLIENT_SECRET with it")

# The servers to which requests to language models may be sent. Their keys are in no other setting, and in no
# database: whoever can read a backup or change a campaign cannot read a key or name another server.
try:
    ENDPOINTS = read_endpoints(os.environ)
    PRIVATE_ENDPOINTS = read_private_places(os.environ.get("JURYPOOL_PRIVATE_ENDPOINTS", ""))
except ValueError as error:
    sys.exit(str(error))

MAIL = urlsplit(os.environ.get("EMAIL_URL", ""))  # smtp://, smtp+tls:// (STARTTLS) or smtps://
SENDS_MAIL = bool(MAIL.hostname)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if SENDS_MAIL else 'dummy'}.EmailBackend"
EMAIL_HOST, EMAIL_PORT = (
    MAIL.hostname or "",
    MAIL.port or {"smtps": 465, "smtp+tls": 587}.get(MAIL.scheme, 25),
)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(MAIL.username or ""), unquote(MAIL.password or "")
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL.scheme == "smtp+tls", MAIL.scheme == "smtps"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("JURYPOOL_EMAIL_FROM", "jurypool@localhost")

STATIC_URL = f"{SITE_FOLDER}/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WEB_ROOT = BASE_DIR / "config" / "web_root"  # `make docs` builds the documentation in its folder docs
WHITENOISE_ROOT = WEB_ROOT if WEB_ROOT.is_dir() else None
WHITENOISE_INDEX_FILE = True
WHITENOISE_ADD_HEADERS_FUNCTION = add_policy
MEDIA_ROOT = DATA_DIR / "files"
FOLDER = {"BACKEND": "config.storage.WholeFileStorage"}
# Who may read the bucket, boto3 finds out itself: AWS_ACCESS_KEY_ID and its like, a role, or a file.
BUCKET = {
    "BACKEND": "config.bucket.Bucket",
    "OPTIONS": {
        "bucket_name": os.environ.get("JURYPOOL_S3_BUCKET"),
        "endpoint_url": os.environ.get("JURYPOOL_S3_ENDPOINT") or None,  # none: Amazon's
        "file_overwrite": False,
        "max_memory_size": 8 << 20,  # bytes of a file that is read; the rest of it waits on the host's disk
    },
}
STORAGES = {
    "default": BUCKET if os.environ.get("JURYPOOL_S3_BUCKET") else FOLDER,
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
UPLOAD_LIMIT = int(os.environ.get("JURYPOOL_UPLOAD_MB", "512")) << 20  # bytes of one file, after unpacking
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "config.upload_handler.UploadLimits",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Work outside a request: queued in the database, done by `manage.py worker` on as many hosts as share it.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
JOB_LEASE = float(os.environ.get("JURYPOOL_LEASE", "30"))  # seconds of silence until a worker counts as dead
BACKGROUND_BYTES = 5 << 20  # of an upload: larger ones are read outside the request
BACKGROUND_LABELS = 20_000  # of a release: larger ones are frozen outside the request
BACKGROUND_JUDGMENTS = 5_000  # lines of a file: more are loaded outside the request
BACKGROUND_REQUESTS = 2_000  # of a labelling: more are created outside the request
BACKGROUND_RESULTS = 2 << 20  # bytes of a result file of a model: larger ones are read outside the request

LOGGING = logging_settings(
    os.environ.get("JURYPOOL_LOG_FORMAT", "text"), os.environ.get("JURYPOOL_LOG", "warning")
)
METRICS_TOKEN = os.environ.get(
    "JURYPOOL_METRICS_TOKEN", ""
)  # gives access to /metrics/; without it the page does not exist

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "img-src": [SELF, "data:"],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_THOUSAND_SEPARATOR = True
USE_TZ = True
