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
    "Starting": (
        Setting("PORT", "8000", "`make run`: where it listens, the next free one without this; 0 takes any"),
        Setting("NO_BROWSER", "0", "`make run`: 1 opens no browser"),
        Setting("WORKER_CONCURRENCY", "2", "`make run`: processes that run the engine"),
        Setting(
            "DATA_DIR",
            "`data` in a clone, else the user's folder for data",
            "the embedded database, the broker's socket, a generated secret key",
        ),
    ),
    "Who can reach it": (
        Setting(
            "HOST",
            "`127.0.0.1`",
            "the address it is bound to; on any other than loopback `ALLOWED_HOSTS` and `SECRET_KEY` are demanded, and "
            "a login",
        ),
        Setting(
            "ALLOWED_HOSTS",
            "loopback names",
            "the hosts that it answers to, with commas; a public one demands what a public `HOST` does",
        ),
        Setting(
            "PUBLIC_ORIGINS",
            "none",
            "origins that browsers show when a proxy tells others, with commas; see "
            "[Behind a proxy](../how-to/deploy.md#behind-a-proxy)",
        ),
        Setting(
            "TRUSTED_PROXIES",
            "loopback, when bound to it",
            "addresses and networks of proxies, with commas, whose `X-Forwarded-For` and `-Proto` are believed",
        ),
        Setting(
            "HTTPS", "1 when all `PUBLIC_ORIGINS` are", "1: people reach it by TLS; cookies are then marked secure"
        ),
        Setting(
            "CERTIFICATE_AUTHORITY",
            "none",
            "a PEM file: what the server's certificate is trusted by; kubeconfigs carry it, for clients that would not "
            "know it",
        ),
        Setting(
            "SECRET_KEY",
            "one kept in `DATA_DIR`",
            "signs sessions; 32 random characters or more, the same for all processes",
        ),
        Setting("DEBUG", "0", "1: Django's pages for developers; only on loopback"),
        Setting(
            "OPERATOR_TOKEN",
            "none",
            "opens `/metrics`, `/configz` and `/debug/` to machines; 32 random characters or more",
        ),
    ),
    "Database and broker": (
        Setting(
            "DATABASE_URL",
            "SQLite in `DATA_DIR`",
            "`sqlite:///path` (of a wheel, seen from `DATA_DIR`) or `postgres://user:password@host:5432/name`",
        ),
        Setting(
            "DATABASE_PASSWORD", "none", "the password for `DATABASE_URL`, as it is: nothing in it has to be quoted"
        ),
        Setting(
            "REDIS_URL",
            "`redis://127.0.0.1:6379/0`",
            "`redis://`, `rediss://` or `unix://`; `make run` brings one along without this",
        ),
        Setting("REDIS_PASSWORD", "none", "the same for `REDIS_URL`"),
    ),
    "What is kept, and how much": (
        Setting("CLUSTER_QUOTA_MB", "256", "what a cluster may take in the database"),
        Setting("MIN_FREE_DISK_MB", "512", "what must stay free on the disk of an embedded database"),
        Setting("RETAIN_CYCLES", "10000", "the newest cycles of a cluster that are kept in full"),
        Setting("RETAIN_DAYS", "30", "a cluster without a command for so long keeps a tenth of them"),
        Setting(
            "LEASE_SECONDS", "15", "after so long a dead worker's clusters are taken over; renewed eight times in it"
        ),
    ),
    "The scheduler": (
        Setting(
            "PLUGINS",
            "`examples.plugins`",
            "modules with out-of-tree plugins, with commas; [write-a-plugin.md](../contributing/write-a-plugin.md)",
        ),
        Setting(
            "EXTENDER_ALLOWED_HOSTS",
            "nobody",
            "hosts that extenders may be called at; [use-an-extender.md](../how-to/use-an-extender.md)",
        ),
    ),
    "Logs": (
        Setting("LOG_FORMAT", "`line`", "or `json`, an object a line"),
        Setting("LOG_LEVEL", "`WARNING` on loopback, else `INFO`", "`DEBUG`, `INFO`, `WARNING` or `ERROR`"),
    ),
}
