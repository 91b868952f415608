"""Django's settings. Values that differ between a laptop and a deployment come from environment variables.

`environment.py` reads the variables and checks them.
"""

import hashlib
import os
import sys

from playground import limits
from playground.folders import INSTALLED, ROOT, data_dir

from .environment import read
from .languages import spoken
from .logging import logging_config
from .service_addresses import celery_url, database

BASE_DIR = ROOT
ENVIRONMENT = read(os.environ, data_dir())
# Makes `examples.plugins` importable under the same name as in a clone.
if INSTALLED and str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

# ── access ──

REACH = ENVIRONMENT.reach
LOCAL = REACH.local
LOCAL_USERNAME = "local"
# The owner of the clusters that show shared moments. No form accepts such a name for an account.
SHARE_USERNAME = "(shared moments)"
SECRET_KEY = ENVIRONMENT.secret_key
ALLOWED_HOSTS = REACH.allowed_hosts
PUBLIC_ORIGINS = CSRF_TRUSTED_ORIGINS = REACH.public_origins
TRUSTED_PROXIES = REACH.trusted_proxies
DEBUG = ENVIRONMENT.debug
# Gives programs access to /metrics, /configz and /debug/; with "" only staff has access.
OPERATOR_TOKEN = ENVIRONMENT.operator_token
# The CA certificates in kubeconfigs, for servers whose certificate clients would not trust otherwise.
CERTIFICATE_AUTHORITY = ENVIRONMENT.certificate_authority

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "index"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
SESSION_ENGINE = "playground.accounts.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = REACH.https
SECURE_HSTS_SECONDS = 31_536_000 if REACH.https else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# ── apps and middleware ──

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "playground",
]
MIDDLEWARE = [
    "playground.web.security.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Before any middleware that checks the Host header.
    "playground.operations.probes.Probes",
    "playground.operations.operators.OperatorToken",
    "django.middleware.gzip.GZipMiddleware",
    # Inside compression, which adds Accept-Encoding to Vary, and outside the middleware for cookies and languages.
    "playground.web.kubernetes_headers.UpstreamHeaders",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "playground.accounts.users.ImplicitUser",
]
ROOT_URLCONF = "playground.urls"
ASGI_APPLICATION = "playground.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "playground.accounts.users.local",
            ],
            "libraries": {"page": "playground.pages.template_tags"},
        },
    }
]

# ── languages and static files ──

LANGUAGE_CODE = "en"
# Only languages with a catalog, so that the page offers no others.
LANGUAGES = spoken(BASE_DIR / "locale")
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = REACH.https
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "playground.web.versioned_files.VersionedFiles"},
}
# Serve files from their source folders, so that a change needs no collectstatic.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0
WHITENOISE_ALLOW_ALL_ORIGINS = False

# ── database, broker, channel layer ──

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": database(ENVIRONMENT.database_url, str(ENVIRONMENT.data_dir))}

REDIS_URL = ENVIRONMENT.redis_url
# Redis' pub/sub ignores database numbers, so playgrounds that share a Redis need different names. All processes of a
# playground have the same secret key.
NAMESPACE = "playground-" + hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:12]
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": NAMESPACE},
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": NAMESPACE,
        "OPTIONS": {"serializer": "playground.settings.cache_serializer.JsonSerializer"},
        # Increase this when the format of cached values changes, so that old values are ignored.
        "VERSION": 2,
    }
}

LEASE_SECONDS = ENVIRONMENT.lease_seconds
# Retention and quotas, see docs/how-to/operate.md.
CLUSTER_QUOTA = int(ENVIRONMENT.cluster_quota_mb * (1 << 20))
MIN_FREE_DISK = int(ENVIRONMENT.min_free_disk_mb * (1 << 20))
RETAIN_CYCLES = ENVIRONMENT.retain_cycles
RETAIN_DAYS = ENVIRONMENT.retain_days
# Modules with out-of-tree scheduler plugins; see docs/contributing/write-a-plugin.md.
PLUGINS = ENVIRONMENT.plugins
# Hosts that extenders may be called at; see docs/how-to/use-an-extender.md.
EXTENDER_ALLOWED_HOSTS = ENVIRONMENT.extender_allowed_hosts

CELERY_BROKER_URL = celery_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A posted command must not wait for an unavailable broker: it is stored, and the next periodic task finds it.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 5,
    "socket_connect_timeout": 1,
    "max_retries": 1,
    "interval_start": 0.1,
    "interval_max": 0.1,
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_DEFAULT_QUEUE = NAMESPACE
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    "wake": {"task": "playground.tasks.trigger_waiting_work", "schedule": 2.0, "options": {"expires": 4.0}},
    "retain": {"task": "playground.tasks.retain", "schedule": 600.0, "options": {"expires": 600.0}},
}

# ── API ──

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["playground.api.authentication.PageAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["playground.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["playground.api.rendering.Renderer"],
    "DEFAULT_SCHEMA_CLASS": "playground.api.schema.Schema",
    "EXCEPTION_HANDLER": "playground.api.errors.handle",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "kube-scheduler playground",
    "DESCRIPTION": "Clusters, commands, records: everything the page does, scripts can do.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True},
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "ENUM_NAME_OVERRIDES": {
        "ComparisonStateEnum": ["queued", "running", "done", "failed", "cancelled"],
        "DeviceStateEnum": "simulator.explain.devices.inventory.STATES",
        "SearchStepEnum": "simulator.explain.devices.watched_search.DID",
        "RepairKindEnum": "scheduler_core.edits.costs.KINDS",
        "SearchOutcomeEnum": "simulator.explain.devices.claims.OUTCOMES",
    },
    "PATH_CONVERTER_OVERRIDES": {
        "number": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
        "name": {"type": "string", "pattern": "^[^/]{1,253}$"},
        "key": {"type": "string", "pattern": "^[^/]{1,253}(/[^/]{1,253})?$"},
    },
}

# `playground.web.body_limit` has the limits by path. These are upper bounds behind it, and the size from which uploads
# are stored on disk.
DATA_UPLOAD_MAX_MEMORY_SIZE = limits.JSON_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = limits.OTHER_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
DATA_UPLOAD_MAX_NUMBER_FILES = limits.IMPORT_FILES
FILE_UPLOAD_HANDLERS = [
    "playground.web.few_files.FewFiles",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

LOGGING = logging_config(ENVIRONMENT.log_format, ENVIRONMENT.log_level)
