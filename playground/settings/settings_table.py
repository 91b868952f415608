"""All settings with their descriptions.

`make docs` writes docs/reference/settings.md from here, and a test compares it with the code.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting's row; `default` and `meaning` are Markdown."""

    name: str
    default: str
    meaning: str


SETTINGS: dict[str, tuple[Setting, ...]] = {
    "Start": (
        Setting("PORT", "8000", "`make run`: port; without it, the next free one; 0 is any free port"),
        Setting("NO_BROWSER", "0", "`make run`: 1 opens no browser"),
        Setting("WORKER_CONCURRENCY", "2", "`make run`: number of processes that run the engine"),
        Setting(
            "DATA_DIR",
            "`data` in a clone, else the user's data folder",
            "folder for SQLite, the bundled broker and a generated secret key",
        ),
    ),
    "Access": (
        Setting(
            "HOST",
            "`127.0.0.1`",
            "address to listen on; others than loopback require `ALLOWED_HOSTS`, `SECRET_KEY` and a login",
        ),
        Setting(
            "ALLOWED_HOSTS",
            "loopback names",
            "accepted host names, separated by commas; a public name requires a login",
        ),
        Setting(
            "PUBLIC_ORIGINS",
            "none",
            "addresses that browsers show, with commas; see [Behind a proxy](../how-to/deploy.md#behind-a-proxy)",
        ),
        Setting(
            "TRUSTED_PROXIES",
            "loopback, if it listens there",
            "addresses or networks of proxies whose `X-Forwarded-*` headers are trusted, separated by commas",
        ),
        Setting("HTTPS", "1 if all `PUBLIC_ORIGINS` use it", "1: users connect with TLS, so cookies are marked secure"),
        Setting(
            "CERTIFICATE_AUTHORITY",
            "none",
            "PEM file with the CA certificate of the server, for generated kubeconfigs",
        ),
        Setting(
            "SECRET_KEY",
            "generated in `DATA_DIR`",
            "signs sessions and tokens; at least 32 random characters, equal for all processes",
        ),
        Setting("DEBUG", "0", "1: Django's error pages for developers; only on loopback"),
        Setting(
            "OPERATOR_TOKEN",
            "none",
            "token for `/metrics`, `/configz` and `/debug/`; at least 32 random characters",
        ),
    ),
    "Database and broker": (
        Setting(
            "DATABASE_URL",
            "SQLite in `DATA_DIR`",
            "`sqlite:///path` or `postgres://user:password@host:5432/name`; in a wheel, paths begin in `DATA_DIR`",
        ),
        Setting("DATABASE_PASSWORD", "none", "password for `DATABASE_URL`, without URL encoding"),
        Setting(
            "REDIS_URL",
            "`redis://127.0.0.1:6379/0`",
            "`redis://`, `rediss://` or `unix://`; without it, `make run` starts a broker",
        ),
        Setting("REDIS_PASSWORD", "none", "password for `REDIS_URL`, without URL encoding"),
    ),
    "Storage": (
        Setting("CLUSTER_QUOTA_MB", "256", "maximum size of a cluster in the database"),
        Setting("MIN_FREE_DISK_MB", "512", "minimum free space on the disk of SQLite"),
        Setting("RETAIN_CYCLES", "10000", "number of newest cycles of a cluster that stay complete"),
        Setting("RETAIN_DAYS", "30", "after so many days without a command, a tenth of these cycles stays"),
        Setting("LEASE_SECONDS", "15", "seconds until another worker continues the clusters of a stopped worker"),
    ),
    "Scheduler": (
        Setting(
            "PLUGINS",
            "`examples.plugins`",
            "modules with [plugins of your own](../contributing/write-a-plugin.md), separated by commas",
        ),
        Setting(
            "EXTENDER_ALLOWED_HOSTS",
            "none",
            "hosts of [extenders](../how-to/use-an-extender.md) that may be called, separated by commas",
        ),
    ),
    "Logs": (
        Setting("LOG_FORMAT", "`line`", "`line`, or `json` for one JSON object per line"),
        Setting("LOG_LEVEL", "`WARNING` on loopback, else `INFO`", "`DEBUG`, `INFO`, `WARNING` or `ERROR`"),
    ),
}
